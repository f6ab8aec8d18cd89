// Tests the verified examples of docs/reference/language.md, one test for each row of examples.jsonl. For a
// run-time error, the test compares the whole call chain.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../lib/grok/load.ts";
import { compileScripts } from "../../../lib/pipeline/compile/scripts.ts";
import type { PlError } from "../../../lib/pipeline/syntax/errors.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { correct } from "../../../lib/point/correct.ts";
import { Point } from "../../../lib/point/point.ts";
import { Float, type PointValue, Uint } from "../../../lib/point/value.ts";
import { Key } from "../../../lib/point/view.ts";
import { decodeLineProtocolInJs } from "../../baseline/line-protocol.ts";
import examplesText from "./examples.jsonl?raw";

/** Type and value of a field; integers are written as strings. */
type Typed = readonly ["int" | "uint" | "float" | "bool" | "str" | "nil", string | number | boolean | null];

interface PointRow {
  readonly tags?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, Typed>>;
}

interface Row {
  readonly row: number;
  readonly script?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly messages?: readonly string[];
  readonly lp?: string;
  readonly category?: CategoryName;
  readonly check_error?: ErrorRow;
  readonly run_error?: ErrorRow;
  readonly dropped?: boolean;
  readonly gives?: PointRow & {
    readonly absent?: readonly string[];
    readonly time?: string;
    readonly dropped?: boolean;
    /** True when the script of the example must not add a key to the point. */
    readonly unchanged?: boolean;
    readonly created?: readonly (PointRow & { name: string; category: CategoryName; time?: string })[];
  };
}

interface ErrorRow {
  readonly error: string;
  /**
   * The call chain of an error. Each entry is the place of a call: file (null means main.p), line, column and offset.
   */
  readonly chain: readonly (readonly [string | null, number, number, number])[];
}

const now = 1700000000000000000n;
const host = { now: () => now, random: () => 0.5, timeZone: "UTC" };
const rows = examplesText
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Row);

describe("verified examples", () => {
  it.for(rows.map((row) => [`${row.row}: ${row.script ?? row.run}`, row] as const))("%s", ([, row]) => {
    const main = row.run ?? "main.p";
    const set = compileScripts(row.scripts ?? { [main]: row.script! }, { patterns: builtinPatterns });
    if (row.check_error !== undefined) return expectError(set.errors.get(main), row.check_error);
    expect(set.errors.get(main)).toBeUndefined();
    const point = pointOf(row);
    const before = [...point.entries()].map(({ key }) => key);
    const result = set.scripts.get(main)!.run(point, { category: row.category ?? "logging", host });
    if (row.run_error !== undefined) {
      expectError(result.error ?? undefined, row.run_error);
      expect(result.dropped).toBe(row.dropped ?? false);
      return;
    }
    expect(result.error).toBeNull();
    const gives = row.gives!;
    expectPoint(point, gives);
    for (const key of gives.absent ?? []) expect(point.has(new Key(key))).toBe(false);
    expect(point.time).toBe(gives.time === undefined ? now : BigInt(gives.time));
    expect(result.dropped).toBe(gives.dropped ?? false);
    if (gives.unchanged === true) expect([...point.entries()].map(({ key }) => key)).toEqual(before);
    expect(result.created.length).toBe(gives.created?.length ?? 0);
    for (const [at, wanted] of (gives.created ?? []).entries()) {
      const created = result.created[at]!;
      expect([created.category, created.point.name]).toEqual([wanted.category, wanted.name]);
      expectPoint(created.point, wanted);
      if (wanted.time !== undefined) expect(created.point.time).toBe(BigInt(wanted.time));
    }
  });

  it("include all 200 rows of the table", () => {
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
  });
});

function pointOf(row: Row): Point {
  if (row.lp !== undefined) {
    const body = new TextEncoder().encode(row.lp);
    return decodeLineProtocolInJs(body, { category: row.category!, now })[0]!;
  }
  const point = new Point("default", now);
  point.setField(new Key("message"), row.messages![0]!);
  correct(point, "logging");
  return point;
}

function expectPoint(point: Point, { tags = {}, fields = {} }: PointRow): void {
  for (const [key, text] of Object.entries(tags)) {
    expect([key, point.isTag(new Key(key)), point.get(new Key(key))]).toEqual([key, true, text]);
  }
  for (const [key, typed] of Object.entries(fields)) {
    expect([key, point.isTag(new Key(key)), kindAndValue(point.get(new Key(key)))]).toEqual([key, false, typed]);
  }
}

function kindAndValue(value: PointValue | undefined): unknown {
  if (value instanceof Float) return ["float", value.value];
  if (value instanceof Uint) return ["uint", String(value.value)];
  if (typeof value === "number" || typeof value === "bigint") return ["int", String(value)];
  if (typeof value === "boolean") return ["bool", value];
  return value === null ? ["nil", null] : ["str", String(value)];
}

function expectError(got: PlError | undefined, { error, chain }: ErrorRow): void {
  const places = got?.pos_chain.map(({ file, ln, col, pos }) => [file, ln, col, pos]);
  const wanted = chain.map(([file, ...place]) => [file ?? "main.p", ...place]);
  expect([got?.error, places]).toEqual([error, wanted]);
}
