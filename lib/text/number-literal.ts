// Parses number literals (docs/reference/language.md#numbers): an int in the base of its prefix, or a decimal float.

import { type Integer, integer } from "./integer.ts";

export type NumberValue = { readonly int: Integer } | { readonly float: number } | { readonly error: string };

const hex = /^0x[0-9a-f]+$/i;
const octal = /^0[0-7]+$/;
const decimal = /^(?:0|[1-9][0-9]*)$/;
/** Matches ints with few digits, which a JavaScript number holds exactly. */
const short = /^(?:0|[1-9][0-9]{0,14})$/;
const float = /^[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?$/i;
const largestInt = 9223372036854775807n;

export function numberValue(token: string): NumberValue {
  if (short.test(token)) return { int: Number(token) };
  const int = intValue(token);
  if (int !== null && int <= largestInt) return { int: integer(int) };
  const lower = token.toLowerCase();
  if (lower === "inf") return { float: Number.POSITIVE_INFINITY };
  if (lower === "nan") return { float: Number.NaN };
  const failure = (why: string) => ({ error: `error parsing number: strconv.ParseFloat: parsing "${token}": ${why}` });
  if (!float.test(token)) return failure("invalid syntax");
  const value = Number(token);
  return Number.isFinite(value) ? { float: value } : failure("value out of range");
}

function intValue(token: string): bigint | null {
  if (hex.test(token)) return BigInt(token);
  if (octal.test(token)) return BigInt(`0o${token.slice(1)}`);
  return decimal.test(token) ? BigInt(token) : null;
}
