// Finds facts about the targets (output columns) of a query: whether their result is raw rows, aggregates or
// chosen rows, and which stored columns they read.

import type { Call, Expr } from "../syntax/ast.ts";
import { hasAggregate } from "./arguments.ts";
import { functionOf } from "./functions.ts";
import type { OutputColumn, ResolvedQuery } from "./resolve.ts";

export type QueryShape = "raw" | "aggregate" | "rows" | "transform";

export function shapeOf({ columns }: ResolvedQuery): QueryShape {
  const kinds = columns.flatMap(({ expr }) => outerCalls(expr)).map(({ name }) => functionOf(name)?.kind);
  if (kinds.includes("rows")) return "rows";
  if (kinds.includes("transform")) return "transform";
  return columns.some(({ expr }) => hasAggregate(expr)) ? "aggregate" : "raw";
}

export function isTime(expr: OutputColumn["expr"]): boolean {
  return expr.type === "col" && expr.name === "time";
}

/** Returns the targets (output columns) of a query except `time`, which every answer has. */
export function valueColumns({ columns }: ResolvedQuery): readonly OutputColumn[] {
  return columns.filter(({ expr }) => !isTime(expr));
}

/** Returns the names of the stored columns that the targets (output columns) of a query read. */
export function columnsRead(columns: readonly OutputColumn[]): string[] {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, name } = node as { readonly type?: string; readonly name?: string };
    if (type === "col") names.add(name!);
    else for (const part of Object.values(node)) visit(part);
  };
  for (const { expr } of columns) visit(expr);
  return [...names];
}

/** Returns the names in the argument `fields=[...]` of distinct_by_collapse(). */
export function collapseFields({ args }: Call): string[] {
  const named = args.find((arg) => arg.type === "named" && arg.name === "fields");
  if (named?.type !== "named" || named.value.type !== "list") return [];
  return named.value.items.map((item) => (item.type === "col" ? item.name : item.type === "str" ? item.value : ""));
}

/** Returns the outermost calls of an expression: the calls that are not inside the arguments of another call. */
export function outerCalls(expr: Expr): readonly Call[] {
  switch (expr.type) {
    case "call":
      return [expr];
    case "bin":
      return [...outerCalls(expr.l), ...outerCalls(expr.r)];
    case "unary":
    case "paren":
      return outerCalls(expr.e);
    default:
      return [];
  }
}
