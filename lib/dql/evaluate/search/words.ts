// Splits a string into words, for match() and query_string() (docs/reference/query.md#filters). A word is a sequence of
// letters and digits, and is returned in lower case; in Chinese, Japanese and Korean writing each character is a word.

const token =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}\p{M}])+/gu;

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(token) ?? [];
}

/** A word of a string, with the UTF-16 offsets where it begins and ends. */
export interface WordSpan {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export function wordSpans(text: string): WordSpan[] {
  return [...text.matchAll(token)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));
}

/**
 * Returns a function that tests whether the words of `phrase` follow each other in a string. A phrase without words is
 * searched literally.
 */
export function phraseTest(phrase: string): (text: string) => boolean {
  const wanted = wordsOf(phrase);
  if (wanted.length === 0) return (text) => text.includes(phrase);
  return (text) => {
    const words = wordsOf(text);
    for (let at = 0; at + wanted.length <= words.length; at++) {
      if (wanted.every((word, offset) => words[at + offset] === word)) return true;
    }
    return false;
  };
}
