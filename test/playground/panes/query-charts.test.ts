// The numbers that the query mode computes and draws: log lines counted by a value, the choice of keys to count by,
// lines, bars and stacked bars.

import { describe, expect, it } from "vitest";
import { gridOf } from "../../../playground/src/panes/answers/cell-text.ts";
import { chartOf } from "../../../playground/src/panes/answers/chart-data.ts";
import { facetColumns } from "../../../playground/src/panes/answers/facet-columns.ts";
import {
  axisText,
  barsOf,
  colourAt,
  columnsOf,
  unbroken,
  valueText,
  withLevelColours,
} from "../../../playground/src/panes/charts/chart-lines.ts";
import type { Cell, CellSeries } from "../../../playground/src/worker/query-run/asking.ts";
import { survey } from "../../../playground/src/worker/query-run/survey.ts";

const cell = (kind: Cell["kind"], text: string): Cell => ({ kind, text });
const counted = (tags: CellSeries["tags"], ...rows: readonly (readonly [time: string, count: string])[]) => ({
  ...{ name: null, tags, columns: ["time", "count(*)"] },
  rows: rows.map(([time, count]) => [cell("time", time), cell("int", count)]),
});

describe("the counts of log lines", () => {
  const answers = new Map<string, readonly CellSeries[]>([
    ["L::a:(count(*)) [::auto(60)] BY status", [counted([["status", "ok"]], ["1000", "2"], ["2000", "3"])]],
    [
      "L::a:(count(*)) BY method",
      [
        counted([["method", "GET"]], ["0", "2"]),
        counted([["method", ""]], ["0", "9"]),
        counted([["method", "PUT"]], ["0", "3"]),
      ],
    ],
    [
      "L::a:(count(*)) BY n",
      Array.from({ length: 14 }, (_, at) => counted([["n", String(at)]], ["0", String(at + 1)])),
    ],
  ]);
  const asked: string[] = [];
  const ask = async ({ text }: { readonly text: string }) => {
    asked.push(text);
    const series = answers.get(text);
    return series === undefined
      ? ({ kind: "fault", message: "no", from: 0, to: 1 } as const)
      : ({ kind: "answered", series, rows: 1, warning: "", keys: [], plan: "", sql: "", ms: 1 } as const);
  };
  const job = (text: string) => ({ text, timeZone: "", range: { from: 1, to: 2 } });

  it("have a histogram, and the most frequent values first", async () => {
    const found = await survey(
      { job: job("L::a LIMIT 9"), keys: ["method", "n", "none"], group: "status" },
      ask,
      () => false,
    );
    expect(found!.histogram).toHaveLength(1);
    expect(found!.facets.map(({ key, all }) => [key, all])).toEqual([
      ["method", 2],
      ["n", 14],
    ]);
    expect(found!.facets[0]!.values).toEqual([
      { value: "PUT", count: 3 },
      { value: "GET", count: 2 },
    ]);
    expect(found!.facets[1]!.values.map(({ count }) => count)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
  });

  it("stop when another query comes, and are not made for a query that computes", async () => {
    asked.length = 0;
    expect(await survey({ job: job("L::a"), keys: ["method"], group: "status" }, ask, () => true)).toBeNull();
    expect(asked).toEqual(["L::a:(count(*)) [::auto(60)] BY status"]);
    expect(await survey({ job: job("L::a:(avg(n))"), keys: [], group: "" }, ask, () => false)).toBeNull();
    expect(asked).toHaveLength(1);
  });
});

it("facetColumns() chooses keys that have a few different values", () => {
  const columns = ["time", "message", "status", "id", "ratio", "n", "made", "empty"];
  const rows = Array.from({ length: 20 }, (_, at) => [
    cell("time", String(at)),
    cell("string", "same"),
    cell("string", at % 2 === 0 ? "ok" : "error"),
    cell("string", `id ${at}`),
    cell("float", "0.5"),
    at === 3 ? cell("nil", "") : cell("int", String(at % 3)),
    cell("int", "1"),
    cell("nil", ""),
  ]);
  const keys = new Map(columns.filter((name) => name !== "made").map((name) => [name, name]));
  const grid = gridOf([{ name: null, tags: [], columns, rows }], true);
  expect(facetColumns(grid, keys)).toEqual(["status", "n"]);
});

describe("the column of times in a table", () => {
  const untimed = { ...counted([["s", "a"]]), rows: [[cell("nil", ""), cell("int", "2")]] };
  it.each<[name: string, series: readonly CellSeries[], columns: readonly string[], times: readonly string[]]>([
    ["is there when all rows have a time", [counted([], ["1000", "1"])], ["time", "count(*)"], ["1000"]],
    ["is left out when no row has a time", [untimed, untimed], ["s", "count(*)"], []],
    [
      "is there when some rows have a time",
      [untimed, counted([["s", "b"]], ["1000", "1"])],
      ["s", "time", "count(*)"],
      ["", "1000"],
    ],
  ])("%s", (_, series, columns, times) => {
    const grid = gridOf(series, true);
    expect(grid.columns).toEqual(columns);
    const at = grid.columns.indexOf("time");
    expect(at < 0 ? [] : grid.rows.map((row) => row[at]!.text)).toEqual(times);
    expect(grid.rows.every((row) => row.length === columns.length && row.at(-1)!.kind === "int")).toBe(true);
  });
});

it("chartOf() draws lines for series over time, and bars for series of one row", () => {
  const over = [counted([["s", "a"]], ["2000", "2"], ["1000", "1"]), counted([["s", "b"]], ["1000", "5"])];
  expect(chartOf(over)).toEqual({
    ...{ kind: "time", all: 2 },
    lines: [
      {
        label: "a",
        points: [
          { x: 1000, y: 1 },
          { x: 2000, y: 2 },
        ],
      },
      { label: "b", points: [{ x: 1000, y: 5 }] },
    ],
  });
  expect(chartOf([counted([["s", "a"]], ["0", "2"]), counted([["s", ""]], ["0", "3"])])).toEqual({
    ...{ kind: "bars", all: 2 },
    bars: [
      { label: "a", value: 2 },
      { label: "(empty)", value: 3 },
    ],
  });
});

describe("the numbers of a chart", () => {
  const lines = [
    {
      label: "a",
      points: [
        { x: 1, y: 1 },
        { x: 3, y: -2 },
      ],
    },
    {
      label: "b",
      points: [
        { x: 1, y: 4 },
        { x: 2, y: Number.NaN },
        { x: 3, y: 5 },
      ],
    },
  ];

  it("are aligned to the times of all lines", () => {
    expect(columnsOf(lines)).toEqual({
      times: [1, 2, 3],
      values: [
        [1, null, -2],
        [4, null, 5],
      ],
    });
  });

  it.each([
    [
      false,
      [
        [{ from: 0, to: 1 }, null, { from: 0, to: -2 }],
        [{ from: 0, to: 4 }, null, { from: 0, to: 5 }],
      ],
    ],
    [
      true,
      [
        [{ from: 0, to: 1 }, null, { from: 0, to: -2 }],
        [{ from: 1, to: 5 }, null, { from: 0, to: 5 }],
      ],
    ],
  ])("become bars, stacked %s", (stacked, wanted) => {
    expect(barsOf(columnsOf(lines).values, stacked)).toEqual(wanted);
  });

  it.each([
    [0, "0", "0"],
    [1234.5678, "1,234.57", "1,234.57"],
    [15_000, "15,000", "15k"],
    [2_500_000, "2,500,000", "2.5M"],
    [0.00001, "1.00e-5", "1.00e-5"],
    [-3e12, "-3.00e+12", "-3T"],
  ])("%d is written as %s, and as %s at an axis", (value, text, axis) => {
    expect([valueText(value), axisText(value)]).toEqual([text, axis]);
  });
});

it.each<readonly [string, readonly (number | null)[], readonly (number | null | undefined)[]]>([
  [
    "is drawn through times of other lines",
    [1, null, 2, null, 3, null, 4],
    [1, undefined, 2, undefined, 3, undefined, 4],
  ],
  ["is interrupted where it has no points", [1, 2, 3, null, null, null, 4], [1, 2, 3, null, null, null, 4]],
  ["is drawn over one missing point", [1, 2, null, 3, 4, 5, 6], [1, 2, undefined, 3, 4, 5, 6]],
  ["begins and ends with its points", [null, null, 1, 2, null, null, null], [null, null, 1, 2, null, null, null]],
  ["may be one point or none", [null, null, 1, null, null, null, null], [null, null, 1, null, null, null, null]],
])("a line %s", (_, column, drawn) => {
  expect(unbroken([0, 10, 20, 30, 40, 50, 60], column)).toEqual(drawn);
});

it.each<[labels: readonly string[], colours: readonly string[]]>([
  [
    ["ok", "info", "Warning", "error", "critical"],
    ["good", "c0", "warn", "bad", "violet"],
  ],
  // A value that is not a log level gets the colour that belongs to its index in the list of values. Log levels in
  // the list also count for this index, so "POST" has the index 2.
  [
    ["GET", "error", "POST"],
    ["c0", "bad", "c2"],
  ],
  // "warn" and "warning" are the same log level. Only the first of them gets the colour of the level, so that the two
  // have different colours.
  [
    ["warn", "warning", "constructor"],
    ["warn", "c1", "c2"],
  ],
])("colours the lines %j by their levels", (labels, colours) => {
  const lines = withLevelColours(labels.map((label) => ({ label, points: [] })));
  expect(lines.map(colourAt)).toEqual(colours);
});
