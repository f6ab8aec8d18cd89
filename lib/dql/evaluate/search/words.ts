// Words of a text, for match() and query_string() (docs/reference/query.md#filters): runs of letters and digits in lower case; of
// Chinese, Japanese and Korean writing each character is a word.

const token =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{N}\p{M}])+/gu;

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(token) ?? [];
}

/** A word and where it stands, in UTF-16 units. */
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

/** Whether the words of `phrase` stand in a text one after the other; a phrase without words is looked for as it is. */
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
