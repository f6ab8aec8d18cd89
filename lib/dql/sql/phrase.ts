// Writes an RE2 pattern for words that follow each other; it matches the same strings as phraseTest().

/**
 * Characters of words, and characters (such as Chinese ones) that are words by themselves, as parts of a character
 * class.
 */
const inWord = "\\p{L}\\p{N}\\p{M}";
const alone = "\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}";
const edge = `(?:[^${inWord}]|[${alone}])`;

/** Returns the pattern for the words, which must be ASCII letters and digits in lower case. */
export function phrasePattern(words: readonly string[]): string {
  const written = words.map((word) => word.replace(/[a-z]/g, anyCase));
  return `(?:^|${edge})${written.join(`[^${inWord}${alone}]+`)}(?:$|${edge})`;
}

/** The Kelvin sign has the lower case k; no other character outside ASCII has a lower case in ASCII. */
function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}${letter === "k" ? "\\x{212A}" : ""}]`;
}
