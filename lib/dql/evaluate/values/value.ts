// Values of queries and their comparison (docs/reference/query.md#how-values-compare). Whole numbers are bigints and
// other numbers are JS numbers, so that 64-bit integers stay exact and dividing whole numbers differs from dividing
// floats.

import { compareText } from "../../../text/utf8.ts";

/** A value in a query: bigint for a whole number, number for a float, null for a missing value. */
export type DqlValue = null | boolean | bigint | number | string | Uint8Array | readonly DqlValue[];

const least = -(2n ** 63n);
const unsignedEnd = 2n ** 64n;
const signedEnd = 2n ** 63n;

/**
 * Returns whether a value is a whole number or a float.
 *
 * @example
 * isNumber(5n); // true
 */
export function isNumber(value: DqlValue): value is bigint | number {
  return typeof value === "number" || typeof value === "bigint";
}

/**
 * Returns a whole number unchanged when it fits into 64 bits, signed or unsigned; returns a larger number as a float.
 */
export function whole(value: bigint): bigint | number {
  return value >= least && value < unsignedEnd ? value : Number(value);
}

/** Returns the number that a string spells; undefined when the string is not a number. */
export function numberIn(text: string): bigint | number | undefined {
  if (/^[+-]?[0-9]+$/.test(text)) {
    const value = BigInt(text);
    return value >= least && value < signedEnd ? value : Number(text);
  }
  return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns a value as a string. The tags of an answer show this string, and patterns are matched with it.
 *
 * @example
 * textOfValue([1n, "a"]); // "[1 a]"
 */
export function textOfValue(value: DqlValue): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (isList(value)) return `[${value.map(textOfValue).join(" ")}]`;
  return String(value);
}

/**
 * Returns whether a value is a list of values.
 *
 * @example
 * isList([1n, 2n]); // true
 */
export function isList(value: DqlValue): value is readonly DqlValue[] {
  return Array.isArray(value);
}

/**
 * Compares a value that is not missing with a literal, as the operator `=` does.
 *
 * @example
 * equals([1n, 2n], 2n); // true: one element is equal
 */
export function equals(value: DqlValue, literal: DqlValue): boolean {
  if (value === null || literal === null) return value === literal;
  if (isList(value)) return value.some((each) => equals(each, literal));
  if (isNumber(value)) return order(value, literal) === 0;
  if (typeof value === "boolean") return value === literal || String(value) === literal;
  if (isNumber(literal) || typeof literal === "boolean") return textOfValue(value) === String(literal);
  return textOfValue(value) === textOfValue(literal);
}

/**
 * Compares a value with a literal. Returns a number below, equal to or above 0 when the value is less than, equal to or
 * greater than the literal; undefined when the two values have no order, such as NaN or values of different types.
 */
export function order(value: DqlValue, literal: DqlValue): number | undefined {
  if (isNumber(value)) {
    const number = typeof literal === "string" ? numberIn(literal) : literal;
    if (number === undefined || !isNumber(number)) return undefined;
    if (Number.isNaN(value) || Number.isNaN(number)) return undefined;
    return value < number ? -1 : value > number ? 1 : 0;
  }
  if (typeof value !== "string") return undefined;
  if (typeof literal === "string") return compareText(value, literal);
  return isNumber(literal) ? compareText(value, String(literal)) : undefined;
}

/**
 * Compares two values for sorting. Numbers come first, then booleans, then strings and all other values; missing
 * values and NaN come last. Values of the same type are compared with each other by size or by text.
 */
export function compareValues(a: DqlValue, b: DqlValue): number {
  const kind = rank(a) - rank(b);
  if (kind !== 0) return kind;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  return compareText(textOfValue(a), textOfValue(b));
}

function rank(value: DqlValue): number {
  if (value === null || (typeof value === "number" && Number.isNaN(value))) return 3;
  if (isNumber(value)) return 0;
  return typeof value === "boolean" ? 1 : 2;
}

/** Applies an arithmetic operator, such as `+`, to two values. */
export function arithmetic(op: string, a: DqlValue, b: DqlValue): DqlValue {
  if (!isNumber(a) || !isNumber(b)) return null;
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (op === "+") return signed(a + b);
    if (op === "-") return signed(a - b);
    if (op === "*") return signed(a * b);
    if (op === "%") return b === 0n ? null : a % b;
  }
  const [x, y] = [Number(a), Number(b)];
  switch (op) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return y === 0 ? null : x / y;
    case "%":
      return y === 0 ? null : x % y;
    default:
      return x ** y;
  }
}

function signed(value: bigint): bigint | number {
  return value >= least && value < signedEnd ? value : Number(value);
}

export function negated(value: DqlValue): DqlValue {
  return isNumber(value) ? (typeof value === "bigint" ? signed(-value) : -value) : null;
}
