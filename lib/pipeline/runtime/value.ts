// The values of a script (docs/reference/language.md#values): their representation in JavaScript, type names, truth,
// and equality. Arithmetic and order are in arithmetic.ts, the conversion to a string in to-text.ts and json-text.ts.
// - int: a number while it is a safe integer, else a bigint
// - float: a Float
// - str: a string, or Bytes when it is not valid UTF-8
// - list: an array
// - map: a Map
// - nil: null
// - void (the "no result" of a function): VOID

import { Float } from "../../point/value.ts";
import { isBytes, type Text } from "../../text/bytes.ts";
import type { Integer } from "../../text/integer.ts";

export class Void {
  readonly isVoid = true;
}
export const VOID = new Void();

export type List = Value[];
export type Dict = Map<string, Value>;
/** A value of the script language. */
export type Value = Integer | Float | Text | boolean | List | Dict | null | Void;
export type TypeName = "int" | "float" | "bool" | "str" | "nil" | "list" | "map" | "void";

export type { Integer, Text };
export { Float };

/** Returns the name of the value's type as error messages write it. */
export function typeName(value: Value): TypeName {
  switch (typeof value) {
    case "number":
    case "bigint":
      return "int";
    case "string":
      return "str";
    case "boolean":
      return "bool";
  }
  if (value === null) return "nil";
  if (value instanceof Float) return "float";
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  if (value instanceof Void) return "void";
  return "str";
}

export function isText(value: unknown): value is Text {
  return typeof value === "string" || isBytes(value);
}

export function isInt(value: unknown): value is Integer {
  return typeof value === "number" || typeof value === "bigint";
}

export function isList(value: unknown): value is List {
  return Array.isArray(value);
}

export function isDict(value: unknown): value is Dict {
  return value instanceof Map;
}

/** Returns whether the value is nil or void. */
export function isNothing(value: Value): value is null | Void {
  return value === null || value === VOID;
}

export function textOf(text: Text): string {
  return typeof text === "string" ? text : text.toString();
}

/** Returns whether `if`, `for` and `!` treat the value as true (docs/reference/language.md#truth). */
export function truth(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "number":
      return value !== 0;
    case "bigint":
      return value !== 0n;
    case "string":
      return value !== "";
  }
  if (value === null || value === VOID) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Map) return value.size > 0;
  return (value as { length: number }).length > 0;
}

/**
 * Compares two values as the operator `==` does (docs/reference/language.md#comparison). The comparison never fails.
 */
export function equals(left: Value, right: Value): boolean {
  const a = asDouble(left);
  if (a !== undefined) return a === asDouble(right);
  if (left === right) return true;
  if (left === null) return false;
  if (left === VOID) return right === null;
  return same(left, right);
}

/**
 * Compares two values including their types at every level: int 1 and float 1.0 differ. Each pair of containers is
 * compared only once, so that the comparison also ends for values that contain themselves.
 */
export function same(left: Value, right: Value): boolean {
  const work: [Value, Value][] = [[left, right]];
  let seen: Map<object, Set<object>> | null = null;
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (a === null || b === null || typeof a !== "object" || typeof b !== "object") {
      if (isText(a) && isText(b) && textOf(a) === textOf(b)) continue;
      return false;
    }
    if (a instanceof Float) {
      if (b instanceof Float && a.value === b.value) continue;
      return false;
    }
    if (isBytes(a)) {
      if (isBytes(b) && textOf(a) === textOf(b)) continue;
      return false;
    }
    seen ??= new Map();
    const partners = seen.get(a) ?? new Set();
    if (partners.has(b)) continue;
    seen.set(a, partners.add(b));
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false;
      for (let at = a.length - 1; at >= 0; at--) work.push([a[at]!, b[at]!]);
    } else if (a instanceof Map) {
      if (!(b instanceof Map) || a.size !== b.size) return false;
      for (const [key, value] of a) {
        const other = b.get(key);
        if (other === undefined) return false;
        work.push([value, other]);
      }
    } else return false;
  }
  return true;
}

/**
 * Returns whether the list contains the value, as the operator `in` tests it (docs/reference/language.md#membership):
 * ints and floats match by their numeric value, all other values must have the same type.
 */
export function contains(list: List, wanted: Value): boolean {
  if (typeof wanted === "string") return list.some((item) => item === wanted || (isBytes(item) && same(item, wanted)));
  const number = isInt(wanted) ? Number(wanted) : wanted instanceof Float ? wanted.value : undefined;
  for (const item of list) {
    if (number === undefined) {
      if (same(item, wanted)) return true;
    } else if (isInt(item) ? sameInt(item, wanted) : item instanceof Float && item.value === number) return true;
  }
  return false;
}

/** Compares an int with an int or float: two ints exactly, an int and a float as doubles. */
function sameInt(item: Integer, wanted: Value): boolean {
  return wanted instanceof Float ? Number(item) === wanted.value : item === wanted;
}

function asDouble(value: Value): number | undefined {
  switch (typeof value) {
    case "number":
      return value;
    case "bigint":
    case "boolean":
      return Number(value);
  }
  return value instanceof Float ? value.value : undefined;
}

/** Compares two strings by their UTF-8 bytes. The byte order is also the order of the code points. */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) {
      const highA = a >= 0xd800 && a <= 0xdfff;
      const highB = b >= 0xd800 && b <= 0xdfff;
      return highA === highB ? a - b : highA ? 1 : -1;
    }
  }
  return left.length - right.length;
}
