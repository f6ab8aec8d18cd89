// Aligns lines that look like the rows of a table: all have the same number of fields. Fields are separated by white
// space; text in quotes or brackets is one field. Each field is aligned separately. When the parts of a field differ
// between lines, the whole field becomes one token.

import { align, type Column } from "./align.ts";
import { classify, type Token } from "./tokens.ts";

/** Smallest number of fields in each line for which the lines can be rows of a table. */
const LEAST_FIELDS = 5;

/**
 * Smallest number of neighbouring columns, with words that change from line to line, for which the lines are
 * treated as sentences.
 */
const PROSE = 3;

/**
 * Smallest number of lines, and smallest number of fields in each line, for which the lines are certainly rows
 * of a table. Every column is then a field of the log format.
 */
const TABLE = { lines: 3, fields: 8 } as const;

/**
 * Returns the columns of the lines: aligned field by field when the lines look like rows of a table, otherwise aligned
 * as a whole. `isTable` is true when the lines are certainly a table: there are so many rows and fields that equal
 * numbers of fields are no coincidence.
 */
export function columnsOf(lines: readonly (readonly Token[])[]): { columns: Column[]; isTable: boolean } {
  const rows = lines.map(fieldsOf);
  const [first] = rows as [Token[][]];
  if (first.length < LEAST_FIELDS || rows.some(({ length }) => length !== first.length))
    return { columns: align(lines), isTable: false };
  const columns = first.flatMap((_, field) => {
    const own = rows.map((row) => row[field] as Token[]);
    const forms = new Set(own.filter((tokens) => !isMissing(tokens)).map(formOf));
    const isOneForm = forms.size <= 1 || own.some(([token]) => token?.kind === "fixed" && /^["'[]$/.test(token.text));
    const hasKeys = own.every(([token]) => token?.kind === "key");
    if (forms.size === 1 && own.some(isMissing)) return beside(own);
    return align(isOneForm || hasKeys ? own : own.map(joined));
  });
  return { columns, isTable: lines.length >= TABLE.lines && first.length >= TABLE.fields && !hasProse(columns) };
}

/**
 * Returns whether several neighbouring columns contain words that differ between the lines. The lines are then
 * probably sentences that happen to have the same number of words.
 */
function hasProse(columns: readonly Column[]): boolean {
  let run = 0;
  return columns.some((column) => {
    const texts = column.flatMap((token) => (token === null ? [] : [token.text]));
    const words = texts.filter((text) => /^[A-Za-z][a-z']*$/.test(text)).length;
    run = new Set(texts).size > 1 && 2 * words >= texts.length ? run + 1 : 0;
    return run >= PROSE;
  });
}

function fieldsOf(tokens: readonly Token[]): Token[][] {
  const fields: Token[][] = [];
  let closing: string[] = [];
  for (const token of tokens) {
    if (fields.length === 0 || (token.before !== "" && closing.length === 0)) fields.push([]);
    fields.at(-1)?.push(token);
    if (token.kind !== "fixed") continue;
    if (token.text === closing.at(-1)) closing = closing.slice(0, -1);
    else if (token.text === "[") closing.push("]");
    else if (token.text === '"' || token.text === "'") closing.push(token.text);
  }
  return fields;
}

function isMissing([first, ...others]: readonly Token[]): boolean {
  return others.length === 0 && first?.kind === "missing";
}

/**
 * Returns the columns for one field of a table in which some lines have a `-` in place of a value. `own`
 * contains, for each line, the tokens of this field. All lines with a value have the same punctuation in the
 * field, so token number i of each line is put into column number i. A lone `-` is put into the first column.
 */
function beside(own: readonly (readonly Token[])[]): Column[] {
  const width = Math.max(...own.map(({ length }) => length));
  return Array.from({ length: width }, (_, at) => own.map((tokens) => tokens[at] ?? null));
}

/** Returns the spaces and punctuation of a field, with a placeholder for each value. */
function formOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ kind, text, before }) => `${before}${kind === "fixed" || kind === "key" ? text : "\0"}`)
    .join("");
}

function joined(tokens: readonly Token[]): Token[] {
  const [first] = tokens as [Token];
  const text = tokens.map(({ before, text: own }, at) => (at === 0 ? own : before + own)).join("");
  return tokens.length === 1 ? [first] : [{ kind: classify(text), text, start: first.start, before: first.before }];
}
