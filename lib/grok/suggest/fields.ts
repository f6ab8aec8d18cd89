// Aligns lines that are rows of a table: lines with equally many fields between white space, where quotes and brackets
// hold a field together. Each field is aligned by itself. A field whose parts differ between lines becomes one token.

import { align, type Column } from "./align.ts";
import { classify, type Token } from "./tokens.ts";

/** Smallest number of fields of lines that count as rows. */
const LEAST_FIELDS = 5;

/** Number of columns of words side by side that make a sentence. */
const PROSE = 3;

/** Smallest number of lines and of fields of rows whose every field is taken for a field of the format. */
const TABLE = { lines: 3, fields: 8 } as const;

/**
 * Returns the columns of lines that are rows of a table; otherwise aligns the lines as a whole. `isTable` says that the
 * rows are too many and too long to be equal by accident.
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

/** Returns whether words that differ from line to line stand side by side, as in sentences of equal length. */
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

/** Returns the columns of a field that has one form: a line in which it misses has its `-` in the first column. */
function beside(own: readonly (readonly Token[])[]): Column[] {
  const width = Math.max(...own.map(({ length }) => length));
  return Array.from({ length: width }, (_, at) => own.map((tokens) => tokens[at] ?? null));
}

/** Returns the punctuation of a field, with a mark for each value. */
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
