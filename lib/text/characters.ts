// Texts by their code points.

const beyondAscii = /[\u0080-\uffff]/;

export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The UTF-16 index so many characters behind another one; at most the length of the text. */
export function indexBehind(text: string, from: number, characters: number): number {
  let index = from;
  for (let left = characters; left > 0 && index < text.length; left--) index += characterAt(text, index).length;
  return index;
}

export function characterAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) as number);
}
