// Queries over the points of a run in the worker: which points are kept, answers, positions of errors, edits of
// queries, completions.

import { describe, expect, it } from "vitest";
import { compileAll } from "../../../playground/src/worker/check.ts";
import type { Job } from "../../../playground/src/worker/protocol.ts";
import { mostRows } from "../../../playground/src/worker/query-run/answer.ts";
import type { Answered, Cell, Holding, QueryFault } from "../../../playground/src/worker/query-run/asking.ts";
import type { HeldPoints, Limits } from "../../../playground/src/worker/query-run/held-points.ts";
import {
  answer,
  answerCsv,
  editFilter,
  hold,
  noPoints,
  queryItems,
  queryWords,
} from "../../../playground/src/worker/query-run/queries.ts";
import { type Control, runJob } from "../../../playground/src/worker/run.ts";
import { loadMill, plainJob } from "./load-mill.ts";

const mill = await loadMill();

const body = `cpu,host=a usage=10,cores=4i 1763719200000000000
cpu,host=b usage=30,cores=8i 1763719260000000000
cpu,host=a usage=50,cores=4i 1763719320000000000
`;
const metrics: Partial<Job> = { form: "lp", category: "metric", input: body };

async function held(part: Partial<Job>, limits?: Limits): Promise<{ points: HeldPoints; holding: Holding }> {
  const job = { ...plainJob, ...part };
  const control: Control = { stopped: false };
  const made = await hold(
    job,
    control,
    async (each, sink) => {
      const set = compileAll(
        mill,
        each.scripts.filter(({ text }) => text !== ""),
      );
      const script = set.scripts.get(each.scripts[0]!.name) ?? null;
      const clock = () => each.now ?? 0n;
      return { kind: "ran", summary: await runJob(mill, script, each, clock, () => {}, control, [], sink) };
    },
    limits,
  );
  if ("reason" in made.answer) throw new Error(made.answer.reason);
  return { points: made.held, holding: made.answer };
}

const ask = async (points: HeldPoints, text: string, timeZone = "") => answer(points, { text, timeZone, range: null });

async function answered(points: HeldPoints, text: string): Promise<Answered> {
  const found = await ask(points, text);
  if (found.kind === "fault") throw new Error(found.message);
  return found;
}

const texts = ({ series }: Answered) =>
  series.map(({ name, tags, rows }) => [
    name,
    Object.fromEntries(tags),
    rows.map((row) => row.map(({ text }) => text)),
  ]);

describe("the points kept for queries", () => {
  it("are the points of the run, with their sources and keys", async () => {
    const { holding } = await held(metrics);
    expect(holding).toEqual({
      ...{ points: 3, cut: "" },
      sources: [
        {
          ...{ category: "metric", text: "M::cpu", name: "cpu", points: 3 },
          keys: [
            { key: "cores", kind: "int" },
            { key: "host", kind: "tag" },
            { key: "usage", kind: "float" },
          ],
        },
      ],
    });
  });

  it("are the points after the script: without dropped ones, with created ones of other categories", async () => {
    const script = `
grok(_, "%{WORD:verb} %{INT:code:int}")
if verb == "DROP" { drop() }
create_point("hits", {"verb": verb}, {"n": 1}, category="M")`;
    const { holding, points } = await held({
      ...{ input: "GET 200\nDROP 1\nPUT 500\n", source: "web", scripts: [{ name: "main.p", text: script }] },
    });
    expect(holding.sources.map(({ text, points: count }) => [text, count])).toEqual([
      ["M::hits", 3],
      ["L::web", 2],
    ]);
    expect(texts(await answered(points, "L::web:(verb, code) ORDER BY code"))).toEqual([
      [
        null,
        {},
        [
          ["1763719200000", "GET", "200"],
          ["1763719200000", "PUT", "500"],
        ],
      ],
    ]);
  });

  it.each([
    ["points", { points: 2, characters: 1e9 }],
    ["characters", { points: 100, characters: 100 }],
  ])("are cut at a limit of %s, and the answer reports the cut", async (_, limits) => {
    const { holding } = await held(metrics, limits);
    expect(holding.points).toBe(2);
    expect(holding.cut).toMatch(/^Only the first points are held, \d+ % of the input/);
  });

  it("are none when the script or the input has an error", async () => {
    const none = await hold(plainJob, { stopped: false }, async () => ({ kind: "script-errors", notes: [] }));
    expect(none.answer).toEqual({ reason: "The script has an error, so there are no points." });
    const broken = await hold(plainJob, { stopped: false }, async () => ({ kind: "input-error", message: "not gzip" }));
    expect(broken.answer).toEqual({ reason: "not gzip" });
    expect(texts(await answered(noPoints(), "M::cpu"))).toEqual([]);
  });
});

describe("an answer", () => {
  it.each([
    [
      "all points of any time, newest first",
      "M::cpu:(usage)",
      [
        [
          "cpu",
          {},
          [
            ["1763719320000", "50"],
            ["1763719260000", "30"],
            ["1763719200000", "10"],
          ],
        ],
      ],
    ],
    [
      "groups",
      "M::cpu:(avg(usage)) BY host",
      [
        ["cpu", { host: "a" }, [["1763719200000", "30"]]],
        ["cpu", { host: "b" }, [["1763719200000", "30"]]],
      ],
    ],
    [
      "times that count back from the newest point",
      "M::cpu:(usage) [90s]",
      [
        [
          "cpu",
          {},
          [
            ["1763719320000", "50"],
            ["1763719260000", "30"],
          ],
        ],
      ],
    ],
    ["a filter", "M::cpu:(usage) { host = 'b' }", [["cpu", {}, [["1763719260000", "30"]]]]],
    ["a single value", "M::cpu:(max(usage))", [["cpu", {}, [["1763719200000", "50"]]]]],
    ["a function over a query", 'show_tag_key(from=["cpu"])', [["cpu", {}, [["host"]]]]],
  ])("has %s", async (_, text, wanted) => {
    const { points } = await held(metrics);
    const got = texts(await answered(points, text)).map(([name, tags, rows]) => [name, tags, rows]);
    expect(got).toEqual(wanted);
  });

  it("has the types of the values", async () => {
    const { points } = await held({
      form: "lp",
      category: "logging",
      input: 'a f=1.5,i=3i,b=true,s="x" 1763719200000000000\n',
    });
    const { series } = await answered(points, "L::a:(f, i, b, s, absent)");
    expect(series[0]!.rows[0]!.map(({ kind }) => kind)).toEqual(["time", "float", "int", "bool", "string", "nil"]);
  });

  it("names the keys that a filter can use, and no computed column", async () => {
    const { points } = await held(metrics);
    const keys = async (text: string) => (await answered(points, text)).keys;
    expect(await keys("M::cpu:(usage AS u, max(cores)) BY host")).toEqual([
      ["u", "usage"],
      ["host", "host"],
    ]);
    expect((await keys("M::cpu")).map(([column]) => column)).toEqual(expect.arrayContaining(["usage", "host"]));
    expect(await keys("M::(M::cpu:(usage)):(usage)")).toEqual([]);
  });

  it("warns when a limit cuts off rows, contains a limited number of rows, and counts all rows", async () => {
    const input = Array.from({ length: mostRows + 1000 }, (_, at) => `line ${at}`).join("\n");
    const { points } = await held({ input });
    expect(await answered(points, "L::default:(message)")).toMatchObject({
      rows: 1000,
      warning: expect.stringContaining(`1000 of ${mostRows + 1000} rows`),
    });
    const whole = await answered(points, "L::default:(message) LIMIT 10000");
    expect([whole.rows, whole.series[0]!.rows.length, whole.warning]).toEqual([mostRows + 1000, mostRows, ""]);
    expect(
      (await answerCsv(points, { text: "L::default:(message) LIMIT 10000", timeZone: "", range: null }))
        .toString()
        .split("\n"),
    ).toHaveLength(mostRows + 1002);
  });

  it("contains the plan of the query and the SQL for a database", async () => {
    const { points } = await held(metrics);
    const { plan, sql } = await answered(points, "M::cpu:(avg(usage)) { cores > 3 } BY host");
    expect(plan).toContain("where:   cores > 3");
    expect(plan).toContain("by:      host");
    expect(sql).toMatch(/SELECT[\s\S]*"float usage"[\s\S]*FROM metric[\s\S]*"int cores"/);
  });

  it("can be returned as CSV", async () => {
    const { points } = await held(metrics);
    expect(await answerCsv(points, { text: "M::cpu:(usage) BY host", timeZone: "", range: null })).toBe(
      "name,host,time,usage\ncpu,a,1763719320000,50\ncpu,a,1763719200000,10\ncpu,b,1763719260000,30\n",
    );
  });
});

describe("a time range", () => {
  const [first, second, third] = [1763719200000, 1763719260000, 1763719320000];
  it.each([
    ["of all points is none", "M::cpu:(count(usage))", null, "3"],
    ["of two times bounds a query that names none", "M::cpu:(count(usage))", { from: first, to: second }, "2"],
    ["ends at the newest point", "M::cpu:(count(usage))", { lastMs: third - second }, "2"],
    ["of the query itself wins", "M::cpu:(count(usage)) [10m]", { from: first, to: first }, "3"],
  ])("%s", async (_, text, range, count) => {
    const { points } = await held(metrics);
    const found = await answer(points, { text, timeZone: "", range });
    expect(found).toMatchObject({ kind: "answered", series: [{ rows: [[{}, { text: count }]] }] });
  });
});

describe("an error", () => {
  it.each([
    ["M::cpu:(usage", "e", /unclosed|unexpected/],
    ["M::cpu:(nosuch(usage))", "nosuch", /unknown function "nosuch"/],
    ["M::cpu:(AVG(usage, 3))", "AVG", /expects 1 arguments/],
    ["Q::cpu", "Q", /unknown namespace/],
    ["M::cpu:(usage)\n { 'ü' > }", "}", /unexpected/],
    ["M::cpu LIMIT -1", "-", /unexpected/],
    ["M::cpu:(usage) BY ", " ", /end of input/],
    ["", "", /./],
  ])("of %j marks its place", async (text, word, message) => {
    const { points } = await held(metrics);
    const fault = (await ask(points, text)) as QueryFault;
    expect([fault.kind, fault.message]).toEqual(["fault", expect.stringMatching(message)]);
    expect(text.slice(fault.from, fault.to)).toBe(word);
  });

  it("ends a query that takes too long", async () => {
    const { points } = await held({ input: Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n") });
    const job = { text: "L::default:(count(*))", timeZone: "", range: null };
    expect(await answer(points, job, 0)).toMatchObject({
      kind: "fault",
      message: expect.stringMatching(/took longer/),
    });
    expect((await answer(points, job)).kind).toBe("answered");
  });

  it("repeats no long text of the query", async () => {
    const { points } = await held(metrics);
    const fault = (await ask(points, `M::cpu:(${"x".repeat(5000)}(usage))`)) as QueryFault;
    expect(fault.kind).toBe("fault");
    expect(fault.message.length).toBeLessThanOrEqual(1000);
  });
});

describe("a change of the filter", () => {
  const cell = (kind: Cell["kind"], text: string): Cell => ({ kind, text });
  it.each([
    ["L::a", "k", cell("string", "x"), "only", "L::a { k = 'x' }"],
    ["L::a", "k", cell("string", "it's \\"), "not", "L::a { k != 'it\\'s \\\\' }"],
    ["L::a:(f, g) [1h] BY f", "k", cell("int", "3"), "only", "L::a:(f, g) { k = 3 } [1h] BY f"],
    ["L::a { b = 1 } [1h]", "k", cell("bool", "true"), "only", "L::a { b = 1, k = true } [1h]"],
    ["L::a [1h] { b = '}' }", "k", cell("float", "-1.5"), "not", "L::a [1h] { b = '}', k != -1.5 }"],
    ["L::a {}", "k", cell("nil", ""), "not", "L::a { k != nil }"],
    ["L::a:(f) LIMIT 5", "a b", cell("int", "1"), "only", "L::a:(f) { `a b` = 1 } LIMIT 5"],
    ["L::a # all of it", "k", cell("int", "1"), "only", "L::a { k = 1 } # all of it"],
    ["L::(L::a { x = 1 }):(f)", "k", cell("int", "1"), "only", "L::(L::a { x = 1 }):(f) { k = 1 }"],
    ["L::a { k = 1 }", "k", cell("int", "1"), "only", "L::a { k = 1 }"],
    ["L::`by`", "by", cell("int", "1"), "only", "L::`by` { `by` = 1 }"],
  ] as const)("turns %j, %s into one condition more", (text, key, value, wish, wanted) => {
    expect(editFilter({ text, key, cell: value, wish })).toBe(wanted);
  });

  it.each([
    ["L::a {", "k", cell("int", "1")],
    ["show_tag_key()", "k", cell("int", "1")],
    ["L::a", "k", cell("list", "[1]")],
    ["L::a", "k", { ...cell("string", "long"), isCut: true }],
  ])("is refused for %j, where it is not possible", (text, key, value) => {
    expect(editFilter({ text, key, cell: value, wish: "only" })).toBeNull();
  });

  it("results in a query that can be answered", async () => {
    const { points } = await held(metrics);
    const [row] = (await answered(points, "M::cpu:(usage, host)")).series[0]!.rows;
    const text = editFilter({ text: "M::cpu:(usage, host)", key: "usage", cell: row![1]!, wish: "not" })!;
    expect(texts(await answered(points, text))).toEqual([
      [
        "cpu",
        {},
        [
          ["1763719260000", "30", "b"],
          ["1763719200000", "10", "a"],
        ],
      ],
    ]);
  });
});

describe("help while typing", () => {
  it.each([
    ["M::", "cpu"],
    ["M::cpu:(", "usage"],
    ["M::cpu:(av", "avg"],
    ["M::cpu {", "host"],
    ["M::cpu:(usage) BY ", "host"],
    ["M::cpu:(usage) ", "LIMIT"],
  ])("offers after %j the name %s", async (before, label) => {
    const { points } = await held(metrics);
    expect((await queryItems(points, before)).items.map((item) => item.label)).toContain(label);
  });

  it("explains functions and namespaces", () => {
    const words = new Map(queryWords().map((word) => [word.name, word]));
    expect(words.get("avg")).toEqual({ name: "avg", kind: "aggregate function", summary: "mean of the numbers" });
    expect(words.get("L")).toEqual({ name: "L", kind: "namespace", summary: "points of logging" });
  });
});
