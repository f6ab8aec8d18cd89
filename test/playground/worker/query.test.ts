// Tests how the playground searches, filters and sorts the rows of a result: the functions that compare rows,
// and runs of a script that return only the rows which a query selects.

import { describe, expect, it } from "vitest";
import {
  compareRows,
  isFound,
  keyColumn,
  type Query,
  type Row,
  wholeQuery,
} from "../../../playground/src/worker/query.ts";
import { run } from "./load-mill.ts";

const scripts = [
  {
    name: "main.p",
    text: [
      'grok(_, "^%{INT:n:int} %{WORD:word}$")',
      "if n == 13 { drop() }",
      'if word == "zero" { x = 0; y = 1 / x }',
      'if n == 20 { create_point("made", {"of": word}, {"n": n}) }',
    ].join("\n"),
  },
];
const words = ["alpha", "Beta", "gamma", "zero"];
const line = (at: number) => (at % 100 === 99 ? `broken ${at}` : `${at % 7919} ${words[at % 400 === 7 ? 3 : at % 3]}`);
const input = Array.from({ length: 4000 }, (_, at) => line(at)).join("\n");
const grokAt = { script: "main.p", at: 0, kind: "grok", text: "" } as const;

const asked = (part: Partial<Query>) => run({ scripts, input, query: { ...wholeQuery, ...part } });

describe("a run with a query", () => {
  it.each<[name: string, part: Partial<Query>, found: number, first: number[]]>([
    ["the rows without a match", { filter: "unmatched" }, 40, [100, 200, 300]],
    ["errors", { filter: "errors" }, 10, [8, 408, 808]],
    ["dropped points", { filter: "dropped" }, 1, [14]],
    ["created points", { filter: "created" }, 1, [21]],
    ["a text in any case of letters", { text: "bEtA" }, 1316, [2, 5, 11]],
    ["a text that only the last rows hold", { text: "3998 " }, 1, [3999]],
    ["the rows that a grok missed", { place: { ...grokAt, wants: "missed" } }, 40, [100, 200, 300]],
    ["the rows that reached a grok", { place: { ...grokAt, wants: "reached" } }, 4000, [1, 2, 3]],
    ["two conditions", { filter: "unmatched", text: "broken 1" }, 11, [200, 1100, 1200]],
    ["nothing", { text: "nowhere" }, 0, []],
  ])("finds %s among all rows", async (_name, part, found, first) => {
    const { summary, records } = await asked(part);
    expect(summary.found).toBe(found);
    expect(records).toHaveLength(Math.min(found, 1000));
    expect(records.slice(0, 3).map(({ number }) => number)).toEqual(first);
    expect(summary.counts.points).toBe(4000);
  });

  it.each([true, false])("sorts all rows, descending %s", async (descending) => {
    const { summary, records } = await asked({ sort: { column: keyColumn("n"), descending } });
    expect(summary.found).toBe(4001);
    expect(records).toHaveLength(1000);
    const values = records.map(({ after }) => Number(after?.entries.find(({ key }) => key === "n")?.text));
    const whole = Array.from({ length: 4000 }, (_, at) => at).filter((at) => at % 100 !== 99);
    whole.push(20);
    whole.sort((a, b) => (descending ? b - a : a - b));
    expect(values).toEqual(whole.slice(0, 1000));
  });

  it("returns the output forms of only the rows that it found", async () => {
    const { records } = await asked({ filter: "dropped" });
    expect(records.map(({ forms }) => forms?.json)).toEqual([expect.stringContaining('"n":13')]);
  });
});

describe("comparing and finding rows", () => {
  const row = (number: number, kind: "int" | "float" | "string" | null, text = ""): Row => ({
    ...{ number, outcome: "kept", category: "logging", line: number, before: null, error: null, refusal: null },
    ...{ reached: [], missed: [], unmatched: false },
    after: { name: "m", time: BigInt(number), entries: kind === null ? [] : [{ key: "k", kind, isTag: false, text }] },
  });
  const rows = [
    row(1, "string", "b"),
    row(2, null),
    row(3, "int", "9007199254740993"),
    row(4, "float", "1.5"),
    row(5, "int", "9007199254740992"),
    row(6, "string", "b"),
  ];

  it.each([
    [false, [4, 5, 3, 1, 6, 2]],
    [true, [1, 6, 3, 5, 4, 2]],
  ])("puts numbers before texts and rows without a value last, descending %s", (descending, order) => {
    const sorted = [...rows].sort((a, b) => compareRows(a, b, { column: keyColumn("k"), descending }));
    expect(sorted.map(({ number }) => number)).toEqual(order);
  });

  it("finds a row by the text of its error or of its refused input", () => {
    const failed = { ...row(1, null), error: { pos_chain: [], error: "Division by zero" } };
    expect(isFound(failed, { ...wholeQuery, text: "division" }, -1)).toBe(true);
    const refused = {
      ...row(0, null),
      after: null,
      outcome: "refused",
      refusal: { reason: "no field", text: "cpu" },
    } as const;
    expect(isFound(refused, { ...wholeQuery, text: "CPU" }, -1)).toBe(true);
    expect(isFound(refused, { ...wholeQuery, filter: "kept" }, -1)).toBe(false);
  });
});
