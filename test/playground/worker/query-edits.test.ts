// Edits of queries in the worker: grouping, time ranges, and the queries that count log lines.

import { describe, expect, it } from "vitest";
import { editFilter } from "../../../playground/src/worker/query-run/edit-filter.ts";
import {
  countsByKey,
  countsOverTime,
  editRange,
  partsOf,
} from "../../../playground/src/worker/query-run/query-parts.ts";

describe("grouping a query by a key", () => {
  it.each([
    ["L::nginx", "L::nginx:(count(*)) BY status"],
    [
      "L::nginx:(message, url) { a = '}' } [10m] ORDER BY url LIMIT 5",
      "L::nginx:(count(*)) { a = '}' } [10m] BY status",
    ],
    ["L::nginx:(avg(n)) BY host LIMIT 5", "L::nginx:(avg(n)) BY host, status LIMIT 5"],
    ["L::nginx:(avg(n)) [1h::1m]", "L::nginx:(avg(n)) [1h::1m] BY status"],
    ["L::nginx:(avg(n)) BY status", "L::nginx:(avg(n)) BY status"],
    ["L::`a:b`:(n) # all", "L::`a:b`:(count(*)) BY status"],
    ["nothing {", null],
    ["show_tag_key()", null],
  ])("changes %j", (text, wanted) => {
    const cell = { kind: "string", text: "error" } as const;
    expect(editFilter({ text, key: "status", cell, wish: "group" })).toBe(wanted);
  });

  it("writes a key that is no plain name in backquotes", () => {
    const cell = { kind: "string", text: "error" } as const;
    expect(editFilter({ text: "L::a", key: "a b", cell, wish: "group" })).toBe("L::a:(count(*)) BY `a b`");
  });
});

describe("the time range of a query", () => {
  it.each([
    ["L::nginx", null],
    ["L::nginx [::1m]", null],
    ["L::nginx {", null],
    ["L::nginx [10m]", "L::nginx [1763719200000:1763719260000]"],
    [
      "L::nginx:(count(*)) { a = 1 } [1h:5m:1m:sum] BY a",
      "L::nginx:(count(*)) { a = 1 } [1763719200000:1763719260000:1m:sum] BY a",
    ],
    ["L::nginx [2026-01-01 12:00:00:now:auto]", "L::nginx [1763719200000:1763719260000:auto]"],
  ])("of %j is replaced when the query names a range", (text, wanted) => {
    expect(editRange(text, { from: 1_763_719_200_000.4, to: 1_763_719_259_999.2 })).toBe(wanted);
  });
});

describe("the counts of log lines", () => {
  it.each([
    ["L::nginx", "L::nginx:(count(*)) [::auto(60)] BY status", "L::nginx:(count(*)) BY status"],
    [
      "L::nginx:(message) { a > 1 } [2026-01-01:now] LIMIT 10",
      "L::nginx:(count(*)) { a > 1 } [2026-01-01:now:auto(60)] BY status",
      "L::nginx:(count(*)) { a > 1 } [2026-01-01:now] BY status",
    ],
    ["L::nginx:(count(*))", null, null],
    ["L::nginx BY host", null, null],
    ["eval(A, A='L::nginx')", null, null],
  ])("are queried for %j when it lists log lines", (text, overTime, byKey) => {
    expect([countsOverTime(text, "status"), countsByKey(text, "status")]).toEqual([overTime, byKey]);
  });

  it("can be queried over time without a key", () => {
    expect(countsOverTime("L::nginx { a = 1 }", "")).toBe("L::nginx:(count(*)) { a = 1 } [::auto(60)]");
  });
});

it.each([
  [
    "L::re('a:b'):(x as y) { a = ':[', b = 2 } [1h] by h limit 1",
    ["L::re('a:b')", "(x as y)", "{ a = ':[', b = 2 }", "[1h]", "h", "limit 1"],
  ],
  ["M::cpu", ["M::cpu", "", "", "", "", ""]],
  ["L::(L::nginx:(n) [1h]):(avg(n))", ["L::(L::nginx:(n) [1h])", "(avg(n))", "", "", "", ""]],
  ["L::nginx [10m] { a = 1 }", ["L::nginx", "", "{ a = 1 }", "[10m]", "", ""]],
])("splits %j into its clauses", (text, parts) => {
  expect(Object.values(partsOf(text) ?? {})).toEqual(parts);
});
