// The header X-Global-Tags made by rules and by custom functions: the worked examples of
// docs/reference/gateway.md#rules-for-tags, and more.

import { describe, expect, it } from "vitest";
import { createGlobalTags } from "../../../lib/sharding/global-tags.ts";
import { parseHeader } from "../../../lib/sharding/header.ts";
import type { PlainPoint } from "../../../lib/sharding/plain-point.ts";
import { groupHeaders } from "../../../lib/sharding/shard-keys.ts";
import { functionIdParts } from "../../../lib/sharding/tag-rules.ts";
import table from "./global-tags.jsonl?raw";
import { rowsOf } from "./rows.ts";

interface Row {
  readonly row: number;
  readonly rules: unknown;
  readonly header: string;
  readonly category?: string;
  readonly point?: PlainPoint;
  /** The value that the user's function returns. The gateway makes the header from this value. */
  readonly returns?: unknown;
  readonly parsed?: Readonly<Record<string, string>>;
  /** Expected problems, each with severity, path and message. */
  readonly problems?: readonly (readonly string[])[];
  readonly reports?: readonly string[];
}

const thePoint: PlainPoint = {
  measurement: "keyevent",
  tags: { host: "web-001", ip: "1.2.3.4", service: "app-user", env: "prod", result: "success", region: "cn-east" },
  fields: { name: "Tom", count: 7, ok: true, message: "disk full", df_status: "error", note: "a, b" },
};
const extra = {
  DF_WORKSPACE_UUID: "wksp_1",
  DF_WORKSPACE_NAME: "Team A",
  DF_MONITOR_CHECKER_ID: "rul_9",
  DF_MONITOR_CHECKER_NAME: "CPU high",
};

const rows = rowsOf<Row>(table);

describe("global tags", () => {
  it.each(rows.map((row) => [row.row, JSON.stringify(row.rules).slice(0, 200), row] as const))(
    "%s: %s",
    async (_number, _rules, row) => {
      const reports: string[] = [];
      const tags = createGlobalTags(row.rules, {
        functionOf: (id) => (id === row.rules ? () => row.returns : undefined),
        report: (severity, message) => reports.push(`${severity}: ${message}`),
      });
      const header = await tags.headerOf(row.category ?? "keyevent", row.point ?? thePoint, extra);
      expect(header).toBe(row.header);
      expect(tags.problems.map(({ severity, path, message }) => [severity, path, message])).toEqual(row.problems ?? []);
      expect(reports).toEqual(row.reports ?? []);
      if (row.parsed !== undefined) expect(Object.fromEntries(parseHeader(header))).toEqual(row.parsed);
    },
  );

  it("have a test row for each of the 58 worked examples", () => {
    const numbers = new Set(rows.map(({ row }) => Math.floor(row)).filter((row) => row < 100));
    expect([...numbers]).toEqual(Array.from({ length: 58 }, (_, at) => at + 1));
  });
});

describe("a custom function", () => {
  const id = "my_set__my_script.make_tags";
  const headerBy = async (fn: (...args: never[]) => unknown, reports: string[] = []) =>
    createGlobalTags(id, {
      functionOf: () => fn as () => unknown,
      report: (severity, message) => reports.push(`${severity}: ${message}`),
    }).headerOf("metric", thePoint, extra);

  it("receives copies of the category, the point and the extra fields", async () => {
    const seen: unknown[] = [];
    const header = await headerBy((...args: unknown[]) => {
      seen.push(...structuredClone(args));
      const [, point, extraFields] = args as [string, { tags: Record<string, string> }, Record<string, string>];
      point.tags.host = "changed";
      extraFields.DF_WORKSPACE_UUID = "changed";
      return Promise.resolve({ host: point.tags.host });
    });
    expect(header).toBe("host=changed");
    expect(seen).toEqual(["metric", thePoint, extra]);
    expect([thePoint.tags.host, extra.DF_WORKSPACE_UUID]).toEqual(["web-001", "wksp_1"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    [
      "gives what throws when it is read",
      () => ({
        get a() {
          throw new Error("no");
        },
      }),
    ],
  ])("that %s leaves the header empty and reports an error", async (_how, fn) => {
    const reports: string[] = [];
    expect(await headerBy(fn, reports)).toBe("");
    expect(reports).toEqual([`error: function "${id}": no`]);
  });

  it("that does not exist leaves the header empty and is reported only once", async () => {
    const reports: string[] = [];
    const tags = createGlobalTags(id, { report: (severity, message) => reports.push(`${severity}: ${message}`) });
    expect([await tags.headerOf("metric", thePoint), await tags.headerOf("metric", thePoint)]).toEqual(["", ""]);
    expect(reports).toEqual([`error: function "${id}" not found`]);
  });

  it("has an id made of a set, a script and a function name", () => {
    expect(functionIdParts(id)).toEqual({ set: "my_set", script: "my_script", name: "make_tags" });
    expect(functionIdParts("a__b__c.d")).toEqual({ set: "a", script: "b__c", name: "d" });
  });
});

describe("points by header", () => {
  it("are grouped by the set of their header pairs, and groups keep the order of their first points", () => {
    const groups = groupHeaders(["a=1,b=2", "", "b=2,a=1", "a=1", "", "a=1,b=2"]);
    expect(groups.map(({ header, indexes }) => ({ header, indexes }))).toEqual([
      { header: "a=1,b=2", indexes: [0, 2, 5] },
      { header: "", indexes: [1, 4] },
      { header: "a=1", indexes: [3] },
    ]);
  });

  it("have a group id that stays the same for the same pairs in a later batch", () => {
    const ids = (headers: string[]) => groupHeaders(headers).map(({ id }) => id);
    const first = ids(["a=1,b=2", "", "a=1"]);
    expect(new Set(first).size).toBe(3);
    expect(ids(["a=1", "b=2,a=1"])).toEqual([first[2], first[0]]);
  });

  it("are in different groups when a comma belongs to different values", () => {
    expect(groupHeaders(["a=1,x,b=2", "a=1,b=2,x"])).toHaveLength(2);
  });
});
