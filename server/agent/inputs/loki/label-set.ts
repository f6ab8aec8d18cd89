// Parses the labels of a stream from the text in protobuf pushes: `{job="nginx", env="prod"}`, where values are quoted
// as Go strings.

import { ConversionError } from "../../ingest/converter.ts";
import type { Label } from "./streams.ts";

/** Largest allowed length of a label set (the labels of one stream as text), in UTF-16 units. */
export const longestLabelSet = 64 * 1024;

const label = /\s*([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|`([^`]*)`)\s*(,|\})/suy;

/** Parses the labels of a stream. Returns them in the order in which the text lists them. Throws ConversionError. */
export function parseLabelSet(text: string): Label[] {
  if (text.length > longestLabelSet) throw new ConversionError(`labels of more than ${longestLabelSet} characters`);
  const start = /^\s*\{\s*/.exec(text);
  if (start === null) throw wrong(text);
  if (/^\s*\{\s*\}\s*$/.test(text)) return [];
  const labels: Label[] = [];
  for (let at = start[0].length; ; ) {
    label.lastIndex = at;
    const found = label.exec(text);
    if (found === null) throw wrong(text);
    const [, name, quoted, raw, end] = found;
    labels.push([name!, quoted === undefined ? raw! : unquoted(quoted)]);
    at = label.lastIndex;
    if (end === "}" || /^\s*\}/.test(text.slice(at, at + 16))) return labels;
  }
}

const wrong = (text: string) =>
  new ConversionError(`labels must be written as {name="value"}, got ${JSON.stringify(text.slice(0, 128))}`);

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Replaces the escapes of a Go string literal. In an escape that Go does not know, only the backslash is removed. */
function unquoted(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/gsu,
    (_, hex?: string, short?: string, long?: string, octal?: string, other?: string) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return codePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return codePoint(Number.parseInt(octal, 8));
      return simpleEscapes[other!] ?? other!;
    },
  );
}

const codePoint = (code: number) => (code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code));
