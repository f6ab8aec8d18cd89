// Collects the cells of one column while a reference table is read: each JSON value is converted to the column's type
// (docs/reference/function-rules.md#reference-tables), or refused with a reason.

import { fitsInt64, parseFloat64, parseInteger } from "../grok/number-text.ts";
import { formatFloat } from "../point/number-text.ts";
import type { ColumnData, ColumnKind } from "./column.ts";
import { DictionaryBuilder } from "./dictionary.ts";
import { withRoom } from "./growing.ts";
import { textOf } from "./json-stream.ts";

/** A scalar of JSON: the bytes of a string or number, or one of the literals true, false and null. */
export type JsonScalar =
  | {
      readonly type: "text";
      readonly bytes: Uint8Array;
      readonly from: number;
      readonly to: number;
      readonly escaped: boolean;
    }
  | { readonly type: "number"; readonly bytes: Uint8Array; readonly from: number; readonly to: number }
  | { readonly type: "literal"; readonly value: boolean | null };

/** Collects the cells of one column, in the order of the rows. */
export interface CellBuilder {
  /** Adds a value as the cell of the next row. Returns null, or the reason why the value is refused. */
  add(value: JsonScalar): string | null;
  /**
   * Returns the finished column. Its arrays are views of the memory in which this builder has collected the cells, so
   * no value may be added afterwards.
   */
  finish(name: string): ColumnData;
}

export function cellBuilder(kind: ColumnKind): CellBuilder {
  switch (kind) {
    case "int":
      return new IntCells();
    case "float":
      return new FloatCells();
    case "bool":
      return new BoolCells();
    case "string":
      return new TextCells();
  }
}

const ascii = new TextDecoder("latin1");
const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

function shown(value: JsonScalar): string {
  switch (value.type) {
    case "literal":
      return String(value.value);
    case "number":
      return numberText(value);
    case "text":
      return JSON.stringify(textOf(value.bytes, value.from, value.to, value.escaped).slice(0, 60));
  }
}

function refusal(value: JsonScalar, kind: ColumnKind): string {
  return `cannot convert ${shown(value)} to ${kind}`;
}

function numberText({
  bytes,
  from,
  to,
}: {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}): string {
  return ascii.decode(bytes.subarray(from, to));
}

/**
 * Returns the value of an integer with few digits, which is always a safe integer. Returns undefined for any other
 * number, which must be parsed from its text.
 */
function shortInt(bytes: Uint8Array, from: number, to: number): number | undefined {
  const negative = bytes[from] === 0x2d;
  let value = 0;
  if (to - from > 15) return undefined;
  for (let at = negative ? from + 1 : from; at < to; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return negative ? 0 - value : value;
}

class IntCells implements CellBuilder {
  private cells = new Float64Array(64);
  /**
   * The cells as 64-bit ints; null while every int is a safe integer. This array replaces `cells` when an int is added
   * that is not a safe integer.
   */
  private long: BigInt64Array | null = null;
  private count = 0;
  private low = 0;
  private high = 0;

  add(value: JsonScalar): string | null {
    const int = intOf(value);
    if (int === undefined) return refusal(value, "int");
    if (typeof int === "bigint" && this.long === null) {
      this.long = BigInt64Array.from(this.cells.subarray(0, this.count), BigInt);
      this.cells = new Float64Array(0);
    }
    if (this.long !== null) {
      this.long = withRoom(this.long, this.count + 1);
      this.long[this.count++] = BigInt(int);
      return null;
    }
    const number = int as number;
    if (number < this.low) this.low = number;
    else if (number > this.high) this.high = number;
    if (this.count === this.cells.length) this.cells = withRoom(this.cells, this.count + 1);
    this.cells[this.count++] = number;
    return null;
  }

  finish(name: string): ColumnData {
    const { long, cells, count, low, high } = this;
    if (long !== null) return { name, kind: "int", cells: long.subarray(0, count), texts: null };
    const its = cells.subarray(0, count);
    const small = low >= -(2 ** 31) && high < 2 ** 31;
    return { name, kind: "int", cells: small ? Int32Array.from(its) : its, texts: null };
  }
}

function intOf(value: JsonScalar): number | bigint | undefined {
  if (value.type === "literal") return Number(value.value);
  if (value.type === "number") {
    const { bytes, from, to } = value;
    return shortInt(bytes, from, to) ?? fitting(exactInt(numberText(value)));
  }
  const text = textOf(value.bytes, value.from, value.to, value.escaped).replace(/\.0+$/, "");
  // Leading zeros are removed. In JSON tables leading zeros have no meaning, but `parseInteger` would read the number
  // in another base.
  return fitting(parseInteger(text.replace(/^([+-]?)0+(?=[\d_])/, "$1"), 0));
}

function fitting(value: bigint | undefined): number | bigint | undefined {
  if (value === undefined || !fitsInt64(value)) return undefined;
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/**
 * Returns the integer value of a JSON number, also when the number is written as `1.0` or `1e3`. Returns
 * undefined when the number has a fraction or more than about 30 zeros at its end.
 */
function exactInt(text: string): bigint | undefined {
  const [, sign, whole, fraction = "", exponentText = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
  const digits = `${whole}${fraction}`.replace(/0+$/, "");
  if (digits === "") return 0n;
  const zeros = Number(exponentText) + whole!.length - digits.length;
  if (zeros < 0 || zeros > 30) return undefined;
  return BigInt(`${sign}${digits}`) * 10n ** BigInt(zeros);
}

class FloatCells implements CellBuilder {
  private cells = new Float64Array(64);
  private count = 0;

  add(value: JsonScalar): string | null {
    const float = floatOf(value);
    if (float === undefined) return refusal(value, "float");
    if (this.count === this.cells.length) this.cells = withRoom(this.cells, this.count + 1);
    this.cells[this.count++] = float;
    return null;
  }

  finish(name: string): ColumnData {
    return { name, kind: "float", cells: this.cells.subarray(0, this.count), texts: null };
  }
}

function floatOf(value: JsonScalar): number | undefined {
  if (value.type === "literal") return Number(value.value);
  if (value.type === "text") return parseFloat64(textOf(value.bytes, value.from, value.to, value.escaped));
  const number = shortInt(value.bytes, value.from, value.to) ?? Number(numberText(value));
  return Number.isFinite(number) ? number : undefined;
}

class BoolCells implements CellBuilder {
  private cells = new Uint8Array(64);
  private count = 0;

  add(value: JsonScalar): string | null {
    const bool = boolOf(value);
    if (bool === undefined) return refusal(value, "bool");
    if (this.count === this.cells.length) this.cells = withRoom(this.cells, this.count + 1);
    this.cells[this.count++] = Number(bool);
    return null;
  }

  finish(name: string): ColumnData {
    return { name, kind: "bool", cells: this.cells.subarray(0, this.count), texts: null };
  }
}

function boolOf(value: JsonScalar): boolean | undefined {
  if (value.type === "literal") return value.value === true;
  if (value.type === "number") return Number(numberText(value)) !== 0;
  const text = textOf(value.bytes, value.from, value.to, value.escaped);
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

class TextCells implements CellBuilder {
  private readonly dictionary = new DictionaryBuilder();
  /**
   * For each row, the number of the row's string in the dictionary. The dictionary numbers the strings in the
   * order in which they are added. Null as long as all rows have different strings: the number of a row is then
   * also the number of its string.
   */
  private codes: Uint32Array | null = null;
  private count = 0;

  add(value: JsonScalar): string | null {
    const code = this.code(value);
    if (this.codes === null) {
      if (code === this.count) {
        this.count++;
        return null;
      }
      this.codes = Uint32Array.from({ length: this.count }, (_, row) => row);
    }
    if (this.count === this.codes.length) this.codes = withRoom(this.codes, this.count + 1);
    this.codes[this.count++] = code;
    return null;
  }

  finish(name: string): ColumnData {
    const texts = this.dictionary.finish();
    return { name, kind: "string", cells: this.codes?.subarray(0, this.count) ?? null, texts };
  }

  private code(value: JsonScalar): number {
    switch (value.type) {
      case "text":
        if (!value.escaped) return this.dictionary.add(value.bytes, value.from, value.to);
        return this.text(textOf(value.bytes, value.from, value.to, true));
      case "number": {
        const text = numberText(value);
        return this.text(/^-?\d+$/.test(text) ? text : formatFloat(Number(text)));
      }
      case "literal":
        return value.value === null ? this.dictionary.add(nothing, 0, 0) : this.text(String(value.value));
    }
  }

  private text(text: string): number {
    const bytes = encoder.encode(text);
    return this.dictionary.add(bytes, 0, bytes.length);
  }
}
