// Runs tests of scripts, and reports the differences between expected and actual points. Also runs a script to find the
// result that a passing test must expect.

import type { CompiledSet } from "../pipeline/compile/scripts.ts";
import type { CreatedPoint } from "../pipeline/runtime/run.ts";
import type { Script, ScriptResult } from "../pipeline/runtime/script.ts";
import { plErrorText } from "../pipeline/syntax/errors.ts";
import type { PointBatch } from "../point/batch/batch.ts";
import type { CategoryName } from "../point/category.ts";
import { shownValue, snapshotOf } from "../point/changes.ts";
import { correct } from "../point/correct.ts";
import { Point } from "../point/point.ts";
import { Float, type PointValue, Uint } from "../point/value.ts";
import { Key, type PointView } from "../point/view.ts";
import { isBytes } from "../text/bytes.ts";
import { shortenedText } from "../text/shown-text.ts";
import {
  type Expected,
  type Plain,
  type PlainPoint,
  type ScriptTest,
  TestFileError,
  type TestSet,
} from "./test-file.ts";
import { timeText } from "./time-text.ts";

/**
 * The methods of a Millrace instance that tests call. The instance must be made for the tests: its clock shows the time
 * of the tests, its time zone is the one of the tests, and its random numbers are always the same.
 */
export interface Bench {
  compile(scripts: Readonly<Record<string, string>>, options: { readonly category: CategoryName }): CompiledSet;
  decodePoints(
    body: Uint8Array,
    options: { readonly category: CategoryName; readonly form: "lp"; readonly now: bigint },
  ): PointBatch;
  runWaiting(script: Script, point: PointView, options: { readonly category: CategoryName }): Promise<ScriptResult>;
}

export interface TestResult {
  readonly name: string;
  /** Lines such as `- fields.a: 1` (expected) and `+ fields.a: 2` (actual); empty when the test passes. */
  readonly differences: readonly string[];
}

/** A set of tests, and the source texts of all scripts by name. */
export interface TestedScripts {
  readonly set: TestSet;
  readonly sources: Readonly<Record<string, string>>;
}

/** Runs all tests of a set. Throws a TestFileError when the script cannot run or when an input cannot be parsed. */
export async function runTests(bench: Bench, { set, sources }: TestedScripts): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const { name, input, expect } of set.tests) {
    const { facts } = await runInput(bench, { set, sources }, input);
    results.push({ name, differences: compare(expectedFacts(expect, set.category), facts) });
  }
  return results;
}

/** The result that a passing test must expect, and the keys that a test file cannot express. */
export interface Expectation {
  readonly expect: Expected;
  /** Keys whose values a test file cannot express, such as bytes and lists. */
  readonly lost: readonly string[];
}

/** Runs the script over an input. Returns the result that a test of this input must expect in order to pass. */
export async function expectationOf(
  bench: Bench,
  tested: TestedScripts,
  input: ScriptTest["input"],
): Promise<Expectation> {
  const { point, before, dropped, error, created } = await runInput(bench, tested, input);
  const after = snapshotOf(point);
  const lost: string[] = [];
  const tags: Record<string, string> = {};
  const fields: Record<string, Plain> = {};
  for (const [key, { value, isTag }] of after.entries) {
    const held = before.entries.get(key);
    if (held?.isTag === isTag && shownPlain(held.value) === shownPlain(value)) continue;
    if (!isPlain(value)) lost.push(key);
    else if (isTag) tags[key] = String(value);
    else fields[key] = plainValue(value);
  }
  const expect: Expected = {
    ...(after.name === before.name ? {} : { measurement: after.name }),
    tags,
    fields,
    ...(after.time === before.time ? {} : { time: after.time }),
    removed: [...before.entries.keys()].filter((key) => !after.entries.has(key)).sort(),
    dropped,
    ...(error === null ? {} : { error }),
    created,
  };
  return { expect, lost };
}

interface InputRun {
  readonly point: Point;
  readonly before: ReturnType<typeof snapshotOf>;
  readonly dropped: boolean;
  readonly error: string | null;
  readonly created: readonly PlainPoint[];
  readonly facts: Facts;
}

async function runInput(bench: Bench, { set, sources }: TestedScripts, input: ScriptTest["input"]): Promise<InputRun> {
  const { category, now, script: name } = set;
  // The script is compiled again for each test, because a script may keep state between points.
  const compiled = bench.compile({ ...sources, ...set.scripts }, { category });
  try {
    const error = compiled.errors.get(name);
    if (error !== undefined) throw new TestFileError(plErrorText(error));
    const script = compiled.scripts.get(name);
    if (script === undefined) throw new TestFileError(`there is no script ${name}`);
    return await runScript(bench, script, { category, now }, input);
  } finally {
    compiled.free();
  }
}

type Setting = Pick<TestSet, "category" | "now">;

async function runScript(
  bench: Bench,
  script: Script,
  setting: Setting,
  input: ScriptTest["input"],
): Promise<InputRun> {
  const { category, now } = setting;
  const point = typeof input === "string" ? readInput(bench, setting, input) : made(input, setting);
  correct(point, category);
  const before = snapshotOf(point);
  // In tests, the HTTP requests of the script are not sent, and the script gets no answer to them.
  const result = await bench.runWaiting(script, point, { category });
  const back = result.window.map((each) => ({ category, point: each }));
  const all: CreatedPoint[] = [...back, ...result.created, ...script.close(now)];
  const created = all
    .filter((one) => one.dropped !== true)
    .map((each) => ({ ...plainOf(each.point, now), category: each.category }));
  const error = result.error === null ? null : plErrorText(result.error);
  const facts = factsOf(point, before);
  if (result.dropped) facts.set("dropped", "true");
  if (error !== null) facts.set("error", error);
  for (const [at, each] of created.entries()) describe(facts, `created[${at}].`, each, category);
  return { point, before, dropped: result.dropped, error, created, facts };
}

function readInput(bench: Bench, { category, now }: Setting, input: string): Point {
  if (category === "logging") return made({ tags: {}, fields: { message: input } }, { category, now });
  const batch = bench.decodePoints(new TextEncoder().encode(input), { category, form: "lp", now });
  if (batch.length !== 1)
    throw new TestFileError(shortenedText(`an input must be one point, this one has ${batch.length}: ${input}`));
  const point = batch.point(0);
  batch.release();
  return point;
}

function made(plain: PlainPoint, { now }: Setting): Point {
  const point = new Point(plain.measurement ?? "default", plain.time ?? now);
  for (const [key, value] of Object.entries(plain.tags)) point.setTag(new Key(key), value);
  for (const [key, value] of Object.entries(plain.fields)) point.setField(new Key(key), pointValue(value));
  return point;
}

function pointValue(value: Plain): PointValue {
  if (typeof value === "number") return new Float(value);
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function isPlain(value: PointValue): boolean {
  if (value === null || isBytes(value)) return true;
  return typeof value !== "object" || value instanceof Float || value instanceof Uint;
}

function plainValue(value: PointValue): Plain {
  if (value instanceof Float) return value.value;
  if (value instanceof Uint) return BigInt(value.value);
  if (isBytes(value)) return value.toString();
  return typeof value === "number" ? BigInt(value) : (value as Plain);
}

/**
 * The properties of a point. The map has the path of each property, such as `fields.a`, and the property's value
 * as a string.
 */
type Facts = Map<string, string>;

/** Returns all properties of the point that differ from `before`, the state of the point before the script ran. */
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

/**
 * Converts a point that the script created to a plain object. The time of the point is left out when it equals
 * the current time of the tests.
 */
function plainOf(point: Point, now: bigint): PlainPoint {
  const tags: Record<string, string> = {};
  const fields: Record<string, Plain> = {};
  for (const { key, value, isTag } of point.entries()) {
    if (isTag) tags[key] = String(value);
    else fields[key] = plainValue(value);
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
