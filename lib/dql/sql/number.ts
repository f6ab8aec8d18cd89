// Comparing columns of numbers with a number, exactly: what the database would round first is put into the column's own kind here.

import type { Dialect } from "./dialect.ts";
import { type Fragment, raw, sql } from "./fragment.ts";
import { isNumeric, type StoredColumn } from "./stored-column.ts";

export type NumberOp = "=" | "<" | "<=" | ">" | ">=";

/** A condition that is false for nothing, and for what is no number; null where it is never true. */
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
  // What is beyond all whole numbers that are stored is above or below each.
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
    // Between the literal and the nearest float there is no other.
    if (op === "=") return null;
    if (op === "<" || op === "<=") exact = near > literal ? "<" : "<=";
    else exact = near > literal ? ">=" : ">";
  }
  // What is no number is above all numbers there.
  return sql`(${name} ${raw(exact)} ${near} AND NOT ${dialect.isNan(name)})`;
}
