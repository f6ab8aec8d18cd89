// Parses the scalar values of line protocol: numbers and booleans (docs/reference/points.md#field-values). Each
// function takes one value and returns it parsed, or throws a `Fault` with the reason why it is wrong.

import { Float, Uint } from "../../lib/point/value.ts";
import { integer } from "../../lib/text/integer.ts";
import { byteOf, type Source } from "./source.ts";

/** The reason why a line cannot be parsed as a point. */
export class Fault extends Error {}

const maxInt = 9223372036854775807n;
const minInt = -9223372036854775808n;
const maxUint = 18446744073709551615n;
const letter = { e: 0x65, E: 0x45, i: 0x69, u: 0x75, N: 0x4e, n: 0x6e } as const;

/** Powers of ten that a double represents exactly. */
const exactPowers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

export function startsNumber(byte: number): boolean {
  return isDigit(byte) || byte === byteOf.dot || byte === byteOf.minus || byte === letter.N || byte === letter.n;
}

export function parseNumber(source: Source, start: number, end: number): number | bigint | Float | Uint {
  const { bytes } = source;
  const negative = bytes[start] === byteOf.minus;
  let mantissa = 0;
  let digits = 0;
  let fraction = -1;
  let scientific = false;
  let suffix = 0;
  for (let i = negative ? start + 1 : start; i < end; i++) {
    const byte = bytes[i]!;
    if (isDigit(byte)) {
      if (suffix !== 0) throw new Fault("invalid number");
      digits++;
      if (fraction >= 0) fraction++;
      mantissa = mantissa * 10 + (byte - byteOf.zero);
    } else if (byte === byteOf.dot && fraction < 0 && suffix === 0) {
      // This loop only finds out what kind of number the text is. So it accepts a dot even inside an exponent, which
      // the float parser later reports as an error.
      fraction = 0;
    } else if ((byte === letter.e || byte === letter.E) && i > start && suffix === 0) {
      scientific = true;
    } else if (isSign(byte) && isExponent(bytes[i - 1]!) && suffix === 0 && i > start) {
    } else if ((byte === letter.i || byte === letter.u) && suffix === 0 && i > start) {
      suffix = byte;
    } else throw new Fault("invalid number");
  }
  if (digits === 0 && !scientific) throw new Fault("invalid number");
  if (suffix === 0) {
    if (!scientific && mantissa <= Number.MAX_SAFE_INTEGER && fraction <= 22) {
      const magnitude = fraction > 0 ? mantissa / exactPowers[fraction]! : mantissa;
      return new Float(negative ? -magnitude : magnitude);
    }
    const value = Number(source.text(start, end));
    if (!Number.isFinite(value)) throw new Fault("invalid float");
    return new Float(value);
  }
  if (fraction >= 0 || scientific || digits === 0) throw new Fault("invalid number");
  if (suffix === letter.u) return parseUint(source, start, end - 1, mantissa, negative);
  if (mantissa <= Number.MAX_SAFE_INTEGER) return negative && mantissa !== 0 ? -mantissa : mantissa;
  const text = source.text(start, end - 1);
  const value = BigInt(text);
  if (value > maxInt || value < minInt) {
    throw new Fault(`unable to parse integer ${text}: strconv.ParseInt: parsing "${text}": value out of range`);
  }
  return integer(value);
}

function parseUint(source: Source, start: number, end: number, mantissa: number, negative: boolean): Uint {
  if (negative) throw new Fault("invalid number");
  if (mantissa <= Number.MAX_SAFE_INTEGER) return new Uint(mantissa);
  const text = source.text(start, end);
  const value = BigInt(text);
  if (value > maxUint) {
    throw new Fault(`unable to parse unsigned ${text}: strconv.ParseUint: parsing "${text}": value out of range`);
  }
  return new Uint(integer(value));
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["t", "T", "true", "True", "TRUE"].map((text) => [text, true] as const),
  ...["f", "F", "false", "False", "FALSE"].map((text) => [text, false] as const),
]);

export function parseBoolean(source: Source, start: number, end: number): boolean {
  const value = end - start <= 5 ? booleans.get(source.text(start, end)) : undefined;
  if (value === undefined) throw new Fault("invalid boolean");
  return value;
}

/** Parses a timestamp, which must be a signed 64-bit integer. */
export function parseTimestamp(text: string): bigint {
  if (text === "-") throw new Fault(`strconv.ParseInt: parsing "-": invalid syntax`);
  const value = BigInt(text);
  if (value > maxInt || value < minInt) {
    throw new Fault(`strconv.ParseInt: parsing "${text}": value out of range`);
  }
  return value;
}

export function isDigit(byte: number): boolean {
  return byte >= byteOf.zero && byte <= byteOf.nine;
}

function isSign(byte: number): boolean {
  return byte === byteOf.plus || byte === byteOf.minus;
}

function isExponent(byte: number): boolean {
  return byte === letter.e || byte === letter.E;
}
