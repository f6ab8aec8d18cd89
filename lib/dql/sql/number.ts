// Compares a database column of numbers with a literal, exactly. A literal that the database would round is first
// converted to the type of the column.

import type { Dialect } from "./dialect.ts";
import { type Fragment, raw, sql } from "./fragment.ts";
import { isNumeric, type StoredColumn } from "./stored-column.ts";

export type NumberOp = "=" | "<" | "<=" | ">" | ">=";

/** Returns an SQL condition that is false for missing values and NaN; returns null when the condition is never true. */
export function numberTest(
  column: StoredColumn,
  op: NumberOp,
  literal: number | bigint,
  dialect: Dialect,
): Fragment | null {
  if (!isNumeric(column) || Number.isNaN(literal)) return null;
  return column.kind === "float" ? floatTest(column, op, literal, dialect) : wholeTest(column, op, literal, dialect);
}

function wholeTest(column: StoredColumn, op: NumberOp, literal: number | bigint, dialect: Dialect): Fragment | null {
  const name = dialect.value(column);
  // A literal outside the range of all stored whole numbers is greater or less than each of them.
  if (literal > 2 ** 64) return op === "<" || op === "<=" ? sql`${name} IS NOT NULL` : null;
  if (literal < -(2 ** 63)) return op === ">" || op === ">=" ? sql`${name} IS NOT NULL` : null;
  if (op === "=") {
    if (typeof literal === "number" && !Number.isInteger(literal)) return null;
    return sql`${name} = ${dialect.whole(BigInt(literal))}`;
  }
  const isBelow = op === "<=" || op === ">";
  const bound = typeof literal === "bigint" ? literal : BigInt(isBelow ? Math.floor(literal) : Math.ceil(literal));
  return sql`${name} ${raw(op)} ${dialect.whole(bound)}`;
}

function floatTest(column: StoredColumn, op: NumberOp, literal: number | bigint, dialect: Dialect): Fragment | null {
  const name = dialect.value(column);
  const near = Number(literal);
  let exact: NumberOp = op;
  if (near > literal || near < literal) {
    // The literal is not a float, so no stored float equals it, and no float lies between it and the nearest float.
    if (op === "=") return null;
    if (op === "<" || op === "<=") exact = near > literal ? "<" : "<=";
    else exact = near > literal ? ">=" : ">";
  }
  // The database sorts NaN above all numbers, so NaN is excluded.
  return sql`(${name} ${raw(exact)} ${near} AND NOT ${dialect.isNan(name)})`;
}
