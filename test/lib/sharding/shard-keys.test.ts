// The header X-Global-Tags that the agent derives from points: the worked examples of
// docs/reference/gateway.md#headers-from-an-agent, and requests without points.

import { describe, expect, it } from "vitest";
import type { CategoryName } from "../../../lib/point/category.ts";
import { decodePoints } from "../../../lib/point/codec/decode.ts";
import { Key } from "../../../lib/point/view.ts";
import { parseHeader } from "../../../lib/sharding/header.ts";
import {
  customerKeys,
  groupByHeader,
  headerOfAllTags,
  headerOfBody,
  shardKeys,
} from "../../../lib/sharding/shard-keys.ts";
import { loadModule } from "../wasm/load.ts";
import table from "./agent-headers.jsonl?raw";
import { rowsOf } from "./rows.ts";

interface Row {
  readonly row: string;
  readonly category: CategoryName;
  readonly lines: readonly string[];
  readonly host: Readonly<Record<string, string>>;
  readonly election: Readonly<Record<string, string>>;
  readonly customer: readonly string[];
  /**
   * True when the agent adds its global tags to the points before it derives the header. It first adds the tags in
   * `election` (only for writes with the parameter `global_election_tags`), and then the tags in `host`.
   */
  readonly add?: boolean;
  readonly groups: readonly (readonly [header: string, indexes: readonly number[]])[];
}

describe("the header of points", async () => {
  const module = await loadModule();

  it.each(rowsOf<Row>(table))("$row: $lines", ({ category, lines, host, election, customer, add, groups }) => {
    const body = new TextEncoder().encode(lines.join("\n"));
    const points = decodePoints(module, body, "lp", { category, now: 1n });
    expect(points.length).toBe(lines.length);
    for (const point of points) {
      if (add !== true) continue;
      for (const [key, value] of [...Object.entries(election), ...Object.entries(host)]) {
        if (!point.has(new Key(key))) point.setTag(new Key(key), value);
      }
    }
    const found = groupByHeader(points, category, shardKeys(host, election, customer));
    // The order of the pairs in a header has no meaning, so the pairs are sorted before the comparison.
    const sorted = (header: string) => header.split(",").sort().join(",");
    expect(found.map(({ header, indexes }) => [sorted(header), indexes])).toEqual(
      groups.map(([header, indexes]) => [sorted(header), indexes]),
    );
    points.release();
  });

  it("is parsed so that a tag of the point wins over the built-in key of the same name", () => {
    expect(parseHeader("category=system,category=security").get("category")).toBe("system");
  });
});

describe("shard keys", () => {
  it("are the keys of the global tags plus the first three configured keys", () => {
    const { keys, of } = customerKeys([" app ", "", "app", "env", "team", "zone"]);
    expect([keys, of]).toEqual([["app", "env", "team"], 4]);
    expect([...shardKeys({ host: "h" }, { cluster: "c", host: "h" }, keys)]).toEqual([
      "host",
      "cluster",
      "app",
      "env",
      "team",
    ]);
  });
});

describe("the header of requests without points", () => {
  it("contains all global tags, sorted by key, and election tags win over host tags", () => {
    expect(headerOfAllTags({ host: "h", region: "r" }, { cluster: "c", region: "e" })).toBe(
      "cluster=c,host=h,region=e",
    );
    expect(headerOfAllTags({}, {})).toBe("");
  });

  it("uses the known values of a pass-through body, or else all global tags", () => {
    const keys = new Set(["app_id", "category", "env"]);
    const known: [string, string][] = [
      ["app_id", "a"],
      ["app_id", "b"],
      ["category", "mine"],
      ["other", "x"],
    ];
    expect(headerOfBody(known, "session_replay", keys, "host=h")).toBe("app_id=a,category=session_replay");
    expect(headerOfBody(known, "session_replay", new Set(["env"]), "host=h")).toBe("host=h");
  });
});
