// Runs the examples of every function, and checks that every declaration is complete enough for the documentation.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { controlFunctions } from "../../../../lib/pipeline/functions/control.ts";
import type { Example } from "../../../../lib/pipeline/functions/declare.ts";
import { functions } from "../../../../lib/pipeline/functions/index.ts";
import type { Host } from "../../../../lib/pipeline/runtime/run.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, type PointValue } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";
import { parseReferTables } from "../../../../lib/refer-table/read-document.ts";
import { ReferTables } from "../../../../lib/refer-table/tables.ts";
import { isBytes } from "../../../../lib/text/bytes.ts";

const NOW = 1700000000000000000n;

const services = `[{"table_name": "services", "column_name": ["name", "port", "udp"], "column_type": ["string", "int", "bool"],
  "row_data": [["https", 443, false], ["dns", 53, true]]}]`;

const loaded = parseReferTables(new TextEncoder().encode(services));
const tables = "tables" in loaded ? new ReferTables(loaded.tables) : null;

/** The clock, network and other services that the examples use. */
const host: Host = {
  now: () => NOW,
  random: () => 0.5,
  timeZone: "UTC",
  tables: () => tables,
  geoip: (ip) => (ip === "192.0.2.7" ? { city: "Kyoto", country: "JP" } : null),
  fetch: async (url) => new Response(url.endsWith("/level") ? "12" : "", { status: 200 }),
};

function plain(value: PointValue): unknown {
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint") return Number(value);
  return isBytes(value) ? value.toString() : value;
}

/**
 * Runs an example and returns the keys that the example added, changed or removed. Every run adds the field
 * `status`, so the returned object includes `status` only when the expected result of the example includes it.
 */
async function run({ script, input, gives }: Example): Promise<Record<string, unknown>> {
  const set = compileScripts({ "main.p": script }, { patterns: builtinPatterns });
  const error = set.errors.get("main.p");
  if (error !== undefined) throw new Error(error.error);
  const point = new Point("default", NOW);
  point.setField(new Key("message"), input);
  const result = await set.scripts.get("main.p")?.runWaiting(point, { category: "logging", host });
  if (result?.error) throw new Error(result.error.error);
  const changes: Record<string, unknown> = {};
  for (const { key, value } of point.entries()) changes[key] = plain(value);
  if (!("message" in changes)) changes.message = undefined;
  else if (changes.message === input) delete changes.message;
  if (!("status" in gives)) delete changes.status;
  return changes;
}

describe("built-in functions", () => {
  const all = [...functions, ...controlFunctions];
  const examples = all.flatMap(({ name, examples }) => examples.map((example) => ({ name, example })));

  it.each(examples)("$name: $example.script", async ({ example }) => {
    expect(await run(example)).toEqual({ ...example.gives });
  });

  it("have unique names", () => {
    const names = all.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(functions)("$name is documented with an example", ({ summary, params, examples }) => {
    expect(summary).toMatch(/\.$/);
    expect(examples.length).toBeGreaterThan(0);
    for (const param of params) expect(param.summary).not.toBe("");
  });
});
