// Writes an expression as statements of a script, and inserts statements into a script.

import type { Expression } from "../../worker/grok/workbench.ts";

interface Definition {
  readonly name: string;
  readonly definition: string;
}

/**
 * Returns a text as a string literal of the script language. Escapes are used only when the text cannot be
 * written unchanged in any kind of quotes.
 */
export function literalOf(text: string): string {
  if (!/[\\\n\r]/.test(text)) {
    if (!text.includes('"')) return `"${text}"`;
    if (!text.includes("'")) return `'${text}'`;
  }
  // A string between triple quotes has no escapes. Three quotes in a row end such a string, even when they are of
  // different kinds.
  if (!/["']{3}|["']$|\r/.test(text)) return `"""${text}"""`;
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/**
 * Returns the statements that use the expression: first the definitions of the project's patterns that the expression
 * needs and `script` lacks, then the call of the script function (such as `grok`).
 */
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
 * Inserts statements into a script, after the comments and patterns at its beginning. Returns the new script, and the
 * line number, from 1, of the last inserted statement.
 */
export function withStatements(
  script: string,
  statements: readonly string[],
): { readonly text: string; readonly line: number } {
  const lines = script.split("\n");
  // The beginning of the script (comments, patterns, empty lines) ends after its last pattern or empty line. Comments
  // after that line describe the first statement.
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
  // Inserts the statements before the empty lines that end the beginning of the script, so that these lines separate
  // the statements from the rest of the script.
  while (at > 0 && lines[at - 1]!.trim() === "") at--;
  return {
    text: [...lines.slice(0, at), ...statements, ...lines.slice(at)].join("\n"),
    line: at + statements.length,
  };
}
