// Compares two answers: whole numbers exactly, floats with a relative tolerance of 1e-9.

import type { Answer, DqlValue } from "../../../../lib/dql/index.ts";

/** Returns a description of the first difference between the answers, or undefined when they are equal. */
export function differenceOf(one: Answer, other: Answer): string | undefined {
  if (one.totalHits !== other.totalHits) return `total hits ${one.totalHits} and ${other.totalHits}`;
  if (one.series.length !== other.series.length) return `${one.series.length} and ${other.series.length} series`;
  for (const [at, a] of one.series.entries()) {
    const b = other.series[at]!;
    const heads = [a, b].map(({ name, tags, columns }) =>
      JSON.stringify([name, tags === null ? null : [...tags], columns]),
    );
    if (heads[0] !== heads[1]) return `series ${at}: ${heads.join(" and ")}`;
    const marks = [a, b].map(({ highlights }) => JSON.stringify(highlights?.map((each) => each && [...each]) ?? null));
    if (marks[0] !== marks[1]) return `series ${at}: highlights ${marks.join(" and ")}`;
    if (a.values.length !== b.values.length) return `series ${at}: ${a.values.length} and ${b.values.length} rows`;
    for (const [row, values] of a.values.entries()) {
      for (const [place, value] of values.entries()) {
        const found = b.values[row]![place]!;
        if (!sameValue(value, found))
          return `series ${at}, row ${row}, ${a.columns[place]}: ${shown(value)} and ${shown(found)}`;
      }
    }
  }
  const keys = [one, other].map(({ searchAfter }) => JSON.stringify(searchAfter?.map(String) ?? null));
  return keys[0] === keys[1] ? undefined : `search_after ${keys.join(" and ")}`;
}

function sameValue(a: DqlValue, b: DqlValue): boolean {
  if (typeof a === "bigint" && typeof b === "bigint") return a === b;
  const [isA, isB] = [a, b].map((value) => typeof value === "bigint" || typeof value === "number");
  if (isA && isB) return sameNumber(Number(a), Number(b));
  if (typeof a === "number" && !Number.isFinite(a)) return b === null;
  return shown(a) === shown(b);
}

function sameNumber(a: number, b: number): boolean {
  if (Number.isFinite(a) !== Number.isFinite(b)) return false;
  return Number.isFinite(a) ? Math.abs(a - b) <= 1e-9 * Math.max(1e-3, Math.abs(a), Math.abs(b)) : true;
}

function shown(value: DqlValue): string {
  return typeof value === "bigint"
    ? `${value}n`
    : `${typeof value} ${JSON.stringify(value, (_, each) => (typeof each === "bigint" ? Number(each) : each))}`;
}
