// Reads grok captures without WebAssembly, one input after the other. The results equal those of module-captures.ts.

import { type EncodedText, encodeText } from "../regex/encoded-text.ts";
import type { Engine } from "../regex/engines/engine.ts";
import {
  type BatchCaptures,
  type CaptureReader,
  type FieldCaptures,
  type FieldGroups,
  fieldCaptures,
} from "./captures.ts";
import { decimal, fitsInt64, parseFloat64, parseInteger } from "./number-text.ts";
import type { FieldType } from "./patterns.ts";
import { dropSpace, skipSpace } from "./trim.ts";

export class PlainCaptures implements CaptureReader {
  readonly last: FieldCaptures;
  private readonly engine: Engine;
  private readonly fields: readonly FieldGroups[];
  private readonly slots: Int32Array;

  constructor(engine: Engine, fields: readonly FieldGroups[]) {
    this.engine = engine;
    this.fields = fields;
    this.slots = new Int32Array(engine.slots);
    this.last = fieldCaptures(fields.length);
  }

  match(input: string | Uint8Array, trim: boolean): EncodedText | null {
    const text = encodeText(input);
    return this.matchRange(text.bytes, 0, text.bytes.length, trim) ? text : null;
  }

  matchLines(bytes: Uint8Array, lines: Uint32Array, trim: boolean, { matched, offsets, ints }: BatchCaptures): void {
    const { last, fields } = this;
    const values = new BigInt64Array(last.words.buffer);
    for (let line = 0; line < lines.length >> 1; line++) {
      const hit = this.matchRange(bytes, lines[2 * line] as number, lines[2 * line + 1] as number, trim);
      matched[line] = hit ? 1 : 0;
      if (!hit) {
        last.spans.fill(-1);
        last.words.fill(0);
      }
      offsets.set(last.spans, 2 * line * fields.length);
      ints.set(values, line * fields.length);
    }
  }

  private matchRange(bytes: Uint8Array, start: number, end: number, trim: boolean): boolean {
    if (!this.engine.exec(bytes, start, end, start, this.slots)) return false;
    const { last, slots } = this;
    this.fields.forEach((field, index) => {
      const group = this.deciding(field);
      let from = slots[group * 2] as number;
      let to = slots[group * 2 + 1] as number;
      if (trim && from >= 0) {
        from = skipSpace(bytes, from, to);
        to = dropSpace(bytes, from, to);
      }
      last.spans[2 * index] = from;
      last.spans[2 * index + 1] = to;
      last.groups[index] = group;
      this.setValue(index, bytes, from, to, field.type);
    });
    return true;
  }

  /**
   * Returns the number of the group whose text becomes the field's value. Among the groups with the field's name,
   * this is the last one that took part in the match; when none took part, it is the last of all these groups.
   */
  private deciding({ groups }: FieldGroups): number {
    for (let i = groups.length - 1; i >= 0; i--)
      if ((this.slots[(groups[i] as number) * 2] as number) >= 0) return groups[i] as number;
    return groups.at(-1) as number;
  }

  private setValue(index: number, bytes: Uint8Array, start: number, end: number, type: FieldType): void {
    const { floats, words } = this.last;
    let low = 0;
    let high = 0;
    if (start >= 0) {
      if (type === "float") {
        floats[index] =
          decimal(bytes, start, end, true) ?? parseFloat64(decoder.decode(bytes.subarray(start, end))) ?? 0;
        return;
      }
      if (type === "int") {
        const value = decimal(bytes, start, end, false) ?? wholeNumber(decoder.decode(bytes.subarray(start, end)));
        const wide = BigInt(value);
        low = Number(BigInt.asIntN(32, wide));
        high = Number(wide >> 32n);
      } else if (type === "bool") low = TRUE.test(decoder.decode(bytes.subarray(start, end))) ? 1 : 0;
    }
    words[2 * index] = low;
    words[2 * index + 1] = high;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const TRUE = /^(?:1|t|T|true|TRUE|True)$/;

function wholeNumber(text: string): bigint {
  const value = parseInteger(text.replace(/\.0+$/, ""), 0);
  return value !== undefined && fitsInt64(value) ? value : 0n;
}
