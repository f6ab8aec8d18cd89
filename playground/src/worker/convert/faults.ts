// Finds the positions of errors in a body. The library's error says which lines or elements of the body are
// wrong and why; the other files of this folder find the wrong bytes in such a line or element.

import type { PointError } from "../../../../lib/index.ts";
import type { BodyBytes } from "./body-text.ts";
import type { Fault, WireForm } from "./conversion.ts";
import { type JsonPath, jsonRange } from "./json-place.ts";
import { placeInLine } from "./line-place.ts";
import { rangeOfPoint, readFields } from "./protobuf-fields.ts";

/** Largest number of faults that are sent to the page. */
const mostFaults = 100;

interface Place {
  /** Start and end of a range of wrong bytes, as offsets in the body. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export function faultsOf(error: PointError, text: string, body: BodyBytes, form: WireForm): readonly Fault[] {
  const lines = new LineCounter(text);
  return placesOf(error, body.bytes, form).map(({ from, to, reason }) => {
    const start = body.textIndex(from);
    return { byte: from, ...lines.at(start), from: start, to: to === from ? start : body.textIndex(to), reason };
  });
}

/** Converts indexes in a text to lines and columns. The indexes must be given in ascending order. */
export class LineCounter {
  private readonly text: string;
  private line = 1;
  private start = 0;

  constructor(text: string) {
    this.text = text;
  }

  at(index: number): { readonly line: number; readonly column: number } {
    for (;;) {
      const end = this.text.indexOf("\n", this.start);
      if (end < 0 || end >= index) break;
      this.line++;
      this.start = end + 1;
    }
    return { line: this.line, column: [...this.text.slice(this.start, index)].length + 1 };
  }
}

function placesOf(error: PointError, bytes: Uint8Array, form: WireForm): readonly Place[] {
  if (error.lines.length > 0)
    return error.lines.slice(0, mostFaults).map(({ offset, length, reason }) => {
      const inside = placeInLine(bytes.subarray(offset, offset + length)) ?? { from: 0, to: length };
      return { from: offset + inside.from, to: offset + inside.to, reason };
    });
  const reason = error.message;
  if (form === "pb") return [{ ...protobufPlace(bytes, reason), reason }];
  if (form === "lp") return [{ from: 0, to: bytes.length, reason }];
  const syntax = / at byte (\d+)$/.exec(reason);
  if (syntax === null) return [{ ...jsonRange(bytes, pathOf(reason)), reason }];
  const from = Math.min(Number(syntax[1]), bytes.length);
  return [{ from, to: Math.min(from + 1, bytes.length), reason }];
}

function protobufPlace(bytes: Uint8Array, reason: string): { readonly from: number; readonly to: number } {
  const [, index, entry] = /^point (\d+): (?:fields\[(\d+)\])?/.exec(reason) ?? [];
  const range =
    index === undefined ? null : rangeOfPoint(bytes, Number(index), entry === undefined ? null : Number(entry));
  if (range !== null) return range;
  const from = readFields(bytes, Number.POSITIVE_INFINITY).fault ?? 0;
  return { from, to: bytes.length };
}

const members = /^(?:measurement|name|tags|fields|time|key|is_tag|type|unit|description|[iufbdsa])\b/;

/**
 * Returns the path of the wrong value in a JSON body, taken from the message of the library's error. The last
 * parts of the path may not exist in the body; the function `jsonRange` ignores such parts.
 */
function pathOf(reason: string): JsonPath {
  const [, index, about = ""] = /^point (\d+)(?: is null|: (.*))?$/s.exec(reason) ?? [];
  if (index === undefined) return [];
  const entry = /^fields\[(\d+)\](?:: | is null)(.*)$/s.exec(about);
  if (entry !== null) return [Number(index), "fields", Number(entry[1]), ...memberOf(entry[2]!)];
  const keyed = /^(fields|tags): (?:value of )?("(?:[^"\\]|\\.)*")/s.exec(about);
  if (keyed !== null) return [Number(index), keyed[1]!, ...quotedKey(keyed[2]!)];
  return [Number(index), ...memberOf(about)];
}

function memberOf(about: string): readonly string[] {
  const unknown = /^unknown member ("(?:[^"\\]|\\.)*")/s.exec(about);
  if (unknown !== null) return quotedKey(unknown[1]!);
  const found = members.exec(about);
  return found === null ? [] : [found[0]];
}

function quotedKey(quoted: string): readonly string[] {
  try {
    return [JSON.parse(quoted) as string];
  } catch {
    return [];
  }
}
