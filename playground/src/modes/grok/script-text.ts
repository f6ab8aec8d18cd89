// Writes an expression as statements of a script, and puts them into a script.

import type { Expression } from "../../worker/grok/workbench.ts";

interface Definition {
  readonly name: string;
  readonly definition: string;
}

/** Returns a text as a literal of the script language, with escapes only where no other quotes can hold it. */
export function literalOf(text: string): string {
  if (!/[\\\n\r]/.test(text)) {
    if (!text.includes('"')) return `"${text}"`;
    if (!text.includes("'")) return `'${text}'`;
  }
  // Nothing is an escape between three quotes. Any three quotes in a row end such a text, of one kind or mixed.
  if (!/["']{3}|["']$|\r/.test(text)) return `"""${text}"""`;
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/** Returns the statements for an expression: own patterns that `script` does not define, and the call. */
export function statementsFor(
  { method, text, replacement, trim }: Expression,
  needed: readonly Definition[],
  script: string,
): readonly string[] {
  if (method === "match") return [`if match(${literalOf(text)}, _) {`, "}"];
  if (method === "replace") return [`replace(_, ${literalOf(text)}, ${literalOf(replacement)})`];
  const defined = new Set(Array.from(script.matchAll(/\badd_pattern\(\s*(["'])(.*?)\1/g), ([, , name]) => name));
  const definitions = needed
    .filter(({ name }) => !defined.has(name))
    .map(({ name, definition }) => `add_pattern(${literalOf(name)}, ${literalOf(definition)})`);
  return [...definitions, `grok(_, ${literalOf(text)}${trim ? "" : ", false"})`];
}

/**
 * Puts statements into a script: behind the comments and patterns with which it begins. Returns the new script, and the
 * number of the line of the last statement that was put in, from 1.
 */
export function withStatements(
  script: string,
  statements: readonly string[],
): { readonly text: string; readonly line: number } {
  const lines = script.split("\n");
  // The head ends behind its last pattern or empty line: a comment right above a statement belongs to the statement.
  let at = 0;
  let read = 0;
  for (; read < lines.length && /^(?:\s*$|#|add_pattern\(.*\)\s*$)/.test(lines[read]!); read++)
    if (!lines[read]!.startsWith("#")) at = read + 1;
  if (read === lines.length) {
    const head = script.trimEnd();
    const before = head === "" ? 0 : head.split("\n").length + 1;
    return {
      text: `${head}${head === "" ? "" : "\n\n"}${statements.join("\n")}\n`,
      line: before + statements.length,
    };
  }
  // An empty line that parts the head from the rest stays behind the statements.
  while (at > 0 && lines[at - 1]!.trim() === "") at--;
  return {
    text: [...lines.slice(0, at), ...statements, ...lines.slice(at)].join("\n"),
    line: at + statements.length,
  };
}
