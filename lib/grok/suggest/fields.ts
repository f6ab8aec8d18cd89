// Aligns lines that look like the rows of a table: all have the same number of fields. Fields are separated by white
// space; text in quotes or brackets is one field. Each field is aligned separately. When the parts of a field differ
// between lines, the whole field becomes one token.

import { align, type Column } from "./align.ts";
import { classify, type Token } from "./tokens.ts";

/** Smallest number of fields in each line for which the lines can be rows of a table. */
const LEAST_FIELDS = 5;

/**
 * When at least this many neighbouring columns of aligned tokens contain words that differ between the
 * lines, the lines are probably sentences. They are then not reported as rows of a table (`isTable` is
 * false).
 */
const PROSE = 3;

/**
 * Smallest number of lines, and smallest number of fields in each line, for which the lines are reported as
 * certainly being rows of a table (unless they are probably sentences). Every column is then likely to be a
 * field of the log format.
 */
const TABLE = { lines: 3, fields: 8 } as const;

/**
 * Returns the columns of the lines: aligned field by field when the lines look like rows of a table,
 * otherwise aligned as a whole. `isTable` is true when the lines are certainly a table: they do not look
 * like sentences, and they have so many rows and fields that equal numbers of fields are no coincidence.
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
 * Returns whether at least `PROSE` neighbouring columns contain words that differ between the lines (at
 * least half of the tokens in each of these columns are words). The lines are then probably sentences that
 * happen to have the same number of words.
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
 * Aligns one field of the rows of a table when some rows have a lone `-` in place of the field's value.
 * `own` contains, for each row, the tokens of this field. The caller has made sure that all rows with a
 * value have the same punctuation in the field. So token number i of each row belongs in column number i; a
 * lone `-` is put into the first column. Returns the columns.
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
