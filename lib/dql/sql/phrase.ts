// Writes a pattern of RE2 for words that follow each other; it finds the same texts as phraseTest().

/** Characters that form words, and characters that are words by themselves. */
const inWord = "\\p{L}\\p{N}\\p{M}";
const alone = "\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}";
const edge = `(?:[^${inWord}]|[${alone}])`;

/** Returns the pattern; `words` must be ASCII letters and digits in lower case. */
export function phrasePattern(words: readonly string[]): string {
  const written = words.map((word) => word.replace(/[a-z]/g, anyCase));
  return `(?:^|${edge})${written.join(`[^${inWord}${alone}]+`)}(?:$|${edge})`;
}

/** The lower case of the Kelvin sign is k; no other character outside ASCII has an ASCII lower case. */
function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}${letter === "k" ? "\\x{212A}" : ""}]`;
}
