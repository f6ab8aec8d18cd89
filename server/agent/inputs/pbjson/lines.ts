// Splits a body into its lines and leaves out empty lines.

export interface BodyLine {
  readonly text: string;
  /** Number of the line in the body; counts from 1. */
  readonly number: number;
}

const newline = 0x0a;
const decoder = new TextDecoder();

/** Yields the lines that do not consist of white space only. Replaces invalid UTF-8 with U+FFFD. */
export function* linesOf(body: Uint8Array): Generator<BodyLine, undefined, undefined> {
  let number = 0;
  for (let at = 0; at < body.length; ) {
    const found = body.indexOf(newline, at);
    const end = found < 0 ? body.length : found;
    const text = decoder.decode(body.subarray(at, end)).trim();
    number++;
    at = end + 1;
    if (text !== "") yield { text, number };
  }
  return undefined;
}
