// Writes an RE2 pattern for words that follow each other. The pattern matches the same strings as `phraseTest` in
// lib/dql/evaluate/search/words.ts.

/** Part of a character class: the characters that words consist of. */
const inWord = "\\p{L}\\p{N}\\p{M}";
/** Part of a character class: the characters of which each is a word by itself, such as Chinese characters. */
const alone = "\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}";
const edge = `(?:[^${inWord}]|[${alone}])`;

/** Returns the pattern for the words, which must be ASCII letters and digits in lower case. */
export function phrasePattern(words: readonly string[]): string {
  const written = words.map((word) => word.replace(/[a-z]/g, anyCase));
  return `(?:^|${edge})${written.join(`[^${inWord}${alone}]+`)}(?:$|${edge})`;
}

/**
 * Returns a pattern for a letter in either case. For `k` it includes the Kelvin sign, the only character outside ASCII
 * whose lower case is an ASCII letter.
 */
function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}${letter === "k" ? "\\x{212A}" : ""}]`;
}
