// Looks values up in another answer: IN of a sub-query, with_labels(), FILTER and LINK. Two values are equal as `=`
// compares a value and a literal (value.ts). To find equal values in one step, each value has a few text forms; two
// values are equal when they share a form.

import type { JoinPair } from "../semantics/join.ts";
import { type StepBudget, stepped } from "../semantics/step-budget.ts";
import type { AnswerSeries } from "./evaluate.ts";
import { type DqlValue, isList, isNumber, numberIn, textOfValue } from "./values/value.ts";

/** One row of the other answer. */
export interface OtherRow {
  /** Values of the row by its columns and tags, without the columns that the row was looked up by. */
  readonly values: ReadonlyMap<string, DqlValue>;
}

export interface JoinedRows {
  /** Columns that LINK adds to a row, in the order of the other answer. */
  readonly columns: readonly string[];
  /** Returns the newest row whose columns equal all of these values; undefined when there is none. */
  readonly find: (own: readonly DqlValue[]) => OtherRow | undefined;
}

/** Returns a test whether a value equals one of these values. */
export function membershipOf(values: readonly DqlValue[]): (value: DqlValue) => boolean {
  const known = new Set(values.flatMap(otherForms));
  return (value) => ownForms(value).some((form) => known.has(form));
}

/** Indexes the rows of the other answer by its columns `pairs[...].other`. */
export function joinedRows(series: readonly AnswerSeries[], pairs: readonly JoinPair[], work: StepBudget): JoinedRows {
  const keys = new Set(pairs.map(({ other }) => other));
  const columns = new Set<string>();
  const rows: { readonly time: number; readonly key: readonly DqlValue[]; readonly row: OtherRow }[] = [];
  for (const { columns: named, tags, values } of series) {
    for (const name of [...named.slice(1), ...(tags?.keys() ?? [])]) if (!keys.has(name)) columns.add(name);
    for (const row of stepped(values, work)) {
      const all = new Map<string, DqlValue>([...(tags ?? []), ...named.map((name, at) => [name, row[at]!] as const)]);
      const key = pairs.map(({ other }) => all.get(other) ?? null);
      for (const name of ["time", ...keys]) all.delete(name);
      rows.push({ time: row[0] === null ? Number.NEGATIVE_INFINITY : Number(row[0]), key, row: { values: all } });
    }
  }
  // The sort is stable, so that the first of several rows with one time stays first.
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

/** Returns every combination of one form of each value; none when a value has no form. */
function combined(forms: readonly (readonly string[])[]): string[] {
  let made: (readonly string[])[] = [[]];
  for (const each of forms) made = made.flatMap((before) => each.map((form) => [...before, form]));
  return made.map((each) => (each.length === 1 ? each[0]! : JSON.stringify(each)));
}

/**
 * Returns the text forms of the value that is compared: a number only gets forms of numbers, any other value the form
 * of its text.
 */
function ownForms(value: DqlValue): readonly string[] {
  if (value === null) return [];
  if (isList(value)) return value.flatMap(ownForms);
  return isNumber(value) ? numberForms(value) : [`t${textOfValue(value)}`];
}

/**
 * Returns the text forms of a value that may stand for a literal: a text that looks like a number also gets the forms
 * of this number.
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
