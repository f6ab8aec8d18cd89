// Decides which columns of an alignment are kept, which are optional, and which become free text. The decision
// minimizes the length of a description of the lines (minimum description length; Rissanen, "Modeling by shortest data
// description", 1978). Each element of the expression has a cost, and so has each text that is matched by free text.

import type { Column } from "./align.ts";
import { STRONG } from "./kinds.ts";
import type { Token } from "./tokens.ts";

/**
 * Neighbouring columns that are used in the same way: each of them is kept, or all of them form one optional part, or
 * all of them become free text.
 */
export interface Segment {
  readonly use: "keep" | "optional" | "text";
  /** The segment has the columns with the indexes from `from` up to, but not including, `to`. */
  readonly from: number;
  readonly to: number;
}

/** Costs of free text and of optional parts. A cost of 1 is the cost of capturing one word. */
const TEXT_AT_END = 2.5;
const TEXT_WITHIN = 3.5;
const OPTIONAL = 1.8;
const OPTIONAL_KEY = 0.4;
/** Largest number of columns of one optional part. */
const LONGEST = 40;

interface Costs {
  /** Cost of keeping the column as a part of the expression; infinite when a line has no token in the column. */
  readonly keep: number;
  /** Cost of the column when it belongs to an optional part of the expression. */
  readonly inside: number;
  /** Cost of the information that is lost when the column becomes free text. */
  readonly loss: number;
  /**
   * Whether free text may end directly before this column. This is allowed only when the tokens of this column are
   * easy to recognize.
   */
  readonly ends: boolean;
  readonly isKey: boolean;
  /** A string with `+` for each line that has a token in the column, and `-` for each other line. */
  readonly lines: string;
}

/**
 * Returns the segments with the lowest total cost. When `isTable` is true, the lines are rows of a table, so
 * every column is likely a field. In lines that are not rows of a table, columns near the start are likely
 * fields, and the end is likely a message.
 */
export function segmentsOf(columns: readonly Column[], isTable: boolean): Segment[] {
  const costs = columns.map((column, index) => costsOf(column, isTable ? 0.3 : Math.min(1, 0.4 + 0.06 * index)));
  const count = columns.length;
  // Lowest total costs of the columns from index `i` to the end, in element `i` of two arrays. In `best`, the
  // column directly before column `i` is kept or is part of an optional part. In `afterText`, the column directly
  // before column `i` is free text, so column `i` must be kept.
  const best = new Float64Array(count + 1);
  const afterText = new Float64Array(count + 1);
  const choice: Segment[] = [];
  for (let from = count - 1; from >= 0; from--) {
    const first = costs[from] as Costs;
    let cheapest = first.keep + (best[from + 1] as number);
    let chosen: Segment = { use: "keep", from, to: from + 1 };
    const consider = (cost: number, use: Segment["use"], to: number) => {
      if (cost < cheapest) [cheapest, chosen] = [cost, { use, from, to }];
    };
    afterText[from] = first.ends ? cheapest : Number.POSITIVE_INFINITY;
    if (first.keep === Number.POSITIVE_INFINITY) {
      let sum = first.isKey ? OPTIONAL_KEY : OPTIONAL;
      for (let to = from; to < count && to - from < LONGEST && costs[to]?.lines === first.lines; to++) {
        sum += (costs[to] as Costs).inside;
        consider(sum + (best[to + 1] as number), "optional", to + 1);
      }
    }
    let lost = 0;
    for (let to = from; to < count; to++) {
      lost += (costs[to] as Costs).loss;
      const text = to + 1 === count ? TEXT_AT_END : TEXT_WITHIN;
      consider(text + lost + (afterText[to + 1] as number), "text", to + 1);
    }
    best[from] = cheapest;
    choice[from] = chosen;
  }
  const segments: Segment[] = [];
  for (let at = 0; at < count; at = (choice[at] as Segment).to) segments.push(choice[at] as Segment);
  return segments;
}

/**
 * Returns a score for how well the kept columns describe the lines. When two alignments are compared, the one
 * with the higher score describes the lines better.
 */
export function worthOf(columns: readonly Column[], segments: readonly Segment[]): number {
  return segments
    .filter(({ use }) => use === "keep")
    .reduce((sum, { from }) => {
      const tokens = (columns[from] as Column).filter((token) => token !== null);
      const kind = kindOf(new Set(tokens.map((token) => token.kind)));
      if (tokens.some((token) => token.kind === "fixed")) return sum;
      return sum + (kind !== null && STRONG.has(kind) ? 1 : 0.4);
    }, 0);
}

function costsOf(column: Column, word: number): Costs {
  const own = column.filter((token) => token !== null);
  const kinds = new Set(own.map(({ kind }) => kind));
  const texts = new Set(own.map(({ text }) => text));
  const whole = own.length === column.length;
  const lines = column.map((token) => (token === null ? "-" : "+")).join("");
  // It is probably no coincidence when many lines have the same word in a column. `sure` is a measure of this
  // certainty, from 0 for a single line to 1 for four or more lines.
  const sure = Math.min(1, (column.length - 1) / 3);
  const spaces = new Set(own.map(({ before }) => before)).size > 1 ? 0.3 : 0;
  const isKey = kinds.has("key");
  const kind = kindOf(kinds);
  let [keep, loss] = [0.2, 1.8];
  if (isKey) [keep, loss] = [0, 2];
  else if (kinds.has("fixed")) [keep, loss] = [0, 0.3];
  else if (own.some(({ enclosed }) => enclosed)) [keep, loss] = [0.2, 1];
  else if (kind === null) [keep, loss] = [1.2 * word, 0];
  else if (kind === "missing") [keep, loss] = [0, 0.8];
  else if (own.every(({ text }) => /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/.test(text))) [keep, loss] = [0.6 * word, 0.6];
  else if (isLevels(own)) [keep, loss] = [0.3, 1.2];
  else if (texts.size === 1 && !STRONG.has(kind)) [keep, loss] = [(1 - sure) * word, 0.7 * sure];
  else if (!STRONG.has(kind)) [keep, loss] = [word, 0];
  return {
    keep: whole ? keep + spaces : Number.POSITIVE_INFINITY,
    inside: keep + (isKey ? 0.1 : 0.2) + spaces,
    loss: whole ? loss : (loss * own.length) / column.length / 2,
    ends: whole && (kinds.has("fixed") || isKey || (kind !== null && STRONG.has(kind) && !texts.has(""))),
    isKey,
    lines,
  };
}

/**
 * Returns whether the values are log levels, or words that a program uses like log levels: PostgreSQL, for
 * example, uses LOG as well as ERROR.
 */
export function isLevels(tokens: readonly Pick<Token, "kind">[]): boolean {
  const levels = tokens.filter(({ kind }) => kind === "level").length;
  return 3 * levels >= tokens.length && tokens.every(({ kind }) => kind === "level" || kind === "word");
}

/**
 * Returns the common kind of the values of a column, ignoring missing values: `float` for int and float, `ip` for ip
 * and host, `word` for level and word; null when there is no common kind.
 */
function kindOf(kinds: ReadonlySet<string>): string | null {
  const values = [...kinds].filter((kind) => kind !== "missing" && kind !== "empty");
  if (values.length <= 1) return values[0] ?? "missing";
  if (values.every((kind) => kind === "int" || kind === "float")) return "float";
  if (values.every((kind) => kind === "ip" || kind === "host")) return "ip";
  if (values.every((kind) => kind === "level" || kind === "word")) return "word";
  return null;
}
