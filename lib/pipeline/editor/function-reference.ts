// Writes the reference of the built-in functions from their declarations, as one page of Markdown and as text for a
// terminal.

import { shownValue } from "../../point/changes.ts";
import { Float, type PointValue } from "../../point/value.ts";
import { refuse } from "../../text/argument.ts";
import type { Example } from "../functions/declare.ts";
import type { FunctionDoc } from "./function-docs.ts";

/**
 * Returns the signature of a function, such as `grok(input, pattern, [trim_space]) → bool`.
 *
 * @example
 * signature(functionDocs().find(({ name }) => name === "grok")!); // "grok(input, pattern, [trim_space]) → bool"
 */
export function signature(doc: FunctionDoc): string {
  requireDoc("signature", doc);
  const { name, params, returns } = doc;
  const list = params.map((param) => (param.optional ? `[${param.name}]` : param.name)).join(", ");
  return `${name}(${list})${returns === undefined ? "" : ` → ${returns}`}`;
}

/**
 * Returns the whole function reference in Markdown.
 *
 * @example
 * functionReference(functionDocs()).split("\n")[0]; // "# Functions of the script language"
 */
export function functionReference(docs: readonly FunctionDoc[]): string {
  if (!Array.isArray(docs)) refuse("functionReference", "docs", "an array, as functionDocs returns it", docs);
  for (const doc of docs as readonly FunctionDoc[]) requireDoc("functionReference", doc);
  const index = docs.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${cell(summary)} |`);
  return [
    "# Functions of the script language",
    "",
    "Written by `npm run docs` from the declarations in `lib/pipeline/functions`; each example runs as a test.",
    "",
    "| Function | |",
    "|---|---|",
    ...index,
    "",
    docs.map(section).join("\n"),
  ].join("\n");
}

function section(doc: FunctionDoc): string {
  const { name, aliases, summary, params, examples } = doc;
  const lines = [`## ${name}`, "", `\`${signature(doc)}\``, "", summary, ""];
  if (aliases.length > 0) lines.push(`Also as ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`, "");
  if (params.length > 0) {
    lines.push("| Parameter | Type | |", "|---|---|---|");
    for (const { name: param, type, optional, summary: about } of params)
      lines.push(`| \`${param}\` | ${optional ? `${type}, optional` : type} | ${cell(about)} |`);
    lines.push("");
  }
  for (const example of examples) lines.push(...block(example), "");
  return lines.join("\n");
}

/** Returns a Markdown code block. Its fence is longer than any run of backticks inside the block. */
function block({ script, input, gives }: Example): string[] {
  const results = resultLines(gives);
  const text = [
    script,
    "",
    ...input.split("\n").map((line) => `# in:   ${line}`),
    ...results.map((line) => `# out:  ${line}`),
  ];
  const longest = Math.max(2, ...[...text.join("\n").matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}python`, ...text, fence];
}

function resultLines(gives: Example["gives"]): string[] {
  const lines = Object.entries(gives).map(([key, value]) =>
    value === undefined ? `${key} is removed` : `${key} = ${shownValue(pointValue(value))}`,
  );
  return lines.length === 0 ? ["nothing changes"] : lines;
}

/**
 * Converts a value of a documented example to a point's value for display. In examples, a number with a fraction is a
 * float, and a whole number is an int.
 */
function pointValue(value: string | number | boolean | null): PointValue {
  return typeof value === "number" && !Number.isInteger(value) ? new Float(value) : value;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/**
 * Returns the documentation of one function as text for a terminal.
 *
 * @example
 * functionText(functionDocs().find(({ name }) => name === "drop")!).split("\n")[0]; // "drop()"
 */
export function functionText(doc: FunctionDoc): string {
  requireDoc("functionText", doc);
  const { aliases, summary, params, examples } = doc;
  const width = Math.max(0, ...params.map(({ name }) => name.length));
  const lines = [signature(doc), "", summary];
  if (aliases.length > 0) lines.push("", `Also as ${aliases.join(", ")}.`);
  if (params.length > 0) lines.push("");
  for (const { name, type, optional, summary: about } of params)
    lines.push(`  ${name.padEnd(width)}  ${optional ? `${type}, optional` : type}: ${about}`);
  for (const { script, input, gives } of examples) {
    lines.push("", ...script.split("\n").map((line) => `    ${line}`));
    lines.push(...input.split("\n").map((line) => `      in   ${line}`));
    lines.push(...resultLines(gives).map((line) => `      out  ${line}`));
  }
  return `${lines.join("\n")}\n`;
}

function requireDoc(call: string, doc: unknown): void {
  const { name, aliases, summary, params, examples } = (doc ?? {}) as Partial<Record<keyof FunctionDoc, unknown>>;
  const isDoc =
    typeof name === "string" && typeof summary === "string" && [aliases, params, examples].every(Array.isArray);
  if (!isDoc) refuse(call, "doc", "the documentation of a function, as functionDocs returns it", doc);
}
