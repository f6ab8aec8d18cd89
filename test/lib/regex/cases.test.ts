// Runs the test tables in cases/ on every tier (implementation of the search) of the regex engine. A line of a
// table has an expression with flags, an input (text, or bytes in hexadecimal), and the expected result: `spans`
// of all groups in bytes, `all` matches, the text `replaced`, or the `error` with its offset. Go's regexp has
// computed all expected values except the offsets.

import { describe, expect, it } from "vitest";
import { Regex, type RegexMatch, type RegexOptions, RegexSyntaxError, type Span } from "../../../lib/regex/regex.ts";
import { engines } from "./engines.ts";

interface Case {
  readonly regex: string;
  readonly flags?: string;
  readonly input?: string;
  readonly hex?: string;
  readonly names?: readonly string[];
  readonly spans?: readonly (Span | null)[] | null;
  readonly all?: readonly (readonly (Span | null)[])[];
  readonly template?: string;
  readonly replaced?: string;
  readonly replacedHex?: string;
  readonly accepted?: true;
  readonly error?: string;
  readonly at?: number;
}

const files = import.meta.glob<string>("./cases/*.jsonl", { query: "?raw", import: "default", eager: true });
const tables = Object.entries(files).map(([path, text]) => ({
  table: path.slice("./cases/".length, -".jsonl".length),
  cases: text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case),
}));

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Runs the expression of a case and returns the result in the notation of the case. */
function outcome(row: Case, options: RegexOptions): Partial<Case> {
  let regex: Regex;
  try {
    regex = Regex.compile(row.regex, row.flags, options);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    return { error: error.message, ...(row.at === undefined ? {} : { at: error.offset }) };
  }
  try {
    return outcomeOf(row, regex);
  } finally {
    regex.free();
  }
}

function outcomeOf(row: Case, regex: Regex): Partial<Case> {
  const bytes = row.hex === undefined ? utf8(row.input ?? "") : fromHex(row.hex);
  const names = row.names === undefined ? {} : { names: regex.names.map((name) => name ?? "") };
  if (row.template !== undefined) {
    if (row.hex !== undefined) return { replacedHex: toHex(regex.replace(bytes, row.template)) };
    return { replaced: regex.replace(row.input ?? "", row.template) };
  }
  if (row.accepted) return { accepted: true, ...names };
  if (row.all !== undefined) return { all: regex.findAll(bytes).map((match) => match.groups), ...names };
  const match = regex.find(bytes);
  expect(regex.test(bytes)).toBe(match !== null);
  return { spans: match?.groups ?? null, ...names };
}

function expected(row: Case): Partial<Case> {
  const { regex, flags, input, hex, template, ...rest } = row;
  return rest;
}

const tooLong = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
const title = (row: Case): string =>
  `${row.flags === undefined ? "" : `(?${row.flags}) `}${tooLong(row.regex)} on ${tooLong(row.hex ?? JSON.stringify(row.input ?? ""))}`;

describe.each(Object.keys(engines))("tier: %s", (name) => {
  describe.each(tables)("$table", ({ cases }) => {
    it.each(cases.map((row, index) => [`${index + 1}: ${title(row)}`, row] as const))("%s", (_, row) => {
      const options: RegexOptions = { engine: engines[name]! };
      expect(outcome(row, options)).toEqual(expected(row));
    });
  });
});

describe("offsets into strings", () => {
  /** Converts start and end offsets of groups from bytes to UTF-16 indexes. */
  const translated = (text: string, groups: readonly (Span | null)[]): (Span | null)[] => {
    const bytes = utf8(text);
    const unit = (offset: number): number =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, offset)).length;
    return groups.map((span) => span && [unit(span[0]), unit(span[1])]);
  };
  const textCases = tables
    .flatMap(({ cases }) => cases)
    .filter((row) => row.input !== undefined && (row.spans !== undefined || row.all !== undefined));

  it("are UTF-16 indexes, in every case of the tables", () => {
    for (const row of textCases) {
      const regex = Regex.compile(row.regex, row.flags);
      const groups = (matches: readonly RegexMatch[]) => matches.map((match) => match.groups);
      const text = row.input!;
      if (row.all !== undefined)
        expect(groups(regex.findAll(text)), title(row)).toEqual(row.all.map((each) => translated(text, each)));
      else
        expect(regex.find(text)?.groups ?? null, title(row)).toEqual(
          row.spans == null ? null : translated(text, row.spans),
        );
    }
  });
});
