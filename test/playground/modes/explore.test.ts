// Tests what the explore mode computes: its queries, the choice of fields, groups and names, and the charts that it
// adds to dashboards.

import { describe, expect, it } from "vitest";
import { parseStatement } from "../../../lib/dql/index.ts";
import type { CategoryName } from "../../../lib/index.ts";
import {
  drawnField,
  drawnText,
  fieldsOf,
  firstDrawn,
  groupsOf,
  ownKeys,
  searchKeyOf,
} from "../../../playground/src/modes/explore/choices.ts";
import { stepText } from "../../../playground/src/modes/explore/step-text.ts";
import { keysWith, treeOf } from "../../../playground/src/modes/explore/tree.ts";
import { addChartTo, createWithChart } from "../../../playground/src/panes/dashboards/add-chart.ts";
import { type Api, createApi } from "../../../playground/src/panes/dashboards/api.ts";
import type { HeldKey, HeldSource, QueryJob } from "../../../playground/src/worker/query-run/asking.ts";
import type { ExploreChoice } from "../../../playground/src/worker/query-run/exploring.ts";
import { HeldPoints } from "../../../playground/src/worker/query-run/held-points.ts";
import { PlatformPoints } from "../../../playground/src/worker/query-run/platform-points.ts";
import {
  answer,
  countKeys,
  countSources,
  exploreQuery,
  keysOf,
  keyValues,
} from "../../../playground/src/worker/query-run/queries.ts";
import { loadMill } from "../worker/load-mill.ts";

const mill = await loadMill();

const source = (category: CategoryName, name: string, text: string, keys: readonly HeldKey[] = []): HeldSource => ({
  ...{ category, name, text, points: null, keys },
});
const nginx = source("logging", "nginx", "L::nginx");
const cpu = source("metric", "cpu", "M::cpu");
const choice = (part: Partial<ExploreChoice>): ExploreChoice => ({
  ...{ source: nginx, search: null, conditions: [], drawn: null },
  ...part,
});
const is = (key: string, text: string, kind: "string" | "int" | "float" | "bool" = "string") =>
  ({ key, cell: { kind, text }, wish: "only" }) as const;

describe("the query of a choice", () => {
  it.each<readonly [string, Partial<ExploreChoice>, string]>([
    ["lists points", {}, "L::nginx LIMIT 500"],
    [
      "searches a text as it is, in upper and lower case",
      { search: { key: "message", text: " a.b (c) 'd' " } },
      String.raw`L::nginx { message = re('(?is).*a\\.b \\(c\\) \'d\'.*') } LIMIT 500`,
    ],
    ["searches nothing when only blanks were typed", { search: { key: "message", text: "  " } }, "L::nginx LIMIT 500"],
    [
      "has each condition once",
      { conditions: [is("status", "error"), is("code", "500", "int"), is("status", "error")] },
      "L::nginx { status = 'error', code = 500 } LIMIT 500",
    ],
    ["leaves values out", { conditions: [{ ...is("a b", "x"), wish: "not" }] }, "L::nginx { `a b` != 'x' } LIMIT 500"],
    [
      "draws the number of points by a tag",
      { drawn: { fn: "count", field: null, by: "status" } },
      "L::nginx:(count(*)) [::auto] BY status",
    ],
    [
      "draws the mean of a metric",
      { source: cpu, drawn: { fn: "mean", field: "usage", by: null } },
      "M::cpu:(avg(usage)) [::auto]",
    ],
    [
      "draws with search and filter",
      {
        ...{ search: { key: "message", text: "GET" }, conditions: [is("ok", "true", "bool")] },
        drawn: { fn: "last", field: "by", by: "host-name" },
      },
      "L::nginx:(last(`by`)) { message = re('(?is).*GET.*'), ok = true } [::auto] BY `host-name`",
    ],
    [
      "names a measurement that is no plain name",
      { source: source("metric", "a b", "M::`a b`"), drawn: { fn: "sum", field: "n", by: null } },
      "M::`a b`:(sum(n)) [::auto]",
    ],
    ["lists the newest point of each object", { source: source("object", "host", "O::host") }, "O::host LIMIT 500"],
    [
      "draws all points of objects",
      { source: source("object", "host", "O::host"), drawn: { fn: "max", field: "load", by: "name" } },
      "OH::host:(max(load)) [::auto] BY name",
    ],
    [
      "names spans by their measurement, as their source is the service",
      { source: source("tracing", "otel", "T::otel"), conditions: [is("service", "web")] },
      "T::* { __source = 'otel', service = 'web' } LIMIT 500",
    ],
  ])("%s", (_, part, text) => {
    expect(exploreQuery(choice(part))).toBe(text);
    expect(() => parseStatement(text)).not.toThrow();
  });

  it.each(["mean", "max", "min", "sum", "count", "last"] as const)("draws with the function %s", (fn) => {
    const text = exploreQuery(choice({ source: cpu, drawn: { fn, field: "usage", by: "host" } }));
    expect(text).toBe(`M::cpu:(${fn === "mean" ? "avg" : fn}(usage)) [::auto] BY host`);
  });
});

const bodies: readonly (readonly [CategoryName, string])[] = [
  [
    "logging",
    `nginx,host=a status="ok",code=200i,message="GET /a" 1763719200000000000
nginx,host=a status="ok",code=200i,message="GET /b" 1763719260000000000
nginx,host=b status="error",message="GET /A" 1763719320000000000
shop message="x" 1763719320000000000
`,
  ],
  ["metric", "cpu,host=a usage=1,n=2i 1763719200000000000\ncpu,host=b usage=3 1763719260000000000\n"],
  [
    "tracing",
    `otel,service=web duration=5i 1763719200000000000
otel,service=db duration=7i 1763719200000000000
other,service=web duration=9i 1763719200000000000
`,
  ],
];

function heldPoints(): HeldPoints {
  const points = new HeldPoints(() => {});
  for (const [category, body] of bodies) {
    const batch = mill.decodePoints(new TextEncoder().encode(body), { category, form: "lp" });
    for (let at = 0; at < batch.length; at++) points.add(category, batch.point(at));
    batch.release();
  }
  return points;
}

describe("counts over points", async () => {
  const points = heldPoints();
  const { sources } = await points.holding("");
  const ask = (job: QueryJob) => answer(points, job);
  const job = { range: null };
  const named = (name: string) => sources.find((each) => each.name === name)!;
  const never = () => false;

  it("are computed for each measurement, with and without a time range", async () => {
    const list = ["nginx", "shop", "cpu", "otel", "other"].map(named);
    expect(await countSources({ sources: list, job }, ask, never)).toEqual([3, 1, 2, 2, 1]);
    const range = { from: 1763719250000, to: 1763719330000 };
    expect(await countSources({ sources: list, job: { ...job, range } }, ask, never)).toEqual([2, 1, 1, 0, 0]);
  });

  it("stop when nobody waits for them, and are null where a query fails", async () => {
    expect(await countSources({ sources, job }, ask, () => true)).toBe(null);
    const fault = async () => ({ kind: "fault", message: "no", from: 0, to: 0 }) as const;
    expect(await countSources({ sources: [named("nginx")], job }, fault, never)).toEqual([null]);
    const keys = [{ key: "code", kind: "int" }];
    expect(await countKeys({ source: nginx, keys, job }, fault, never)).toEqual([{ ...keys[0], points: null }]);
  });

  it("are computed for each tag and field", async () => {
    const counted = await countKeys({ source: named("nginx"), keys: named("nginx").keys, job }, ask, never);
    expect(counted!.map(({ key, kind, points: count }) => [key, kind, count])).toEqual([
      ["code", "int", 2],
      ["host", "tag", 3],
      ["message", "string", 3],
      ["status", "string", 3],
    ]);
    const metric = await countKeys({ source: named("cpu"), keys: named("cpu").keys, job }, ask, never);
    expect(metric!.map(({ key, points: count }) => [key, count])).toEqual([
      ["host", 2],
      ["n", 1],
      ["usage", 2],
    ]);
  });

  it("are computed for the values of a key, with filters and with a search", async () => {
    const { keys } = named("nginx");
    const of = (part: Partial<ExploreChoice>, key: string, search = "") =>
      keyValues({ choice: choice(part), key, keys, search, job }, ask);
    expect(await of({}, "status")).toEqual({
      ...{ key: "status", all: 2 },
      values: [
        { cell: { kind: "string", text: "ok" }, count: 2 },
        { cell: { kind: "string", text: "error" }, count: 1 },
      ],
    });
    expect((await of({ conditions: [is("host", "b")] }, "status"))!.values.map(({ cell }) => cell.text)).toEqual([
      "error",
    ]);
    expect((await of({}, "message", "/a"))!.values.map(({ cell }) => cell.text).sort()).toEqual(["GET /A", "GET /a"]);
    expect((await of({}, "code"))!.values).toEqual([{ cell: { kind: "int", text: "200" }, count: 2 }]);
    const metric = { choice: choice({ source: cpu }), key: "host", keys: named("cpu").keys, search: "", job };
    expect((await keyValues(metric, ask))!.values.map(({ cell, count }) => [cell.text, count])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("come from queries that find the chosen points", async () => {
    const rows = async (part: Partial<ExploreChoice>) => {
      const found = await ask({ ...job, timeZone: "", text: exploreQuery(choice(part)) });
      if (found.kind === "fault") throw new Error(found.message);
      return found.rows;
    };
    expect(await rows({})).toBe(3);
    expect(await rows({ search: { key: "message", text: "/a" } })).toBe(2);
    expect(await rows({ conditions: [is("status", "error")] })).toBe(1);
    expect(await rows({ source: named("otel") })).toBe(2);
    expect(await rows({ source: named("otel"), conditions: [is("service", "web")] })).toBe(1);
  });
});

it("keysOf() asks the platform for the keys of a measurement that were not listed", async () => {
  const asked: string[] = [];
  const points = new PlatformPoints(async (_, init) => {
    const { queries } = JSON.parse(String(init?.body)) as { queries: { query: string }[] };
    asked.push(...queries.map(({ query }) => query));
    const series = [{ columns: ["fieldKey", "fieldType"], values: [["n", "long"]] }];
    return new Response(JSON.stringify({ content: queries.map(() => ({ series })) }));
  });
  expect(await keysOf(points, nginx)).toEqual([{ key: "n", kind: "int" }]);
  expect(asked).toEqual(['show_logging_field(["nginx"])']);
  const known = source("logging", "a", "L::a", [{ key: "k", kind: "tag" }]);
  expect(await keysOf(points, known)).toBe(known.keys);
  expect(asked).toHaveLength(1);
});

const keys: readonly HeldKey[] = [
  { key: "usage", kind: "float" },
  { key: "host", kind: "tag" },
  { key: "__docid", kind: "str" },
  { key: "message", kind: "str" },
  { key: "status", kind: "str" },
  { key: "code", kind: "int" },
  { key: "ok", kind: "bool" },
  { key: "create_time", kind: "int" },
];

describe("the keys of a measurement", () => {
  it("are listed once each, tags first, without internal keys", () => {
    expect(ownKeys([...keys, keys[1]!]).map(({ key }) => key)).toEqual([
      ...["host", "code", "message", "ok", "status", "usage"],
    ]);
  });

  it.each<readonly [CategoryName, readonly string[], readonly string[], string | null]>([
    ["logging", ["host"], ["code", "message", "ok", "status"], "message"],
    ["metric", ["host"], [], null],
  ])("of the category %s can be grouped and searched", (category, tags, fields, search) => {
    expect(groupsOf(category, keys)).toEqual({ tags, fields });
    expect(searchKeyOf(category, keys)).toBe(search);
    expect(fieldsOf(keys)).toEqual({ numbers: ["code", "usage"], others: ["message", "ok", "status"] });
  });

  it("offer another text field for the search when there is no message", () => {
    const text = (key: string) => ({ key, kind: "str" });
    expect(searchKeyOf("tracing", [text("a"), text("resource")])).toBe("resource");
    expect(searchKeyOf("object", [text("b"), text("a")])).toBe("a");
    expect(searchKeyOf("object", [{ key: "a", kind: "int" }])).toBe(null);
  });

  it.each<readonly [CategoryName, readonly HeldKey[], string]>([
    ["logging", keys, "number of points by status"],
    ["logging", [], "number of points"],
    ["metric", keys, "mean of code"],
    ["metric", [{ key: "text", kind: "str" }], "number of points"],
  ])("decide the first chart of the category %s", (category, own, text) => {
    expect(drawnText(firstDrawn(category, own))).toBe(text);
  });

  it("keep function and group when another numeric field is drawn, and count other fields", () => {
    const drawn = { fn: "max", field: "usage", by: "host" } as const;
    expect(drawnField(drawn, "code", keys)).toEqual({ ...drawn, field: "code" });
    expect(drawnField(drawn, "message", keys)).toEqual({ ...drawn, fn: "count", field: "message" });
    expect(drawnField(drawn, null, keys)).toEqual({ ...drawn, fn: "count", field: null });
    expect(drawnField({ ...drawn, fn: "count", field: null }, "code", keys)).toEqual({
      ...drawn,
      fn: "mean",
      field: "code",
    });
  });
});

describe("the list of measurements", () => {
  const sources = [source("metric", "cpu", "M::cpu", keys), nginx, source("logging", "shop", "L::shop", [keys[0]!])];
  it.each([
    ["", ["Logs: nginx, shop", "Metrics: cpu"]],
    ["SHO", ["Logs: shop"]],
    ["usage", ["Logs: shop", "Metrics: cpu"]],
    ["none", []],
  ])("is filtered by %j", (part, shown) => {
    expect(
      treeOf(sources, part).map(({ title, sources: own }) => `${title}: ${own.map(({ name }) => name).join(", ")}`),
    ).toEqual(shown);
  });

  it("shows the keys that contain the text, or all keys when no key contains it", () => {
    expect(keysWith(keys, "us").map(({ key }) => key)).toEqual(["usage", "status"]);
    expect(keysWith(keys, "cpu")).toHaveLength(keys.length);
  });
});

it.each([
  [[], ""],
  [[5], ""],
  [[0, 30_000, 60_000, 120_000], "30 s"],
  [[0, 90_000], "1.5 min"],
  [[7_200_000, 0], "2 h"],
  [[0, 86_400_000], "1 d"],
  [[0, 250], "250 ms"],
])("times %j have the distance %j", (times, text) => expect(stepText(times)).toBe(text));

describe("a chart for a dashboard", () => {
  const text = { name: "Errors", kind: "bars", query: "L::nginx:(count(*)) [::auto]", unit: "" } as const;
  const first = { name: "old", type: "singlestat", pos: { x: 0, y: 0, w: 12, h: 9 }, queries: [], extend: { own: 1 } };
  const template = { title: "T", own: [1], main: { charts: [first], own: 2 } };

  function platform(refusal = 0): { readonly api: Api; readonly sent: [path: string, body: unknown][] } {
    const sent: [string, unknown][] = [];
    const send = async (path: unknown, init?: RequestInit) => {
      if (init?.method === "POST") sent.push([String(path), JSON.parse(String(init.body))]);
      if (init?.method === "POST" && refusal > 0)
        return new Response('{"success":false,"message":"not now"}', { status: refusal });
      const content = String(path).endsWith("/export") ? template : { uuid: "new", updateAt: 1 };
      return new Response(JSON.stringify({ success: true, content }), { status: 200 });
    };
    return { api: createApi(send as typeof fetch, () => ""), sent };
  }

  it("is added at the first free place, and the dashboard keeps all its other members", async () => {
    const { api, sent } = platform();
    await addChartTo(api, "u", text);
    expect(sent).toHaveLength(1);
    const [path, body] = sent[0]!;
    expect(path).toBe("openapi/v1/dashboard/u/import");
    expect(body).toMatchObject({
      templateInfo: {
        ...{ title: "T", own: [1] },
        main: {
          own: 2,
          charts: [
            first,
            {
              name: "Errors",
              type: "sequence",
              pos: { x: 12, y: 0, w: 12, h: 9 },
              queries: [{ query: { q: text.query } }],
            },
          ],
        },
      },
    });
  });

  it("is the first chart of a new dashboard", async () => {
    const { api, sent } = platform();
    expect(await createWithChart(api, "Mine", { ...text, kind: "logs" })).toBe("new");
    expect(sent[0]).toMatchObject([
      "openapi/v1/dashboard/create",
      { name: "Mine", templateInfo: { main: { charts: [{ type: "log", pos: { x: 0, y: 0, w: 24, h: 9 } }] } } },
    ]);
  });

  it("is refused with the reason of the platform", async () => {
    const { api } = platform(403);
    await expect(addChartTo(api, "u", text)).rejects.toThrow("not now");
  });
});
