// Changes the keys of one table in a TOML file. Everything else stays as the user wrote it, including comments.

import { parse, stringify } from "smol-toml";

export interface TableChange {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/**
 * Thrown when a table cannot be edited line by line: it is an inline table, has dotted keys, or contains a
 * string that spans several lines.
 */
export class NotEditable extends Error {}

/**
 * Sets and removes keys of a table and returns the new TOML file as a string. `table`: the dotted name of a table whose
 * values are strings. Throws NotEditable, or TomlError when the file is not TOML.
 */
export function editTable(text: string, table: string, { set, remove }: TableChange): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const expected = changed(parse(text), table.split("."), set, remove);
  const lines = text.split(/\r?\n/);
  const left = new Map(Object.entries(set));
  const header = lines.findIndex((line) => headerName(line) === table);
  if (header >= 0) {
    let end = header + 1;
    while (end < lines.length && headerName(lines[end]) === undefined) end++;
    const body: string[] = [];
    for (const line of lines.slice(header + 1, end)) {
      const key = keyOf(line);
      if (key !== undefined && remove.includes(key)) continue;
      const value = key === undefined ? undefined : left.get(key);
      if (key === undefined || value === undefined) body.push(line);
      else {
        body.push(assignment(key, value) + commentOf(line));
        left.delete(key);
      }
    }
    const last = body.findLastIndex((line) => line.trim() !== "") + 1;
    body.splice(last, 0, ...[...left].map(([key, value]) => assignment(key, value)));
    lines.splice(header + 1, end - header - 1, ...body);
  } else if (left.size > 0) {
    while (lines.at(-1)?.trim() === "") lines.pop();
    if (lines.length > 0) lines.push("");
    lines.push(`[${table}]`, ...[...left].map(([key, value]) => assignment(key, value)), "");
  }
  const result = lines.join(newline);
  if (!saysTheSame(result, expected)) {
    throw new NotEditable(`[${table}] is not written one key a line, change it by hand`);
  }
  return result;
}

function saysTheSame(text: string, expected: unknown): boolean {
  try {
    return stringify(parse(text)) === stringify(expected);
  } catch {
    return false;
  }
}

function changed(
  document: Record<string, unknown>,
  path: readonly string[],
  set: TableChange["set"],
  remove: readonly string[],
): Record<string, unknown> {
  const copy = structuredClone(document);
  let table = copy;
  for (const part of path) {
    if (typeof table[part] !== "object" || table[part] === null) {
      if (Object.keys(set).length === 0) return copy;
      table[part] = {};
    }
    table = table[part] as Record<string, unknown>;
  }
  for (const key of remove) delete table[key];
  for (const [key, value] of Object.entries(set)) {
    Object.defineProperty(table, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function headerName(line: string): string | undefined {
  const name = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
  return name?.replace(/["'\s]/g, "");
}

const keyText = /^\s*(?:([\w-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)')\s*=/;

function keyOf(line: string): string | undefined {
  const found = keyText.exec(line);
  if (found === null) return undefined;
  const [, bare, basic, literal] = found;
  if (basic !== undefined) return Object.keys(parse(`"${basic}" = 1`))[0];
  return bare ?? literal;
}

/** Returns the spaces and the comment that follow a value on its line. */
function commentOf(line: string): string {
  return /=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*')(\s*#.*)$/.exec(line)?.[1] ?? "";
}

function assignment(key: string, value: string): string {
  return stringify({ [key]: value }).trim();
}
