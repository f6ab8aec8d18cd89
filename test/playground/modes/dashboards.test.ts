// The parts of the dashboards mode that run without a browser page: templates, the grid, variables, answers, queries,
// errors.

import { describe, expect, it } from "vitest";
import { barsOf, gridOf, linesOf, singleValueOf } from "../../../playground/src/modes/dashboards/answers.ts";
import { hasInterval, questionsOf } from "../../../playground/src/modes/dashboards/asking.ts";
import { placeOfFault } from "../../../playground/src/modes/dashboards/fault-place.ts";
import { intervalOf, rangeText } from "../../../playground/src/modes/dashboards/time-range.ts";
import { readVariable, valuesOf } from "../../../playground/src/modes/dashboards/variables.ts";
import {
  axisText,
  barsOf as barSpansOf,
  columnsOf,
  unitText,
} from "../../../playground/src/panes/charts/chart-lines.ts";
import { type Answer, ApiFault, createApi } from "../../../playground/src/panes/dashboards/api.ts";
import {
  freePlace,
  overlaps,
  type Place,
  placeChart,
  placesOf,
} from "../../../playground/src/panes/dashboards/layout.ts";
import { readyText } from "../../../playground/src/panes/dashboards/ready-text.ts";
import {
  addChart,
  changeChart,
  chartsOf,
  moveCharts,
  removeChart,
  type Template,
  templateOfFile,
} from "../../../playground/src/panes/dashboards/template.ts";
import { zoneOf } from "../../../playground/src/panes/time/zoned-time.ts";
import { exactText } from "../../../playground/src/state/exact-json.ts";
import { useTexts } from "../../../playground/src/text/translate.ts";
import { texts } from "../../../playground/src/text/zh/data.ts";
import { readyDashboards } from "../../../server/dashboards/ready-dashboards.ts";

/** A dashboard template in which each object has some members that the page does not know. */
const strange: Template = {
  title: "Strange",
  unknown: { deep: [1, null, { a: "b" }] },
  dashboardExtend: { theme: "x" },
  main: {
    type: "template",
    groups: ["g", { name: "h", extend: { colour: 1 } }],
    vars: [{ code: "host", type: "QUERY", unknown: true, definition: { value: "M::cpu:(distinct(host))", extra: {} } }],
    odd: 1,
    charts: [
      {
        name: "usage",
        type: "sequence",
        pos: { x: 0, y: 0, w: 12, h: 9, i: "abc", minW: 2 },
        group: { name: "g" },
        note: "?",
        queries: [
          { qtype: "promql", query: { q: "up" }, uuid: "1" },
          { qtype: "dql", name: "n", color: "red", query: { q: "M::cpu:(avg(usage))", funcList: ["f"], fill: null } },
        ],
        extend: { settings: { chartType: "areaLine", levels: [1], units: "%" }, links: [{ url: "u" }] },
      },
      {
        name: "map",
        type: "worldmap",
        pos: { x: 12, y: 0, w: 12, h: 9 },
        group: { name: null },
        queries: [],
        extend: { map: 1 },
      },
    ],
  },
};

describe("a template", () => {
  const text = { name: "usage", kind: "lines", query: "M::cpu:(avg(usage))", unit: "%" } as const;
  /**
   * Returns a copy of the template in which one member has the given value. `path` has the keys from the template to
   * this member.
   */
  const withMember = (path: readonly (string | number)[], value: unknown): Template => {
    const copy = structuredClone(strange) as Record<string, unknown>;
    let at: Record<string | number, unknown> = copy;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    at[path.at(-1)!] = value;
    return copy;
  };
  const chart = ["main", "charts", 0] as const;

  it.each([
    ["nothing", changeChart(strange, 0, text), strange],
    [
      "nothing of a chart that is not drawn",
      changeChart(strange, 1, { name: "map", kind: "other", query: "", unit: "" }),
      strange,
    ],
    ["the name", changeChart(strange, 0, { ...text, name: "x" }), withMember([...chart, "name"], "x")],
    [
      "the query",
      changeChart(strange, 0, { ...text, query: "M::mem" }),
      withMember([...chart, "queries", 1, "query", "q"], "M::mem"),
    ],
    [
      "the unit",
      changeChart(strange, 0, { ...text, unit: "s" }),
      withMember([...chart, "extend", "settings", "units"], "s"),
    ],
    ["the kind", changeChart(strange, 0, { ...text, kind: "toplist" }), withMember([...chart, "type"], "toplist")],
    [
      "bars",
      changeChart(strange, 0, { ...text, kind: "bars" }),
      withMember([...chart, "extend", "settings", "chartType"], "bar"),
    ],
    [
      "the place",
      moveCharts(strange, [
        { x: 0, y: 9, w: 12, h: 9 },
        { x: 12, y: 0, w: 12, h: 9 },
      ]),
      withMember([...chart, "pos", "y"], 9),
    ],
    ["an added and removed chart", removeChart(addChart(strange, text, { x: 0, y: 9, w: 1, h: 1 }), 2), strange],
  ])("keeps every other member when it changes %s", (_, changed, expected) => {
    expect(JSON.stringify(changed)).toBe(JSON.stringify(expected));
  });

  it("contains charts with their kinds, queries and places", () => {
    expect(chartsOf(strange).map(({ name, kind, queries, unit }) => [name, kind, queries, unit])).toEqual([
      ["usage", "lines", ["M::cpu:(avg(usage))"], "%"],
      ["map", "other", [], ""],
    ]);
    const stacked = changeChart(strange, 0, { ...text, kind: "stacked" });
    expect(chartsOf(stacked)[0]!.kind).toBe("stacked");
    expect(chartsOf(changeChart(stacked, 0, text))[0]!.kind).toBe("lines");
    const added = addChart({ title: "empty" }, { ...text, kind: "value" }, { x: 1, y: 2, w: 6, h: 6 });
    expect(chartsOf(added)).toMatchObject([{ kind: "value", type: "singlestat", place: { x: 1, y: 2, w: 6, h: 6 } }]);
  });

  it.each([
    ['{"title":"a","main":{"charts":[]}}', "a"],
    ['{"code":200,"content":{"title":"b","main":{}}}', "b"],
    ['{"name":"x","templateInfo":{"title":"c","main":{}}}', "c"],
  ])("is found in the file %s", (file, title) => {
    expect(templateOfFile(file).title).toBe(title);
  });

  it.each([
    ["no json", /^The file is not JSON: /],
    ["[1]", /has no dashboard: the member `main`/],
    ['{"main":3}', /has no dashboard/],
  ])("is not found in the file %s", (file, message) => {
    expect(() => templateOfFile(file)).toThrow(message);
  });
});

describe("the grid", () => {
  const place = (x: number, y: number, w: number, h: number): Place => ({ x, y, w, h });
  const three = [place(0, 0, 12, 9), place(12, 0, 12, 9), place(0, 9, 24, 6)];

  it.each<[string, number, Place, readonly Place[]]>([
    [
      "to the right: the other one goes below",
      0,
      place(12, 0, 12, 9),
      [place(12, 0, 12, 9), place(12, 9, 12, 9), place(0, 18, 24, 6)],
    ],
    [
      "below the others, which move up",
      0,
      place(0, 15, 12, 9),
      [place(0, 15, 12, 9), place(12, 0, 12, 9), place(0, 9, 24, 6)],
    ],
    ["up to the first row", 2, place(0, 0, 24, 6), [place(0, 6, 12, 9), place(12, 6, 12, 9), place(0, 0, 24, 6)]],
    ["outside of the grid", 1, place(30, -5, 40, 100), [place(0, 60, 12, 9), place(0, 0, 24, 60), place(0, 69, 24, 6)]],
    ["to a smaller size", 2, place(0, 9, 1, 1), [place(0, 0, 12, 9), place(12, 0, 12, 9), place(0, 9, 3, 3)]],
  ])("moves a chart %s", (_, index, wanted, expected) => {
    expect(placeChart(three, index, wanted)).toEqual(expected);
  });

  it("has no overlap and no chart outside after any moves", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    let places: readonly Place[] = placesOf(Array.from({ length: 9 }, () => null));
    let faults = 0;
    for (let round = 0; round < 500; round++) {
      places = placeChart(places, random(9), place(random(30) - 3, random(40) - 3, random(28), random(14)));
      for (const [at, one] of places.entries()) {
        if (one.x < 0 || one.y < 0 || one.x + one.w > 24) faults++;
        faults += places.slice(at + 1).filter((other) => overlaps(one, other)).length;
      }
    }
    expect(faults).toBe(0);
  });

  it("replaces missing or invalid places of charts by valid ones", () => {
    expect(placesOf([null, { x: 0.4, y: 0, w: 30, h: 2 }, { x: "1", y: 0 }, { x: 3, y: 1, w: null, h: -4 }])).toEqual([
      place(0, 3, 8, 9),
      place(0, 0, 24, 2),
      place(8, 3, 8, 9),
      place(3, 2, 8, 1),
    ]);
    expect(freePlace(three, 12, 3)).toEqual(place(0, 15, 12, 3));
  });
});

describe("a variable", () => {
  it.each([
    [
      { type: "QUERY", definition: { value: "show_measurement()" } },
      { query: "show_measurement()", hasAll: true },
    ],
    [
      { type: "CUSTOM_LIST", definition: { value: "a, b,,c", defaultVal: "b" } },
      { values: ["a", "b", "c"], first: "b" },
    ],
    [{ type: "TAG", definition: { metric: "my cpu", tag: "host" } }, { query: "M::`my cpu`:(distinct(host))" }],
    [
      { type: "QUERY", isHiddenAsterisk: 1, hide: 1, definition: { value: "q", defaultVal: { value: "z" } } },
      { first: "z", hasAll: false, isHidden: true },
    ],
    [
      { type: "PROMQL_QUERY", definition: { value: "up" } },
      { query: "", problem: expect.stringContaining("PromQL") },
    ],
    [{}, { problem: expect.stringContaining("does not say") }],
  ])("is read from %j", (raw, expected) => {
    expect(readVariable({ code: "v", ...raw })).toMatchObject(expected);
  });

  it("takes its values from an answer, each once and in natural order", () => {
    const columns = ["time", "host"];
    expect(
      valuesOf([
        {
          columns,
          values: [
            [1, "b10"],
            [2, "b2"],
            [3, null],
            [4, "b2"],
          ],
        },
      ]),
    ).toEqual(["b2", "b10"]);
    expect(valuesOf([{ tags: { host: "a" }, columns, values: [[1, "zz"]] }])).toEqual(["a"]);
  });
});

describe("an answer", () => {
  const answer = (...series: Answer["series"]): readonly Answer[] => [{ series, warning: "" }];
  const columns = ["time", "count(*)"];
  const groups = answer(
    {
      name: "n",
      tags: { status: "200" },
      columns,
      values: [
        [2000, 5],
        [1000, 4],
      ],
    },
    {
      name: "n",
      tags: { status: "" },
      columns,
      values: [
        [2000, 7n],
        [1000, null],
      ],
    },
  );

  it("becomes lines, with the oldest point first", () => {
    expect(linesOf(groups).shown).toEqual([
      {
        label: "200",
        points: [
          { x: 1000, y: 4 },
          { x: 2000, y: 5 },
        ],
      },
      { label: "(empty)", points: [{ x: 2000, y: 7 }] },
    ]);
    expect(linesOf([...groups, ...groups]).shown.map(({ label }) => label)).toEqual([
      "200",
      "(empty)",
      "200 (2)",
      "(empty) (2)",
    ]);
  });

  it("becomes bars, with the largest bar first", () => {
    expect(barsOf(groups).shown).toEqual([
      { label: "(empty)", value: 7 },
      { label: "200", value: 5 },
    ]);
    const rows = answer({
      columns: ["time", "url", "n"],
      values: [
        [null, "/a", 1],
        [null, "/b", 3],
      ],
    });
    expect(barsOf(rows).shown).toEqual([
      { label: "/b", value: 3 },
      { label: "/a", value: 1 },
    ]);
  });

  it("becomes one value, the newest", () => {
    expect(singleValueOf(groups)).toEqual({ text: "5", unit: "", label: "200" });
    expect(singleValueOf(groups, "ms")).toMatchObject({ text: "5", unit: "ms" });
    expect(singleValueOf(answer({ columns, values: [[1, 9007199254740993n]] }))!.text).toBe("9,007,199,254,740,993");
    expect(singleValueOf(answer({ columns: ["time", "m"], values: [[1, "up"]] }))).toEqual({
      text: "up",
      unit: "",
      label: "m",
    });
    expect(singleValueOf(answer())).toBeNull();
  });

  it("becomes a table, without the time column when no row has a time", () => {
    expect(gridOf(groups)).toEqual({
      columns: ["status", ...columns],
      rows: [
        ["200", 2000, 5],
        ["200", 1000, 4],
        ["", 2000, 7n],
        ["", 1000, null],
      ],
      all: 4,
    });
    expect(gridOf(answer({ columns, values: [[null, 3]] })).columns).toEqual(["count(*)"]);
  });
});

describe("the query request", () => {
  const span = { from: 0, to: 3_600_000 };
  const base = { time_range: [0, 3_600_000] };

  it.each([
    ["lines", "M::cpu:(avg(a))", { ...base, interval: 30 }],
    ["bars", "M::cpu:(avg(a)) [::auto]", { ...base, max_point: 60 }],
    ["stacked", "M::cpu:(avg(a)) [1h:now:5m]", { ...base, max_point: 60 }],
    ["value", "M::cpu:(avg(a))", base],
    ["logs", "L::web", { ...base, limit: 200 }],
    ["table", "L::web LIMIT 5", base],
  ] as const)("of %s for %s", (kind, query, members) => {
    expect(questionsOf({ kind, queries: [query], zone: "UTC" }, span, {})).toEqual([{ query, ...members }]);
    // The time zone only decides at which times the days and weeks of buckets begin. The time range in the request
    // is always in UTC, whatever the zone is.
    expect(questionsOf({ kind, queries: [query], zone: "Asia/Tokyo" }, span, {})).toEqual([
      { query, tz: "Asia/Tokyo", ...members },
    ]);
  });

  it.each([
    ["L::a:(count(*)) {message = '[::1m]'}", false],
    ["L::a [10m]", false],
    ["L::a [10m:5m]", false],
    ["L::a [::auto:rate]", true],
    ["L::a [10m::1m]", true],
  ])("depends on whether the query has an interval: %s", (query, expected) => {
    expect(hasInterval(query)).toBe(expected);
  });

  it("uses common bucket lengths for each time range", () => {
    expect([60_000, 3_600_000, 86_400_000, 30 * 86_400_000].map((to) => intervalOf({ from: 0, to }, 180))).toEqual([
      1, 30, 600, 21_600,
    ]);
  });
});

describe("the texts of a chart", () => {
  it("show time ranges in the chosen time zone", () => {
    expect(rangeText({ from: 0, to: 60_000 }, zoneOf("UTC"))).toBe("1970-01-01 00:00:00 – 00:01:00");
    expect(rangeText({ from: 0, to: 60_000 }, zoneOf("Asia/Tokyo"))).toBe("1970-01-01 09:00:00 – 09:01:00");
    expect(rangeText({ last: 300_000 }, zoneOf("UTC"))).toBe("last 5 minutes");
  });

  it.each([
    ["1:9 parse error: unclosed left brace", "M::cpu:({", { from: 8, to: 9 }],
    ["2:3 unknown function", "M::cpu\n  foo(x)", { from: 9, to: 12 }],
    ["1:8 after two bytes each", "M::éé x", { from: 5, to: 6 }],
    ["9:99 beyond", "abc", { from: 3, to: 3 }],
    ["no place", "abc", { from: 0, to: 3 }],
  ])("mark the error %s at its place in the query", (message, query, expected) => {
    expect(placeOfFault(message, query)).toEqual(expected);
  });
});

describe("the requests", () => {
  const answering = (status: number, text: string) => {
    const sent: [string, RequestInit | undefined][] = [];
    const send = async (path: string | URL | Request, init?: RequestInit) => {
      sent.push([String(path), init]);
      return new Response(text, { status });
    };
    return { api: createApi(send as typeof fetch, () => "KEY"), sent };
  };

  it("send the key to the Open API alone", async () => {
    const { api, sent } = answering(200, '{"success":true,"content":[],"pageInfo":{"totalCount":7}}');
    expect(await api.list("a b")).toEqual({ rows: [], total: 7 });
    await api.ready();
    expect(
      sent.map(([path, init]) => [path, (init?.headers as Record<string, string> | undefined)?.["DF-API-KEY"]]),
    ).toEqual([
      ["openapi/v1/dashboard/list?pageSize=100&search=a+b", "KEY"],
      ["openapi/ready-dashboards", undefined],
    ]);
  });

  it.each([
    [403, '{"success":false,"errorCode":"Forbidden","message":"wrong key"}', [403, "Forbidden", "wrong key"]],
    [400, '{"error_code":"agent.queryParseError","message":"1:2 no"}', [400, "agent.queryParseError", "1:2 no"]],
    [502, "<html>", [502, "", "The answer has the status 502."]],
    [200, "<html>", [200, "", "The answer has the status 200."]],
  ])("that are answered %i %s fail with the reason", async (status, text, expected) => {
    const error = await answering(status, text)
      .api.list("")
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(ApiFault);
    expect([error.status, error.code, error.message]).toEqual(expected);
  });

  it("report that no platform is available on a page that no agent serves", async () => {
    expect(await answering(404, "<html>").api.state()).toEqual({ available: false, needsKey: false });
    expect(await answering(200, '{"available":true,"needsKey":true}').api.state()).toEqual({
      available: true,
      needsKey: true,
    });
  });

  it("keep large integers of answers exact", async () => {
    const { api } = answering(200, '{"content":[{"series":[{"columns":["n"],"values":[[9007199254740993]]}]}]}');
    const [answer] = await api.ask([], new AbortController().signal);
    // Some browsers do not pass the original digits of a number to the callback of JSON.parse. In such a browser,
    // the page shows the large number in the answer rounded.
    const exact =
      JSON.parse("1", ((_: string, value: unknown, context?: object) =>
        context === undefined ? value : 2) as never) === 2;
    expect(answer!.series[0]!.values[0]![0]).toBe(exact ? 9007199254740993n : 9007199254740992);
  });
});

describe("a template with numbers that JavaScript cannot hold", () => {
  it("is sent back unchanged, with the version that the page has read", async () => {
    const template = '{"title":"a","main":{"n":12345678901234567890,"charts":[],"x":0.12345678901234567891,"y":1e999}}';
    const sent: (readonly [unknown, unknown])[] = [];
    const send = async (_: unknown, init?: RequestInit) => {
      sent.push([init?.body, new Headers(init?.headers).get("If-Match")]);
      return new Response(`{"success":true,"content":${template}}`, { headers: { etag: '"3-9"' } });
    };
    const api = createApi(send as typeof fetch, () => "");
    const opened = await api.open("dsbd_1");
    sent.length = 0;
    await api.replace("dsbd_1", opened.template, opened.version);
    await api.replace("dsbd_1", opened.template, null);
    await api.create("b", exactText(templateOfFile(template).template));
    expect(sent).toEqual([
      [`{"templateInfo":${template}}`, '"3-9"'],
      [`{"templateInfo":${template}}`, null],
      [`{"name":"b","templateInfo":${template}}`, null],
    ]);
  });
});

describe("the lines of a chart", () => {
  it("share one list of times", () => {
    const lines = [
      {
        label: "a",
        points: [
          { x: 1, y: 1 },
          { x: 3, y: 3 },
        ],
      },
      {
        label: "b",
        points: [
          { x: 2, y: 2 },
          { x: 3, y: Number.NaN },
        ],
      },
    ];
    expect(columnsOf(lines)).toEqual({
      times: [1, 2, 3],
      values: [
        [1, null, 3],
        [null, 2, null],
      ],
    });
  });

  it("are stacked, above and below zero", () => {
    expect(
      barSpansOf(
        [
          [1, -2],
          [null, -1],
          [3, 4],
        ],
        true,
      ),
    ).toEqual([
      [
        { from: 0, to: 1 },
        { from: 0, to: -2 },
      ],
      [null, { from: -2, to: -3 }],
      [
        { from: 1, to: 4 },
        { from: 0, to: 4 },
      ],
    ]);
    expect(barSpansOf([[1], [2]], false)).toEqual([[{ from: 0, to: 1 }], [{ from: 0, to: 2 }]]);
  });

  it.each([
    [1234.5, "", "1,234.5"],
    [12, "ms", "12 ms"],
    [999, "B", "999 B"],
    [999_600, "B", "1 MB"],
    [12_345_678, "B/s", "12.3 MB/s"],
  ])("show %d with the unit “%s”", (value, unit, text) => {
    expect(unitText(value, unit)).toBe(text);
  });

  it("have short labels on the axis", () => {
    expect([0, 1.5, 9999, 15_000, -2_500_000, 3e9].map(axisText)).toEqual(["0", "1.5", "9,999", "15k", "-2.5M", "3G"]);
  });
});

it("readyText() names in Chinese the points that each ready dashboard needs", () => {
  expect(readyDashboards.map(({ needs }) => readyText(needs))).toEqual(readyDashboards.map(({ needs }) => needs));
  useTexts(texts);
  try {
    for (const { needs } of readyDashboards) expect(readyText(needs)).toMatch(/的(?:日志|指标)/);
    expect(readyText("points of a later version")).toBe("points of a later version");
  } finally {
    useTexts(null);
  }
});
