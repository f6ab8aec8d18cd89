// Words that stand one after the other, as a pattern of RE2 that finds the same texts as phraseTest() does.

/** Characters of words, and those that are a word each. */
const inWord = "\\p{L}\\p{N}\\p{M}";
const alone = "\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}";
const edge = `(?:[^${inWord}]|[${alone}])`;

/** `words`: of ASCII letters and digits, in lower case. */
export function phrasePattern(words: readonly string[]): string {
  const written = words.map((word) => word.replace(/[a-z]/g, anyCase));
  return `(?:^|${edge})${written.join(`[^${inWord}${alone}]+`)}(?:$|${edge})`;
}

/** The sign for kelvin is a k in lower case; no other letter becomes one of ASCII. */
function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}${letter === "k" ? "\\x{212A}" : ""}]`;
}
