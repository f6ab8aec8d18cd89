// Reads the files of reference tables of a project (scripts, inputs and settings of the user) by the rules of
// docs/reference/function-rules.md#reference-tables. The errors of the library name a wrong table and its row; this
// file finds their positions in the text.

import { parseReferTables, ReferTables, type TableData, type TableLookup } from "../../../../lib/index.ts";
import { t } from "../../text/translate.ts";
import { membersOf, type Span, spanAt } from "./json-spans.ts";
import type { ReadFile, TableFile, TableNote } from "./table-files.ts";

export interface ReadTables {
  /** The tables of every file that has no error; null when there are no such tables. */
  readonly lookup: TableLookup | null;
  readonly files: readonly ReadFile[];
}

/** Reads files of reference tables. When several tables have the same name, the first one is used. */
export function readTables(files: readonly TableFile[]): ReadTables {
  const data: TableData[] = [];
  /** The file of each table, by the name of the table. */
  const origins = new Map<string, string>();
  const read = files.map(({ name, text }) => {
    const loaded = parseReferTables(encoder.encode(text));
    if ("errors" in loaded) return { name, tables: [], notes: faultsOf(text, loaded.errors) };
    const notes: TableNote[] = [];
    for (const { from } of membersOf(text, spanAt(text, []).from)) {
      const place = spanAt(text, ["table_name"], from);
      const table = JSON.parse(text.slice(place.from, place.to)) as string;
      const origin = origins.get(table);
      if (origin === undefined) origins.set(table, name);
      else {
        const message =
          origin === name
            ? t("there is a table {table} above, which counts: this one is not used", { table: shown(table) })
            : t("there is a table {table} in {file}, which counts: this one is not used", {
                ...{ table: shown(table), file: origin },
              });
        notes.push({ severity: "warning", message, ...place });
      }
    }
    const tables = loaded.tables.filter((table) => origins.get(table.name) === name);
    data.push(...tables);
    return { name, tables: tables.map(summaryOf), notes };
  });
  return { lookup: data.length === 0 ? null : new ReferTables(data), files: read };
}

const encoder = new TextEncoder();

function summaryOf({ name, rowCount, columns }: TableData): ReadFile["tables"][number] {
  return { name, rowCount, columns: columns.map((column) => ({ name: column.name, kind: column.kind })) };
}

/** Returns the errors of a text that the library has refused with `errors`, each with its position in the text. */
function faultsOf(text: string, errors: readonly string[]): TableNote[] {
  // Each table is parsed separately. The errors of a whole document would not say in which of several tables they
  // are.
  const faults: TableNote[] = [];
  const list = spanAt(text, []).from;
  for (const { from, to } of text[list] === "[" ? membersOf(text, list) : []) {
    const loaded = parseReferTables(encoder.encode(`[${text.slice(from, to)}]`));
    const [message] = "errors" in loaded ? loaded.errors : [];
    if (message !== undefined && !isWholeDocument(message))
      faults.push({ severity: "error", message: explained(message), ...ruleSpan(text, from, message) });
  }
  const whole = errors.filter(isWholeDocument);
  // A text may have two errors: a wrong table, and after it a place that is no valid JSON. The library reports
  // only the second error.
  const notes = whole.map((message) => ({ severity: "error" as const, message, ...wholeSpan(text, message) }));
  const all = whole.length > 0 ? notes : faults;
  // When no error has a position, all errors of the library are shown at the beginning of the text.
  return all.length > 0
    ? all
    : errors.map((message) => ({ severity: "error", message, ...trimmed(text, spanAt(text, [])) }));
}

/** Returns whether an error is about the text as a whole: it is no JSON, or no list of tables. */
function isWholeDocument(message: string): boolean {
  return !message.startsWith("table: ");
}

function wholeSpan(text: string, message: string): Span {
  const byte = / at byte (\d+)$/.exec(message)?.[1];
  if (byte !== undefined) {
    const from = indexOfByte(text, Number(byte));
    return { from, to: Math.min(text.length, from + 1) };
  }
  if (message.startsWith("unexpected end")) {
    const to = text.trimEnd().length;
    return { from: Math.max(0, to - 1), to };
  }
  const [, number, member] = /^table (\d+) of the document: (?:(\w+) )?must be/.exec(message) ?? [];
  if (number === undefined) return trimmed(text, spanAt(text, []));
  const table = Number(number) - 1;
  return trimmed(text, spanAt(text, member === undefined ? [table] : [table, member]));
}

/** Returns the UTF-16 index in the text of the character that begins at offset `byte` of the text in UTF-8. */
function indexOfByte(text: string, byte: number): number {
  const room = new Uint8Array(byte);
  return encoder.encodeInto(text, room).read;
}

const kinds = ["int", "float", "string", "bool"];

/**
 * Returns the range of the text that is wrong according to `message`, an error message of the library about one table.
 * `from`: the index in the text at which this table begins.
 */
function ruleSpan(text: string, from: number, message: string): Span {
  const rule = ruleOf(message);
  const at = (...path: readonly (string | number)[]) => trimmed(text, spanAt(text, path, from));
  const numbers = (pattern: RegExp) => pattern.exec(rule)?.slice(1).map(Number);
  const cell = numbers(/^row: (\d+), col: (\d+), cast error/);
  if (cell !== undefined) return at("row_data", ...cell);
  const row = numbers(/^col: (\d+), error: len/);
  if (row !== undefined) return at("row_data", ...row);
  const unnamed = numbers(/^column: \[.*\], index: (\d+), value: ""$/s);
  if (unnamed !== undefined) return at("column_name", ...unnamed);
  if (rule.startsWith("error: empty table name")) return at("table_name");
  if (rule.startsWith("error: no columns")) return at("column_name");
  if (rule.startsWith("error: len")) return at("column_type");
  const isRepeated = rule.startsWith("error: duplicate column: ");
  const member = isRepeated ? "column_name" : "column_type";
  const place = spanAt(text, [member], from);
  const seen = new Set<string>();
  for (const element of membersOf(text, place.from)) {
    const value = text.slice(element.from, element.to);
    const isWrong = isRepeated ? seen.has(value) : !kinds.includes(JSON.parse(value) as string);
    if (isWrong) return element;
    seen.add(value);
  }
  return trimmed(text, place);
}

/** Returns the part of an error message after the name of the table; the whole message when it names no table. */
function ruleOf(message: string): string {
  const [, rule = message] =
    /^table: .*?, ((?:row: \d+, col: \d+, cast error: |col: \d+, error: len|column: \[|unsupported column type: |error: ).*)$/s.exec(
      message,
    ) ?? [];
  return rule;
}

/**
 * Returns an error message of the library, followed by an explanation when the message is hard to understand. (The
 * library takes the wording of these messages from another program.)
 */
function explained(message: string): string {
  const rule = ruleOf(message);
  if (/^col: \d+, error: len/.test(rule))
    return `${message}: ${t("the row has more or fewer cells than there are columns")}`;
  if (rule.startsWith("error: len")) return `${message}: ${t("there are more or fewer types than columns")}`;
  if (rule.startsWith("unsupported column type")) return `${message}: ${t("a type is int, float, string or bool")}`;
  return message;
}

/** Shortens a range to its first line, because an underline over many lines does not help the user. */
function trimmed(text: string, { from, to }: Span): Span {
  const end = text.indexOf("\n", from);
  return { from, to: end < 0 ? to : Math.min(to, end) };
}

function shown(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
