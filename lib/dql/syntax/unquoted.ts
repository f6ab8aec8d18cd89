// Finds names without quotes on the right side of a comparison. They are read as strings, not as fields
// (docs/reference/query.md#filters).

import type { Expr } from "./ast.ts";
import { textOf } from "./text.ts";

export interface Unquoted {
  /** The source text directly before the name without quotes, such as `host =`. */
  readonly before: string;
  readonly name: string;
}

/**
 * Returns the names without quotes in the conditions; `source` is their source text. A name in backquotes is left out,
 * because the quotes show that its author means a string.
 */
export function unquotedValues(conditions: readonly Expr[], source: string): Unquoted[] {
  const found: Unquoted[] = [];
  const literal = (expr: Expr, before: string): void => {
    if (expr.type === "list") for (const item of expr.items) literal(item, before);
    if (expr.type === "col" && !/^(?:`|identifier\s*\()/i.test(source.slice(expr.at, expr.at + 20)))
      found.push({ before, name: expr.name });
  };
  const condition = (expr: Expr): void => {
    if (expr.type === "paren" || expr.type === "not") condition(expr.e);
    else if (expr.type === "in") literal(expr.r, `${textOf(expr.l)} ${expr.op}`);
    else if (expr.type === "bin" && (expr.op === "and" || expr.op === "or")) {
      condition(expr.l);
      condition(expr.r);
    } else if (expr.type === "bin") literal(expr.r, `${textOf(expr.l)} ${expr.op}`);
  };
  for (const each of conditions) condition(each);
  return found;
}
