// Runs the tests of a test file and reports the differences between expected and actual points.

import {
  type CategoryName,
  type CreatedPoint,
  correct,
  createMillrace,
  Float,
  Key,
  type Millrace,
  Point,
  type PointValue,
  plErrorText,
  type Script,
  shownValue,
  snapshotOf,
  Uint,
} from "../../../lib/index.ts";
import { compileWasm } from "../../agent/engine.ts";
import type { CommandPatterns } from "../pattern-files.ts";
import { UsageError } from "../usage-error.ts";
import type { Expected, Plain, PlainPoint, ScriptTest, TestFile } from "./test-file.ts";
import { timeText } from "./time-text.ts";

export interface TestResult {
  readonly name: string;
  /** Lines such as `- fields.a: 1` (expected) and `+ fields.a: 2` (actual); empty when the test passes. */
  readonly differences: readonly string[];
}

/** Runs all tests of a test file. Throws UsageError when the script cannot run or when an input cannot be parsed. */
export async function runTests(
  file: TestFile,
  patterns: CommandPatterns["options"] = {},
): Promise<readonly TestResult[]> {
  const mill = await createMillrace({
    wasm: compileWasm(),
    clock: () => file.now,
    random: () => 0.5,
    timeZone: file.timeZone,
  });
  const results: TestResult[] = [];
  for (const test of file.tests) {
    // The script is compiled again for each test, because a script may keep state between points.
    const set = mill.compile(file.sources, { category: file.category, ...patterns });
    const error = set.errors.get(file.script);
    if (error !== undefined) throw new UsageError(plErrorText(error));
    const differences = await runTest(mill, set.scripts.get(file.script)!, file, test);
    set.free();
    results.push({ name: test.name, differences });
  }
  return results;
}

async function runTest(
  mill: Millrace,
  script: Script,
  file: TestFile,
  { input, expect }: ScriptTest,
): Promise<string[]> {
  const { category } = file;
  const point = typeof input === "string" ? readInput(mill, file, input) : made(input, file);
  correct(point, category);
  const before = snapshotOf(point);
  // HTTP requests of the script are not sent and get no answer in tests.
  const { error, dropped, created, window } = await mill.runWaiting(script, point, { category });
  const back = window.map((each) => ({ category, point: each }));
  const allCreated: CreatedPoint[] = [...back, ...created, ...script.close(file.now)];
  const facts = factsOf(point, before);
  if (dropped) facts.set("dropped", "true");
  if (error !== null) facts.set("error", plErrorText(error));
  for (const [at, each] of allCreated.filter((one) => one.dropped !== true).entries())
    describe(facts, `created[${at}].`, { ...plainOf(each.point, file.now), category: each.category }, category);
  return compare(expectedFacts(expect, category), facts);
}

function readInput(mill: Millrace, { category, now }: TestFile, input: string): Point {
  if (category === "logging") return made({ tags: {}, fields: { message: input } }, { category, now });
  const batch = mill.decodePoints(new TextEncoder().encode(input), { category, form: "lp", now });
  if (batch.length !== 1) throw new UsageError(`an input must be one point, this one has ${batch.length}: ${input}`);
  const point = batch.point(0);
  batch.release();
  return point;
}

function made(plain: PlainPoint, { now }: { readonly category: CategoryName; readonly now: bigint }): Point {
  const point = new Point(plain.measurement ?? "default", plain.time ?? now);
  for (const [key, value] of Object.entries(plain.tags)) point.setTag(new Key(key), value);
  for (const [key, value] of Object.entries(plain.fields)) point.setField(new Key(key), pointValue(value));
  return point;
}

function pointValue(value: Plain): PointValue {
  if (typeof value === "number") return new Float(value);
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** The properties of a point, one on each line: the path of the property and its value as a string. */
type Facts = Map<string, string>;

/** Returns all properties of the point that differ from `before`. */
function factsOf(point: Point, before: ReturnType<typeof snapshotOf>): Facts {
  const after = snapshotOf(point);
  const facts: Facts = new Map();
  if (after.name !== before.name) facts.set("measurement", JSON.stringify(after.name));
  for (const [key, { value, isTag }] of after.entries) {
    const held = before.entries.get(key);
    if (held?.isTag === isTag && shownPlain(held.value) === shownPlain(value)) continue;
    facts.set(`${isTag ? "tags" : "fields"}.${key}`, shownPlain(value));
  }
  const removed = [...before.entries.keys()].filter((key) => !after.entries.has(key));
  if (removed.length > 0) facts.set("removed", removed.sort().join(", "));
  if (after.time !== before.time) facts.set("time", timeText(after.time));
  return facts;
}

function expectedFacts(expect: Expected, category: CategoryName): Facts {
  const facts: Facts = new Map();
  describe(facts, "", expect, category);
  if (expect.removed.length > 0) facts.set("removed", [...expect.removed].sort().join(", "));
  if (expect.dropped) facts.set("dropped", "true");
  if (expect.error !== undefined) facts.set("error", expect.error);
  for (const [at, each] of expect.created.entries()) describe(facts, `created[${at}].`, each, category);
  return facts;
}

function describe(facts: Facts, place: string, point: PlainPoint, category: CategoryName): void {
  if (point.category !== undefined && point.category !== category) facts.set(`${place}category`, point.category);
  if (point.measurement !== undefined) facts.set(`${place}measurement`, JSON.stringify(point.measurement));
  for (const [key, value] of Object.entries(point.tags)) facts.set(`${place}tags.${key}`, JSON.stringify(value));
  for (const [key, value] of Object.entries(point.fields))
    facts.set(`${place}fields.${key}`, shownPlain(pointValue(value)));
  if (point.time !== undefined) facts.set(`${place}time`, timeText(point.time));
}

/** Returns a point that the script created. Its time is left out when it equals the current time of the tests. */
function plainOf(point: Point, now: bigint): PlainPoint {
  const tags: Record<string, string> = {};
  const fields: Record<string, Plain> = {};
  for (const { key, value, isTag } of point.entries()) {
    if (isTag) tags[key] = String(value);
    else
      fields[key] = value instanceof Float ? value.value : typeof value === "number" ? BigInt(value) : (value as Plain);
  }
  return { measurement: point.name, tags, fields, ...(point.time === now ? {} : { time: point.time }) };
}

/**
 * Returns a value as a string. Unsigned and signed integers look the same, because YAML has only one type of integer.
 */
function shownPlain(value: PointValue): string {
  return value instanceof Uint ? String(value.value) : shownValue(value);
}

function compare(expected: Facts, found: Facts): string[] {
  const lines: string[] = [];
  for (const place of [...new Set([...expected.keys(), ...found.keys()])].sort()) {
    const [wanted, got] = [expected.get(place), found.get(place)];
    if (wanted === got || (place === "error" && wanted !== undefined && got?.includes(wanted))) continue;
    if (wanted !== undefined) lines.push(`- ${place}: ${wanted}`);
    if (got !== undefined) lines.push(`+ ${place}: ${got}`);
  }
  return lines;
}
