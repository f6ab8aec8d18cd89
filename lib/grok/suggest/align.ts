// Aligns the tokens of all lines in columns, so that each column contains tokens with the same meaning. Adds one
// line after another to the columns (progressive alignment), by the method of Needleman and Wunsch ("A general
// method applicable to the search for similarities in the amino acid sequence of two proteins", 1970).

import { STRONG } from "./kinds.ts";
import type { Token } from "./tokens.ts";

/** A column: one token for each line, or null when the line has no token in this column. */
export type Column = (Token | null)[];

/** Largest number of columns; a line that would need more columns is left out of the alignment. */
export const mostColumns = 480;

/**
 * Score of one step of the alignment of a line with the columns: a step that puts a token of the line into a new
 * column, or that leaves a column without a token of the line.
 */
const GAP = -0.6;
/**
 * Tokens near the start of a line get an additional weight, because most log lines begin alike and end with a
 * free message. The additional weight decreases from column to column; at the column with this index it is half
 * as large as at the first column.
 */
const HEAD = 8;
/** Matches names of classes and modules, such as `com.example.Shop`. */
const DOTTED = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/;
const NEVER = Number.NEGATIVE_INFINITY;

/** Sets of token kinds: tokens of different kinds may be in one column when one of the sets has both kinds. */
const RELATED: readonly ReadonlySet<string>[] = [
  new Set(["int", "hex"]),
  new Set(["hex", "word", "token"]),
  new Set(["ip", "host", "word", "token"]),
  new Set(["uri", "path", "token"]),
  new Set(["path", "method", "text"]),
  new Set(["level", "word"]),
  new Set(["word", "token", "text", "host"]),
];

/**
 * Aligns the tokens of lines. A line that would need too many columns is left out: every column has null for this line.
 */
export function align(lines: readonly (readonly Token[])[]): Column[] {
  let columns: Column[] = [];
  lines.forEach((tokens, line) => {
    const merged: Column[] = line === 0 ? tokens.map((token) => [token]) : merge(columns, tokens, line);
    columns = merged.length <= mostColumns ? merged : columns.map((column) => [...column, null]);
  });
  return columns;
}

function merge(columns: readonly Column[], tokens: readonly Token[], lines: number): Column[] {
  const width = tokens.length + 1;
  const best = new Float64Array((columns.length + 1) * width);
  // The last step of the best alignment of the first i columns with the first j tokens, for each i and j: 0 puts
  // the token into the column, 1 leaves the column without a token, 2 makes a new column for the token.
  const step = new Uint8Array(best.length);
  const profiles = columns.map(profileOf);
  for (let j = 1; j < width; j++) [best[j], step[j]] = [(best[j - 1] as number) + GAP, 2];
  for (let i = 1; i <= columns.length; i++) {
    const profile = profiles[i - 1] as Profile;
    const gap = GAP * profile.present;
    best[i * width] = (best[(i - 1) * width] as number) + gap;
    step[i * width] = 1;
    for (let j = 1; j < width; j++) {
      const at = i * width + j;
      const weight = 1 + HEAD / (HEAD + Math.min(i, j));
      const both = (best[at - width - 1] as number) + weight * similarity(profile, tokens[j - 1] as Token);
      const column = (best[at - width] as number) + gap;
      const token = (best[at - 1] as number) + GAP;
      best[at] = Math.max(both, column, token);
      step[at] = both >= column && both >= token ? 0 : column >= token ? 1 : 2;
    }
  }
  const merged: Column[] = [];
  for (let [i, j] = [columns.length, tokens.length]; i > 0 || j > 0; ) {
    const way = step[i * width + j];
    const column = way === 2 ? new Array<null>(lines).fill(null) : (columns[--i] as Column);
    merged.push([...column, way === 1 ? null : (tokens[--j] as Token)]);
  }
  return merged.reverse();
}

interface Profile {
  readonly kinds: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
  readonly enclosed: boolean;
  /** The key before the values of the column, such as `user=`; undefined when the values have no key. */
  readonly key: string | undefined;
  /** The share of the lines (0 to 1) that have a token in the column. */
  readonly present: number;
}

function profileOf(column: Column): Profile {
  const own = column.filter((token) => token !== null);
  return {
    kinds: new Set(own.map(({ kind }) => kind)),
    texts: new Set(own.map(({ text }) => text)),
    enclosed: own.some((token) => token.enclosed),
    key: own[0]?.key,
    present: own.length / column.length,
  };
}

function similarity(
  { kinds, texts, enclosed, key }: Profile,
  { kind, text, enclosed: own, key: ownKey }: Token,
): number {
  if (key !== ownKey) return NEVER;
  const fixed = kinds.has("fixed") || kinds.has("key");
  if (fixed || kind === "fixed" || kind === "key") {
    if (!kinds.has(kind) || !texts.has(text)) return NEVER;
    return kind === "key" ? 6 : 2;
  }
  const isMissing = kind === "missing" || kind === "empty" || kinds.has("missing") || kinds.has("empty");
  if (isMissing && (kind === "method" || kinds.has("method"))) return 2;
  if (enclosed !== (own === true)) return kinds.has("missing") || kind === "missing" ? 0.2 : -1.5;
  if (kinds.has(kind)) {
    if (kind === "date") return 6;
    if (STRONG.has(kind) || kind === "text") return 3;
    if (texts.has(text)) return 1.4;
    const isDotted = DOTTED.test(text) && [...texts].some((each) => DOTTED.test(each));
    return kind === "missing" || kind === "host" || isDotted ? 2 : 0.6;
  }
  if (isMissing) return 1.2;
  if ((kind === "int" && kinds.has("float")) || (kind === "float" && kinds.has("int"))) return 2;
  if (enclosed || RELATED.some((related) => related.has(kind) && [...kinds].some((each) => related.has(each))))
    return 0.6;
  return -0.5;
}
