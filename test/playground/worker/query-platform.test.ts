// Queries over the points of a platform. The worker sends a query to the server of the page, and the server
// sends the query on to the platform.

import { expect, it } from "vitest";
import { PlatformPoints } from "../../../playground/src/worker/query-run/platform-points.ts";
import { answer, answerCsv, queryItems } from "../../../playground/src/worker/query-run/queries.ts";

interface Sent {
  readonly queries: readonly Readonly<Record<string, unknown>>[];
  readonly echo_explain?: boolean;
}

/**
 * Makes a stand-in for a platform. It answers each query with the object that `entryOf` returns for the query's text,
 * or refuses the query when `entryOf` returns null.
 */
function platform(entryOf: (query: string) => object | null, status = 200) {
  const sent: Sent[] = [];
  const points = new PlatformPoints(async (path, init) => {
    expect([path, init?.method]).toEqual(["/v1/query/raw", "POST"]);
    const request = JSON.parse(String(init?.body)) as Sent;
    sent.push(request);
    const content = request.queries.map(({ query }) => entryOf(String(query)));
    const body =
      status === 200
        ? JSON.stringify({ content }).replace('"9007199254740993"', "9007199254740993")
        : JSON.stringify(entryOf(""));
    return new Response(body, { status });
  });
  return { points, sent };
}

const list = (columns: readonly string[], ...values: readonly unknown[][]) => ({ series: [{ columns, values }] });
const empty = { series: [] };
const job = (text: string, range: { from: number; to: number } | null = null) => ({ text, timeZone: "", range });

it("lists sources and their keys with kinds, logs first", async () => {
  const { points, sent } = platform((query) => {
    if (query === "show_measurement()") return list(["name"], ["cpu"]);
    if (query === "show_logging_source()") return list(["name"], ["a b"]);
    if (query === 'show_tag_key(from=["cpu"])') return list(["tagKey"], ["host"]);
    if (query === 'show_field_key(from=["cpu"])') return list(["fieldKey", "fieldType"], ["usage", "float"]);
    if (query === 'show_logging_field(["a b"])')
      return list(["fieldKey", "fieldType"], ["status", "keyword"], ["n", "long"]);
    return empty;
  });
  expect(await points.holding()).toEqual({
    points: null,
    cut: "",
    sources: [
      {
        ...{ category: "logging", name: "a b", text: "L::`a b`", points: null },
        keys: [
          { key: "status", kind: "str" },
          { key: "n", kind: "int" },
        ],
      },
      {
        ...{ category: "metric", name: "cpu", text: "M::cpu", points: null },
        keys: [
          { key: "host", kind: "tag" },
          { key: "usage", kind: "float" },
        ],
      },
    ],
  });
  for (const { queries } of sent) expect(queries.length).toBeLessThanOrEqual(50);
});

it("lists no more than 100 sources, and says so", async () => {
  const names = Array.from({ length: 130 }, (_, at) => [`m${at}`]);
  const { points } = platform((query) => (query === "show_measurement()" ? list(["name"], ...names) : empty));
  const holding = await points.holding();
  expect(holding).toMatchObject({ cut: "The first 100 of 130 sources are listed." });
});

it.each([
  [404, null, /from a server without a platform/],
  [500, { error_code: "agent.noGatewayAvailable", message: "a query needs [gateway] urls" }, /needs \[gateway\] urls/],
  [503, { message: 7 }, /status 503/],
])("returns the reason when there is no platform: status %i", async (status, body, reason) => {
  const { points } = platform(() => body, status);
  expect(await points.holding()).toEqual({ reason: expect.stringMatching(reason) });
});

it("says that the server does not answer", async () => {
  const points = new PlatformPoints(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(await points.holding()).toEqual({ reason: expect.stringMatching(/does not answer/) });
  expect(await answer(points, job("M::cpu"))).toMatchObject({
    kind: "fault",
    message: expect.stringMatching(/answer/),
  });
});

it("returns exact integers, the warning and the plan of an answer", async () => {
  const series = [
    {
      name: "cpu",
      tags: { host: "a" },
      columns: ["time", "n", "usage", "ok"],
      values: [
        [1000, "9007199254740993", 1.5, true],
        [2000, null, 2, "x"],
      ],
    },
  ];
  const entry = { series, query_warning: "5 of 9 rows", raw_query: "-- the plan" };
  const { points, sent } = platform(() => entry);
  const found = await answer(points, { text: "M::cpu:(n, usage, ok) BY host", timeZone: "Asia/Tokyo", range: null });
  expect(found).toMatchObject({
    kind: "answered",
    ...{ rows: 2, warning: "5 of 9 rows", plan: "-- the plan" },
    keys: [
      ["n", "n"],
      ["usage", "usage"],
      ["ok", "ok"],
      ["host", "host"],
    ],
    series: [
      {
        tags: [["host", "a"]],
        rows: [
          [
            { kind: "time", text: "1000" },
            { kind: "int", text: "9007199254740993" },
            { kind: "float", text: "1.5" },
            { kind: "bool", text: "true" },
          ],
          [{ text: "2000" }, { kind: "nil" }, { kind: "int", text: "2" }, { kind: "string", text: "x" }],
        ],
      },
    ],
  });
  expect(sent).toEqual([
    {
      queries: [{ query: "M::cpu:(n, usage, ok) BY host", tz: "Asia/Tokyo", max_duration: "36500d" }],
      echo_explain: true,
    },
  ]);
});

it.each([
  ["M::cpu:(usage)", [1000, 2000]],
  ["M::cpu:(usage) [5m]", undefined],
])("sends the chosen time range only when the query names no range: %s", async (text, range) => {
  const { points, sent } = platform(() => empty);
  await answer(points, job(text, { from: 1000, to: 2000 }));
  expect(sent[0]!.queries[0]!.time_range).toEqual(range);
});

it("marks an error at its place without sending the query", async () => {
  const { points, sent } = platform(() => empty);
  expect(await answer(points, job("M::cpu:(nosuch(usage))"))).toMatchObject({ kind: "fault", from: 8, to: 14 });
  expect(sent).toEqual([]);
});

it("returns the reason when the platform refuses a query", async () => {
  const { points } = platform(() => ({ message: '1:1 parse error: "usage" is too much' }), 400);
  expect(await answer(points, job("M::cpu:(usage)"))).toEqual({
    ...{ kind: "fault", message: '"usage" is too much', from: 8, to: 13 },
  });
  expect(await answerCsv(points, job("M::cpu:(usage)"))).toMatchObject({ kind: "fault" });
});

it.each([
  ["no answer", () => Promise.reject(new TypeError("Failed to fetch")), /^The server of this page does not answer\.$/],
  ["an answer that is no JSON", async () => new Response("<html>"), /^The answer of the server cannot be read: /],
  [
    "series without rows",
    async () => new Response('{"content":[{"series":[{}]}]}'),
    /^The answer of the server cannot be/,
  ],
] as const)("tells a server that does not answer from an answer that cannot be read: %s", async (_, send, message) => {
  const fault = await answer(new PlatformPoints(send), job("M::cpu:(usage)"));
  expect(fault).toEqual({ kind: "fault", message: expect.stringMatching(message), from: 0, to: 14 });
});

it("returns CSV, and completes names of the platform", async () => {
  const { points, sent } = platform((query) => {
    if (query === "M::cpu") return { csv: "time,usage\n1,2\n" };
    return query === "show_measurement()" ? list(["name"], ["cpu"], ["memory"]) : empty;
  });
  expect(await answerCsv(points, job("M::cpu"))).toBe("time,usage\n1,2\n");
  expect(sent[0]!.queries[0]).toMatchObject({ output_format: "csv" });
  const labels = async () => (await queryItems(points, "M::m")).items.map(({ label }) => label);
  expect(await labels()).toContain("memory");
  const asked = sent.length;
  expect(await labels()).toContain("memory");
  expect(sent.length).toBe(asked);
});
