// The text of an expression as a column is named by it (docs/reference/query.md#targets).

import type { Expr, Target } from "./ast.ts";

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
      // fill() is not seen.
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

/** What the column of a target is called: its alias, one given inside of fill(), or its text. */
export function nameOf({ expr, alias }: Target): string {
  if (alias !== null) return alias;
  const inner = expr.type === "call" && expr.name === "fill" ? expr.args[0] : undefined;
  return inner?.type === "aliased" ? inner.alias : textOf(expr);
}

/** Names in their order; a later one of the same text gets `_1`, `_2` behind it. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 1; taken.has(free); count++) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}
