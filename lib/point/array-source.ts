// The text of an array as it stands in a line, already found to be well formed, into its elements (points document, section 3.9).

import { decodeBase64 } from "./codec/base64.ts";
import { Float, integer, PointArray, type Scalar, Uint } from "./value.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const quote = 0x22;
const backslash = 0x5c;

/** `source` starts with `[` and ends with `]`. */
export function parseArray(source: Uint8Array): PointArray {
  const elements: Scalar[] = [];
  let at = 1;
  const end = source.length - 1;
  while (at < end) {
    const byte = source[at]!;
    if (byte === 0x20 || byte === 0x2c) at++;
    else if (byte === quote) {
      const close = closingQuote(source, at + 1);
      const isBinary = source[close + 1] === 0x62;
      const inner = source.subarray(at + 1, close);
      elements.push(isBinary ? decodeBase64(inner)! : unescaped(inner));
      at = close + (isBinary ? 2 : 1);
    } else {
      let stop = at;
      while (stop < end && source[stop] !== 0x20 && source[stop] !== 0x2c) stop++;
      elements.push(scalar(decoder.decode(source.subarray(at, stop))));
      at = stop;
    }
  }
  return new PointArray(elements);
}

function closingQuote(source: Uint8Array, from: number): number {
  let at = from;
  while (source[at] !== quote) at += source[at] === backslash ? 2 : 1;
  return at;
}

function unescaped(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return text.includes("\\") ? text.replace(/\\(["\\])/g, "$1") : text;
}

function scalar(text: string): Scalar {
  if (/^[tf]/i.test(text)) return /^t/i.test(text);
  if (text.endsWith("i")) return integer(BigInt(text.startsWith("-") ? -BigInt(text.slice(1, -1)) : text.slice(0, -1)));
  if (text.endsWith("u")) return new Uint(integer(BigInt(text.slice(0, -1))));
  return new Float(Number(text));
}
