// Workspaces share the tables in ClickHouse, but each reads only its own points, whatever a query contains.

import { afterAll, beforeAll, expect, it } from "vitest";
import { DqlError, readRequest, runQuery } from "../../lib/dql/index.ts";
import { categories } from "../../lib/point/category.ts";
import { Point } from "../../lib/point/point.ts";
import { Key } from "../../lib/point/view.ts";
import { ClickStore } from "../../server/store/clickhouse.ts";
import { now } from "../lib/dql/sample-data.ts";
import { type ClickHouseEngine, startEngine } from "./engine.ts";

const [own, foreign] = ["aaaa", "bbbb"];

let clickhouse: ClickHouseEngine;
let store: ClickStore;

beforeAll(async () => {
  clickhouse = await startEngine();
  const url = clickhouse.url("shared");
  store = await ClickStore.open({ url, cluster: "", memory: 0, queryTimeoutMs: 30_000, now: () => now });
  for (const category of categories) {
    await store.ingest(own!, category, category, points("open", "mine"));
    await store.ingest(foreign!, category, category, points("hidden", "SECRET"));
  }
});

afterAll(async () => {
  await store?.close();
  await clickhouse?.close();
});

/**
 * Returns two points of a workspace: one with the given name, and one with the name "both", which both workspaces use.
 * Most of the keys also occur in both workspaces.
 */
function points(name: string, value: string): Point[] {
  return [name, "both"].map((each) => {
    const point = new Point(each, BigInt(now) * 1_000_000n - 1n);
    for (const key of ["host", "name", "service", "category"]) point.setTag(new Key(key), value);
    for (const key of ["message", "status", `key_${value}`]) point.setField(new Key(key), value);
    point.setField(new Key("latency"), value === "SECRET" ? 424_242 : 1);
    return point;
  });
}

const spaces = ["M", "L", "O", "OH", "CO", "E", "T", "R", "S", "N"];
const tricks = [
  "x' OR '1'='1",
  "x' OR 1=1 --",
  "x\\' OR 1=1 --",
  "') OR workspace = 'bbbb' --",
  "{p0:String}",
  "{p1:String}' OR 1=1 --",
  "\\",
  "\\\\' OR 1=1 --",
  "a\u0000' OR 1=1",
  "/* */ UNION ALL SELECT * FROM shared.points_logging",
  "`] OR 1=1 --",
  "'] OR mapContains(strings, 'message') --",
];
const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const named = (text: string) => `\`${text.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

const statements: readonly string[] = [
  ...spaces.flatMap((space) => [
    `${space}::re(\`.*\`) [30d]`,
    `${space}::* [30d]`,
    `${space}::both [30d]`,
    `${space}::hidden [30d]`,
    `${space}::re(\`.*\`):(count(*), max(latency), last(message)) [30d] BY host`,
    `${space}::re(\`.*\`):(message) {latency > 0 or latency < 0 or true} [30d]`,
    `${space}::re(\`.*\`):(message) {message != 'x'} [30d]`,
    `${space}::re(\`.*\`):(message) {workspace = 'bbbb'} [30d]`,
    `${space}::re(\`.*\`):(workspace, message) [30d] BY workspace`,
    `${space}::re(\`.*\`):(message) {message = re('.*')} [30d]`,
    `${space}::re(\`.*\`):(message) {message IN (${space}::hidden:(message) [30d])} [30d]`,
    `${space}::(${space}::hidden:(message, latency) [30d]):(message)`,
    `${space}::re(\`.*\`):(distinct(message)) [30d] HAVING message != '' SLIMIT 10`,
    `${space}::re(\`.*\`):(top(latency, 10), message) [30d]`,
  ]),
  ...tricks.flatMap((trick) => [
    `L::both:(message) {message = ${quoted(trick)}} [30d]`,
    `L::both:(message) {message != ${quoted(trick)}} [30d]`,
    `L::both:(message) {message IN [${quoted(trick)}, 'mine']} [30d]`,
    `L::both:(message) {message = wildcard(${quoted(`*${trick}*`)})} [30d]`,
    `L::both:(message) {message = match(${quoted(trick)})} [30d]`,
    `L::both:(message) {message = query_string(${quoted(trick)})} [30d]`,
    `L::both:(message) {${named(trick)} = ${quoted(trick)}} [30d]`,
    `L::${named(trick)}:(message) [30d]`,
    `L::both:(max(latency) AS ${named(trick)}) [30d] BY ${named(trick)}`,
    `L::both:(${named(trick)}, count(${named(trick)})) [30d] ORDER BY ${named(trick)} DESC`,
    `L::both:(sum(${named(trick)}), first(${named(trick)})) [30d]`,
    `show_tag_value(from=[${quoted(trick)}, 'both'], keyin=['host'])`,
  ]),
  ..."measurement tag_key field_key".split(" ").map((what) => `show_${what}()`),
  "show_tag_value(keyin=['host'])",
  "show_tag_value(from=['hidden'], keyin=['host'])",
  ..."object custom_object logging event tracing rum network security"
    .split(" ")
    .map((what) => `show_${what}_source()`),
  ..."object logging tracing rum".split(" ").map((what) => `show_${what}_field()`),
];

const members: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { conditions: "{ workspace = 'bbbb' }" },
  { conditions: '{ message = "x\' OR 1=1 --" or true }' },
  { index_list: ["x') OR 1=1 --"] },
  { limit: 1000, offset: 0, slimit: 1000, search_after: [] },
  { orderby: [{ "latency' DESC) OR 1=1 --": "desc" }] },
];

it("a query never returns another workspace's points, keys or names", async () => {
  const engine = await store.engine(own!);
  let [answered, seen] = [0, 0];
  for (const [at, query] of statements.entries()) {
    for (const member of at < 3 * spaces.length ? members : members.slice(0, 1)) {
      let request: ReturnType<typeof readRequest>;
      try {
        request = readRequest({ queries: [{ query, ...member }] });
      } catch {
        continue;
      }
      try {
        const { series } = await runQuery(request.queries[0]!, engine, { now });
        const text = JSON.stringify(series, (_, value) =>
          value instanceof Map ? [...value] : typeof value === "bigint" ? String(value) : value,
        );
        expect(text, query).not.toMatch(/SECRET|hidden|424242/);
        answered++;
        if (/mine|open/.test(text)) seen++;
      } catch (error) {
        // A random query may have a mistake, which Millrace itself must report as DqlError. Any other error means that
        // ClickHouse has received a wrong query.
        if (!(error instanceof DqlError)) throw new Error(`${query}: ${String(error)}`);
      }
    }
  }
  expect(answered).toBeGreaterThan(150);
  expect(seen).toBeGreaterThan(80);
}, 300_000);

it("every SELECT statement on points filters by its workspace and contains no text of the user", async () => {
  const reads = (await clickhouse.log()).filter(
    ({ statement }) => statement.includes("`points_") && statement.startsWith("SELECT"),
  );
  expect(reads.length).toBeGreaterThan(150);
  for (const { statement, parameters } of reads) {
    const place = / WHERE workspace = \{(p[0-9]+):String\}(?: AND | LIMIT |$)/.exec(statement)?.[1];
    expect(place, statement).toBeDefined();
    expect(parameters[place!]).toBe(own);
    expect(statement).not.toMatch(/OR '?1|UNION|bbbb|SECRET|hidden|mine/);
    expect(statement.match(/FROM/g)).toHaveLength(1);
  }
});

it("the store refuses to open an engine for an invalid workspace id", async () => {
  for (const id of ["aaaa' OR 1=1 --", "", "A", "../x", "a".repeat(65)])
    await expect(store.engine(id)).rejects.toThrow(/no workspace has the id/);
});
