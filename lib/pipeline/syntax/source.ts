// The text of a script and the positions in it. Inside the library, an offset is a number of UTF-16 units. The
// public positions `ln`, `col` and `pos` are numbers of lines or code points
// (docs/reference/language.md#error-record).

import type { Offset } from "./ast.ts";
import type { Position } from "./errors.ts";

export class Source {
  readonly file: string;
  readonly text: string;
  private lineStarts: readonly Offset[] | null = null;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  position(offset: Offset): Position {
    const starts = (this.lineStarts ??= lineStartsOf(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const pos = codePoints(this.text, 0, offset);
    return { file: this.file, ln: low + 1, col: codePoints(this.text, starts[low]!, offset) + 1, pos };
  }
}

function lineStartsOf(text: string): Offset[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function codePoints(text: string, from: Offset, to: Offset): number {
  let count = to - from;
  for (let at = from; at + 1 < to; at++) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) count--;
  }
  return count;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
