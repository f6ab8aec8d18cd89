// Compares the value of a point with a literal of a condition (docs/reference/agent.md#filters). Numbers compare by
// value, whatever their types. Any other pair of different types is a conflict, and every comparison of such a pair is
// false.

import { Float, type PointValue, Uint } from "../point/value.ts";
import { isBytes } from "../text/bytes.ts";
import type { Integer } from "../text/integer.ts";
import { compareText } from "../text/utf8.ts";
import type { Literal } from "./ast.ts";

/** Returns the string of a string value; undefined for any other value. */
export function textOf(value: PointValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return isBytes(value) ? value.toString() : undefined;
}

export interface ComparisonOptions {
  /**
   * Whether the types of a value and a literal must match. An int is then compared only with an int literal, and a
   * float only with a float literal. A uint is then in conflict with every literal.
   */
  readonly strictTypes: boolean;
}

/**
 * Returns whether the value equals the literal; undefined when their types are in conflict. Two numbers are also equal
 * when they differ by at most 1e-9.
 */
export function isEqual(value: PointValue, literal: Literal, { strictTypes }: ComparisonOptions): boolean | undefined {
  if (typeof literal === "string") {
    const text = textOf(value);
    return text === undefined ? undefined : text === literal;
  }
  if (typeof literal === "boolean") return typeof value === "boolean" ? value === literal : undefined;
  const left = numberOf(value, literal, strictTypes);
  const right = literal instanceof Float ? literal.value : literal;
  if (left === undefined || right === null) return undefined;
  // The operators `<=` and `>=` compare a number with a bigint by value. So two numbers are equal when both
  // comparisons are true. NaN equals no number.
  if (left <= right && left >= right) return true;
  return typeof left === "number" && typeof right === "number" && Math.abs(left - right) <= 1e-9;
}

/**
 * Compares a value with a literal. Returns a number below, equal to or above 0 when the value is less than, equal to or
 * greater than the literal; undefined when their types are in conflict or have no order.
 */
export function order(value: PointValue, literal: Literal, { strictTypes }: ComparisonOptions): number | undefined {
  if (typeof literal === "string") {
    const text = textOf(value);
    return text === undefined ? undefined : compareText(text, literal);
  }
  if (typeof literal === "boolean" || literal === null) return undefined;
  const left = numberOf(value, literal, strictTypes);
  const right = literal instanceof Float ? literal.value : literal;
  if (left === undefined || Number.isNaN(left) || Number.isNaN(right)) return undefined;
  return left < right ? -1 : left > right ? 1 : 0;
}

function numberOf(value: PointValue, literal: Literal, strictTypes: boolean): Integer | undefined {
  if (typeof value === "number" || typeof value === "bigint") {
    return strictTypes && literal instanceof Float ? undefined : value;
  }
  if (value instanceof Float) return strictTypes && !(literal instanceof Float) ? undefined : value.value;
  return value instanceof Uint && !strictTypes ? value.value : undefined;
}
