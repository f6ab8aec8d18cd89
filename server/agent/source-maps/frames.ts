// Finds the frames (lines of calls) in an error stack whose positions source maps can resolve. There are three ways to
// write a frame:
//
//   SDKs              f @ https://host/a.js:1:48          columns count from 0, as in source maps
//   Chrome, Node      at f (https://host/a.js:1:49)       also `at async f (...)`, `at new F (...)`,
//                     `at https://host/a.js:1:49`. Evaluated code also names its caller, which is resolved:
//                     `at f (... (https://host/a.js:1:49), <anonymous>:1:1)`
//   Firefox, Safari   f@https://host/a.js:1:49            also `async*f@...`, `@...`
//
// Browsers count columns from 1. Frames without a file of their own (`<anonymous>`, `native`, `node:`, extensions) are
// not changed.

export interface Frame {
  /** UTF-16 index in the error stack at which the position `url:line:column` starts. */
  readonly start: number;
  readonly end: number;
  readonly url: string;
  /** Line number of the frame in its file; counts from 1. */
  readonly line: number;
  readonly column: number;
  /** The number that the format of this frame (line of a stack) gives to the first column of a line: 0 or 1. */
  readonly firstColumn: 0 | 1;
}

const inLine = /[^\n]+/g;
const positionAtLast = /^(.*):(\d+):(\d+)/;
const positions = /:(\d+):(\d+)(?=\)|$)/g;
const positionAtEnd = /^(\S+):(\d+):(\d+)$/;
const ownFile = /^(?:(?:https?|file):\/\/|\/)/;

/**
 * Yields the frames (lines of calls) of an error stack in order, at most one for each line of the stack, in linear
 * time. Always recognizes frames in the format of the SDKs; with `browsers`, also frames in the formats of browsers.
 */
export function* framesOf(stack: string, browsers: boolean): Iterable<Frame> {
  for (const { 0: text, index } of stack.matchAll(inLine)) {
    const found = ofSdk(text) ?? (browsers ? (ofChrome(text.trimEnd()) ?? ofFirefox(text.trimEnd())) : undefined);
    if (found !== undefined) yield { ...found, start: index + found.start, end: index + found.end };
  }
}

function ofSdk(text: string): Frame | undefined {
  const at = text.indexOf("@ ");
  return at < 0 ? undefined : frameAt(at + 2, positionAtLast.exec(text.slice(at + 2)), 0);
}

/**
 * Returns the first position (`url:line:column`) in a line of a Chrome stack. Skips positions in files for which there
 * can be no source map. In a line about evaluated code, the returned position is that of the code that called `eval`.
 */
function ofChrome(text: string): Frame | undefined {
  if (!text.trimStart().startsWith("at ")) return undefined;
  for (const { 0: all, 1: line, 2: column, index } of text.matchAll(positions)) {
    const before = text.slice(0, index);
    const start = Math.max(before.lastIndexOf(" "), before.lastIndexOf("(")) + 1;
    const url = before.slice(start);
    if (ownFile.test(url)) {
      return { start, end: index + all.length, url, line: Number(line), column: Number(column), firstColumn: 1 };
    }
  }
  return undefined;
}

function ofFirefox(text: string): Frame | undefined {
  const at = text.indexOf("@");
  const place = text.slice(at + 1);
  return at < 0 || !ownFile.test(place) ? undefined : frameAt(at + 1, positionAtEnd.exec(place), 1);
}

/**
 * Returns the frame (line of a stack) that a regular expression has matched. The groups of the expression are URL, line
 * and column.
 */
function frameAt(start: number, match: RegExpExecArray | null, firstColumn: 0 | 1): Frame | undefined {
  if (match === null) return undefined;
  const [all, url, line, column] = match;
  return { start, end: start + all.length, url, line: Number(line), column: Number(column), firstColumn };
}
