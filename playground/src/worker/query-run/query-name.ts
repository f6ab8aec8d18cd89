// Writes names and values in the syntax of DQL.

import { dqlTextOf, parseConditions } from "../../../../lib/dql/index.ts";
import type { Cell, Wish } from "./asking.ts";

/**
 * Returns the name of a source or key in the syntax of DQL: unchanged, or in backquotes when it is no plain name, such
 * as `by` or `a b`.
 */
export function queryName(name: string): string {
  const quoted = name.includes("`") ? `\`identifier(${JSON.stringify(name)})\`` : `\`${name}\``;
  return isPlain(name) ? name : quoted;
}

function isPlain(name: string): boolean {
  if (!/^[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*$/.test(name)) return false;
  try {
    // When a reserved word is used as a name, the parser throws an error or does not read the name as a column. Such
    // names need backquotes.
    const [condition] = parseConditions(`${name} = 1`);
    return condition?.type === "bin" && condition.l.type === "col" && condition.l.name === name;
  } catch {
    return false;
  }
}

/** Returns the condition `key = value` or `key != value`; null when DQL cannot express the value. */
export function conditionOf(
  key: string,
  { kind, text, isCut = false }: Cell,
  wish: Exclude<Wish, "group">,
): string | null {
  const value = valueText(kind, text);
  return value === null || isCut ? null : `${queryName(key)} ${wish === "only" ? "=" : "!="} ${value}`;
}

function valueText(kind: Cell["kind"], text: string): string | null {
  switch (kind) {
    case "nil":
      return "nil";
    case "int":
    case "bool":
      return text;
    case "float":
      return Number.isFinite(Number(text)) ? text : null;
    case "string":
      return dqlTextOf({ type: "str", value: text, at: 0 });
    default:
      return null;
  }
}
