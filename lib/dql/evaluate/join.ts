// Looks up values in the answer of another query, for IN with a sub-query, with_labels(), FILTER and LINK.
// Values are compared as `=` compares a value with a literal (value.ts). So that one look-up finds all equal
// values, each value is turned into one or more strings, its text forms. Two values are equal when they have a
// text form in common.

import type { JoinPair } from "../semantics/join.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import type { AnswerSeries } from "./evaluate.ts";
import { type DqlValue, isList, isNumber, numberIn, textOfValue } from "./values/value.ts";

/** One row in the answer of the other query, which is the query inside a FILTER or LINK clause. */
export interface OtherRow {
  /**
   * Values of the row, indexed by the name of their column or tag. The column `time` is left out, and so are the
   * columns that must have equal values in both queries.
   */
  readonly values: ReadonlyMap<string, DqlValue>;
}

export interface JoinedRows {
  /** Names of the columns that LINK adds to each row, in the order in which the answer of the linked query has them. */
  readonly columns: readonly string[];
  /**
   * Finds the newest row in the answer of the other query (the query inside a FILTER or LINK clause) that has the
   * values `own` in the compared columns; undefined when no row has them.
   */
  readonly find: (own: readonly DqlValue[]) => OtherRow | undefined;
}

/** Returns a function that tests whether a value equals one of `values`. */
export function membershipOf(values: readonly DqlValue[]): (value: DqlValue) => boolean {
  const known = new Set(values.flatMap(otherForms));
  return (value) => ownForms(value).some((form) => known.has(form));
}

/**
 * Makes an index of the rows in the answer to the other query, the query inside a FILTER or LINK clause. `pairs` names
 * the columns that must be equal in both queries; the index finds a row by the values of these columns.
 */
export function joinedRows(series: readonly AnswerSeries[], pairs: readonly JoinPair[], work: StepBudget): JoinedRows {
  const keys = new Set(pairs.map(({ other }) => other));
  const columns = new Set<string>();
  const rows: { readonly time: number; readonly key: readonly DqlValue[]; readonly row: OtherRow }[] = [];
  for (const { columns: named, tags, values } of series) {
    for (const name of [...named.slice(1), ...(tags?.keys() ?? [])]) if (!keys.has(name)) columns.add(name);
    for (const row of countSteps(values, work)) {
      const all = new Map<string, DqlValue>([...(tags ?? []), ...named.map((name, at) => [name, row[at]!] as const)]);
      const key = pairs.map(({ other }) => all.get(other) ?? null);
      for (const name of ["time", ...keys]) all.delete(name);
      rows.push({ time: row[0] === null ? Number.NEGATIVE_INFINITY : Number(row[0]), key, row: { values: all } });
    }
  }
  // The sort is stable, so that rows with the same time keep their order.
  rows.sort((a, b) => {
    work(1);
    return a.time === b.time ? 0 : b.time - a.time;
  });
  const newest = new Map<string, { readonly at: number; readonly row: OtherRow }>();
  for (const [at, { key, row }] of rows.entries()) {
    const forms = combined(key.map(otherForms));
    work(forms.length);
    for (const form of forms) if (!newest.has(form)) newest.set(form, { at, row });
  }
  return {
    columns: [...columns],
    find: (own) => {
      const found = combined(own.map(ownForms)).flatMap((form) => newest.get(form) ?? []);
      return found.sort((a, b) => a.at - b.at)[0]?.row;
    },
  };
}

/**
 * Takes a list of text forms (strings for comparison) for each of several values. Returns one string for each
 * way of choosing one form of every value. Returns no strings when one of the values has no text forms.
 */
function combined(forms: readonly (readonly string[])[]): string[] {
  let made: (readonly string[])[] = [[]];
  for (const each of forms) made = made.flatMap((before) => each.map((form) => [...before, form]));
  return made.map((each) => (each.length === 1 ? each[0]! : JSON.stringify(each)));
}

/**
 * Returns the text forms (strings for comparison) of a value that is looked up. A number or a string has one
 * form; a list has the forms of its elements.
 */
function ownForms(value: DqlValue): readonly string[] {
  if (value === null) return [];
  if (isList(value)) return value.flatMap(ownForms);
  return isNumber(value) ? numberForms(value) : [`t${textOfValue(value)}`];
}

/**
 * Returns the text forms (strings for comparison) of a value in the other query's answer. The value is compared
 * like a literal in a filter, so a string that looks like a number also has the form of this number.
 */
function otherForms(value: DqlValue): readonly string[] {
  if (value === null) return [];
  const text = `t${textOfValue(value)}`;
  const number = typeof value === "string" ? numberIn(value) : value;
  return number !== undefined && isNumber(number) ? [text, ...numberForms(number)] : [text];
}

function numberForms(value: bigint | number): readonly string[] {
  if (typeof value === "number" && Number.isNaN(value)) return [];
  return [`n${Number.isInteger(value) ? BigInt(value) : value}`];
}
