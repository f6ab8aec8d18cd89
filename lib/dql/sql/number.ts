// Compares a database column of numbers with a literal, exactly. A literal that the database would round is first
// converted to the type of the column.

import type { Dialect } from "./dialect.ts";
import { type Fragment, raw, sql } from "./fragment.ts";
import { isNumeric, type StoredColumn } from "./stored-column.ts";

export type NumberOp = "=" | "<" | "<=" | ">" | ">=";

/**
 * Returns an SQL condition that compares a column of numbers with a literal. The condition is never true for
 * missing values and NaN. Returns null when no value at all can fulfil the condition.
 */
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
  // A literal outside the range of stored whole numbers is greater than all of them or less than all of them, so the
  // result is the same for every value.
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
    // No float is equal to this literal, so `=` is never true. The other operators compare with the float that is
    // nearest to the literal. Their results are the same as for the literal itself, because no other float lies
    // between the two.
    if (op === "=") return null;
    if (op === "<" || op === "<=") exact = near > literal ? "<" : "<=";
    else exact = near > literal ? ">=" : ">";
  }
  // The database treats NaN as greater than all numbers, so `>` and `>=` alone would be true for a stored NaN. The
  // second part of the condition excludes NaN.
  return sql`(${name} ${raw(exact)} ${near} AND NOT ${dialect.isNan(name)})`;
}
