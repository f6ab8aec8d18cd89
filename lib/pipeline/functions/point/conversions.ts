// Conversions between the types of script values, and the functions that only convert
// (docs/reference/function-rules.md#reference-tables).

import { fitsInt64, parseFloat64, parseInteger } from "../../../grok/number-text.ts";
import { Float } from "../../../point/value.ts";
import { type Integer, integer } from "../../../text/integer.ts";
import type { Memory } from "../../runtime/memory.ts";
import { writeKey } from "../../runtime/point-access.ts";
import { registerOperation } from "../../runtime/tape-operations.ts";
import { toText } from "../../runtime/to-text.ts";
import { isInt, isText, textOf, type Value, VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { isKeyNode, KEY } from "../nodes.ts";

const LOWEST = -9223372036854775808n;
export const TRUE_TEXT = /^(?:1|t|T|TRUE|true|True)$/;

/**
 * Returns the value as a number (docs/reference/function-rules.md#to-float). Returns undefined for nil, a list, a map,
 * and a string that is not a number; the language treats these values as 0.
 */
export function numberOf(value: Value): number | undefined {
  if (isInt(value)) return Number(value);
  if (value instanceof Float) return value.value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return isText(value) ? parseFloat64(textOf(value)) : undefined;
}

/** Truncates a number toward zero. Numbers beyond 64 bits and NaN become the lowest int. */
export function truncate(value: number): Integer {
  if (Number.isSafeInteger(Math.trunc(value))) return Math.trunc(value) + 0;
  return value >= -(2 ** 63) && value < 2 ** 63 ? integer(BigInt(Math.trunc(value))) : LOWEST;
}

/**
 * Converts a value to an int (docs/reference/function-rules.md#to-int): ints and decimal strings exactly, all other
 * values through a float.
 */
export function toInt(value: Value): Integer {
  if (isInt(value)) return value;
  if (isText(value)) {
    const exact = parseInteger(textOf(value), 10);
    if (exact !== undefined && fitsInt64(exact)) return integer(exact);
  }
  return truncate(numberOf(value) ?? 0);
}

/**
 * Converts a value to an int (docs/reference/function-rules.md#to-int). The result for a string of many digits is not
 * limited to 64 bits.
 */
export function toIntLenient(value: Value): bigint {
  if (isInt(value)) return BigInt(value);
  if (!isText(value)) return BigInt(truncate(numberOf(value) ?? 0));
  const text = textOf(value);
  const exact = parseInteger(text.replace(/\.0+$/, ""), 0);
  return exact ?? BigInt(truncate(parseFloat64(text) ?? 0));
}

/** Converts a value to a bool (docs/reference/function-rules.md#to-bool). */
export function toBool(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (isInt(value)) return BigInt(value) !== 0n;
  if (value instanceof Float) return value.value !== 0;
  return isText(value) && TRUE_TEXT.test(textOf(value));
}

type Convert = (value: Value, memory: Memory) => Value;

const CASTS: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ["bool", toBool],
  ["int", toInt],
  ["float", (value) => new Float(numberOf(value) ?? 0)],
  ["str", toText],
  ["string", toText],
]);

export const cast = declare({
  name: "cast",
  summary: "Converts a key's value to another type.",
  params: [KEY, { name: "dst_type", type: "str", summary: "a literal: bool, int, float, str or string" }],
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func `cast' expected 2 args" },
  examples: [
    { script: `json(_, n); cast(n, "str")`, input: `{"n": 1}`, gives: { n: "1" } },
    { script: `add_key(k, "12"); cast(k, "int")`, input: "x", gives: { k: 12 } },
  ],
  bind(call) {
    const [node, type] = [call.arg(0), call.arg(1)];
    if (!isKeyNode(node)) call.fail(`expect StringLiteral or Identifier or AttrExpr, got ${node?.kind}`, type);
    if (type?.kind !== "StringLiteral") return call.fail(`param type expect StringLiteral, got \`${type?.kind}'`, type);
    const convert = CASTS.get(type.value);
    if (convert === undefined) return call.fail(`unsupported data type: ${type.value}`, type);
    const { key, mayBeVariable, read } = call.key(0);
    const operation = convert === toInt && !mayBeVariable ? ({ code: "castInt", key } as const) : null;
    return registerOperation(operation, (run) => {
      const value = read(run);
      if (value !== undefined) writeKey(run, key, convert(value, run.memory));
      return VOID;
    });
  },
});

/** Converts up to 15 decimal digits to a number; returns -1 when the text contains another character or is empty. */
function digitsOf(text: string): number {
  let value = text.length === 0 ? -1 : 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

export const parseInt64 = declare({
  name: "parse_int",
  summary: "Reads an integer in a base; 0 for a text that is none, the nearest bound beyond 64 bits.",
  params: [
    { name: "val", type: "str", summary: "digits with an optional sign" },
    { name: "base", type: "int", summary: "2 to 36, or 0 to go by the prefix" },
  ],
  returns: "int",
  style: "named",
  examples: [{ script: `add_key(r, parse_int("1f", 16))`, input: "x", gives: { r: 31 } }],
  bind(call) {
    const [val, base] = [call.value(0), call.value(1)];
    const node = call.arg(1);
    if (node?.kind === "IntLiteral" && node.value !== 0 && (node.value < 2 || node.value > 36))
      call.warn(`base must be 0 or in [2, 36], with ${node.value} the result is 0`, node);
    return (run) => {
      const [text, radix] = [val(run), base(run)];
      if (!isText(text) || !isInt(radix)) return 0;
      const numeric = Number(radix);
      if (numeric !== 0 && (numeric < 2 || numeric > 36)) return 0;
      if (numeric === 10 && text.length < 16) {
        const short = digitsOf(textOf(text));
        if (short >= 0) return short;
      }
      const value = parseInteger(textOf(text), numeric) ?? 0n;
      if (fitsInt64(value)) return integer(value);
      return value > 0n ? 9223372036854775807n : LOWEST;
    };
  },
});

export const formatInt = declare({
  name: "format_int",
  summary: "Writes an integer in a base; empty text for what is no integer.",
  params: [
    { name: "val", type: "int", summary: "the integer" },
    { name: "base", type: "int", summary: "2 to 36" },
  ],
  returns: "str",
  style: "named",
  examples: [{ script: `add_key(r, format_int(255, 16))`, input: "x", gives: { r: "ff" } }],
  bind(call) {
    const [val, base] = [call.value(0), call.value(1)];
    const node = call.arg(1);
    if (node?.kind === "IntLiteral" && (node.value < 2 || node.value > 36))
      call.warn(`base must be in [2, 36], with ${node.value} the run ends here`, node);
    return (run) => {
      const [value, radix] = [val(run), base(run)];
      if (!isInt(value) || !isInt(radix)) return "";
      if (radix < 2 || radix > 36)
        throw call.runFailure(`format_int: base must be in [2, 36], got ${radix}`, call.arg(1));
      return value.toString(Number(radix));
    };
  },
});

export const conversionFunctions: readonly Declaration[] = [cast, parseInt64, formatInt];
