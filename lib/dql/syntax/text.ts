// Writes an expression of a query as DQL. The result names the column of the expression in the answer
// (docs/reference/query.md#targets).

import type { Expr, Target } from "./ast.ts";

/**
 * Returns an expression as DQL.
 *
 * @example
 * const [condition] = parseConditions("load>5");
 * textOf(condition!); // "load > 5"
 */
export function textOf(expr: Expr): string {
  switch (expr.type) {
    case "col":
      return expr.name;
    case "star":
      return "*";
    case "num":
    case "dur":
      return expr.raw;
    case "str":
      return `'${expr.value.replace(/[\\']/g, "\\$&")}'`;
    case "bool":
      return String(expr.value);
    case "nil":
      return "nil";
    case "regex":
      return `re('${expr.value}')`;
    case "fillmode":
      return expr.value.toUpperCase();
    case "call":
      // fill() is not part of the column's name, so only the first argument of fill() is written.
      if (expr.name === "fill") return textOf(expr.args[0]!);
      return `${expr.name}(${expr.args.map(textOf).join(", ")})`;
    case "named":
      return `${expr.name}=${textOf(expr.value)}`;
    case "aliased":
      return textOf(expr.expr);
    case "list":
      return `[${expr.items.map(textOf).join(", ")}]`;
    case "bin":
      return `${textOf(expr.l)} ${expr.op} ${textOf(expr.r)}`;
    case "unary":
      return `${expr.op}${textOf(expr.e)}`;
    case "not":
      return `not ${textOf(expr.e)}`;
    case "in":
      return `${textOf(expr.l)} ${expr.op} ${textOf(expr.r)}`;
    case "paren":
      return `(${textOf(expr.e)})`;
    case "subquery":
      return "(...)";
  }
}

/**
 * Returns the name of the column that a target (output expression) makes. It is the alias of the target, if it
 * has one; else an alias inside fill(), if there is one; else the expression as DQL.
 */
export function nameOf({ expr, alias }: Target): string {
  if (alias !== null) return alias;
  const inner = expr.type === "call" && expr.name === "fill" ? expr.args[0] : undefined;
  return inner?.type === "aliased" ? inner.alias : textOf(expr);
}

/** Returns the names in their order and makes them unique: a repeated name gets `_1`, `_2` and so on appended. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 1; taken.has(free); count++) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}
