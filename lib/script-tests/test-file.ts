// Reads the content of a file of tests for a script. The file is YAML (or JSON, which is valid YAML); this file takes
// the parsed document as plain values, in which integers are bigints. Each mistake is reported with its position.
//
//   script: nginx.p                  the script beside the file; by default the file nginx.test.yaml tests nginx.p
//   category: logging
//   now: 2026-01-02T03:04:05Z        the time that the script takes as the current time
//   timezone: UTC
//   scripts: { other.p: "..." }      source code of scripts, used in place of the files beside this one
//   tests:
//     - name: a request
//       input: 10.0.0.1 GET /        a log message; for other categories line protocol; or a point
//       expect:                      everything that the script changes; `{}` for no change
//         fields: { client: 10.0.0.1 }
//         removed: [message]

import { type CategoryName, categories, categoryOf } from "../point/category.ts";
import { shortenedText } from "../text/shown-text.ts";
import { parseTime } from "./time-text.ts";

/** A value as the YAML parser returns it: integers are bigints, floats are numbers. */
export type Plain = bigint | number | string | boolean | null;

export interface PlainPoint {
  readonly category?: CategoryName;
  readonly measurement?: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, Plain>>;
  /** The time of the point in nanoseconds since 1970. */
  readonly time?: bigint;
}

export interface Expected extends PlainPoint {
  readonly removed: readonly string[];
  readonly dropped: boolean;
  /** A text that the error message of the tested script must contain. */
  readonly error?: string;
  readonly created: readonly PlainPoint[];
}

export interface ScriptTest {
  readonly name: string;
  readonly input: string | PlainPoint;
  readonly expect: Expected;
}

export interface TestSet {
  /** Name of the tested script. */
  readonly script: string;
  /** Source texts of scripts by name. The tests use such a text instead of the script file with the same name. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly category: CategoryName;
  /** The time that the tests take as the current time, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly timeZone: string;
  readonly tests: readonly ScriptTest[];
}

/** The error for a file of tests with a mistake. The message says where in the file the mistake is. */
export class TestFileError extends Error {
  override readonly name = "TestFileError";
}

const defaultNow = "2026-01-01T00:00:00Z";

/**
 * Reads the content of a test file. `script` is the tested script when the file names none. Throws a TestFileError with
 * the position of the first mistake.
 *
 * @example
 * readTests({ tests: [{ input: "a", expect: {} }] }, "a.p").tests[0].name; // "test 1"
 */
export function readTests(value: unknown, script: string): TestSet {
  const all = membersOf(value, "the file", ["script", "scripts", "category", "now", "timezone", "tests"]);
  const tests = all.tests;
  if (!Array.isArray(tests) || tests.length === 0) return fail("`tests` must be a list of tests");
  return {
    script: textOf(all.script ?? script, "script"),
    scripts: textsOf(all.scripts ?? {}, "scripts"),
    category: categoryNamed(all.category ?? "logging"),
    now: timeOf(all.now ?? defaultNow, "now"),
    timeZone: textOf(all.timezone ?? "UTC", "timezone"),
    tests: tests.map(testOf),
  };
}

type Members = Readonly<Record<string, unknown>>;

function testOf(value: unknown, at: number): ScriptTest {
  const place = `tests[${at}]`;
  const { name, input, expect } = membersOf(value, place, ["name", "input", "expect"]);
  if (input === undefined) fail(`${place} has no \`input\``);
  if (expect === undefined) fail(`${place} has no \`expect\``);
  return {
    name: name === undefined ? `test ${at + 1}` : textOf(name, `${place}.name`),
    input: typeof input === "string" ? input : pointOf(input, `${place}.input`, pointMembers),
    expect: expectedOf(expect, `${place}.expect`),
  };
}

function expectedOf(value: unknown, place: string): Expected {
  const allowed = [...pointMembers, "removed", "dropped", "error", "created"];
  const { removed = [], dropped = false, error, created = [] } = membersOf(value, place, allowed);
  if (!Array.isArray(removed) || removed.some((key) => typeof key !== "string"))
    return fail(`${place}.removed must be a list of keys`);
  if (typeof dropped !== "boolean") return fail(`${place}.dropped must be true or false`);
  if (!Array.isArray(created)) return fail(`${place}.created must be a list of points`);
  return {
    ...pointOf(value, place, allowed),
    removed: removed as string[],
    dropped,
    ...(error === undefined ? {} : { error: textOf(error, `${place}.error`) }),
    created: created.map((each, at) => pointOf(each, `${place}.created[${at}]`, [...pointMembers, "category"])),
  };
}

function pointOf(value: unknown, place: string, allowed: readonly string[]): PlainPoint {
  const { category, measurement, tags = {}, fields = {}, time } = membersOf(value, place, allowed);
  return {
    ...(category === undefined ? {} : { category: categoryNamed(category) }),
    ...(measurement === undefined ? {} : { measurement: textOf(measurement, `${place}.measurement`) }),
    tags: textsOf(tags, `${place}.tags`),
    fields: scalarsOf(fields, `${place}.fields`),
    ...(time === undefined ? {} : { time: timeOf(time, `${place}.time`) }),
  };
}

function membersOf(value: unknown, place: string, allowed: readonly string[] | null): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail(`${place} must be a mapping, got ${shown(value)}`);
  for (const name of Object.keys(value)) {
    if (allowed !== null && !allowed.includes(name))
      fail(`${place} has an unknown member \`${name}\`; there are ${allowed.join(", ")}`);
  }
  return value as Members;
}

function textsOf(value: unknown, place: string): Record<string, string> {
  const entries = Object.entries(membersOf(value, place, null));
  return Object.fromEntries(entries.map(([key, each]) => [key, textOf(each, `${place}.${key}`)]));
}

function scalarsOf(value: unknown, place: string): Record<string, Plain> {
  const entries = Object.entries(membersOf(value, place, null));
  for (const [key, each] of entries) {
    if (typeof each === "object" && each !== null)
      fail(`${place}.${key} must be a single value: a list or map in a field is its JSON text`);
  }
  return Object.fromEntries(entries) as Record<string, Plain>;
}

function textOf(value: unknown, place: string): string {
  return typeof value === "string" ? value : fail(`${place} must be a text, got ${shown(value)}`);
}

function timeOf(value: unknown, place: string): bigint {
  if (typeof value === "bigint") return value;
  const time = typeof value === "string" ? parseTime(value) : null;
  return time ?? fail(`${place} must be a time such as ${defaultNow}, or nanoseconds; got ${shown(value)}`);
}

function categoryNamed(value: unknown): CategoryName {
  const category = typeof value === "string" ? categoryOf(value) : undefined;
  return category ?? fail(`unsupported category: ${shown(value)}; one of ${categories.join(", ")}`);
}

function fail(message: string): never {
  throw new TestFileError(shortenedText(message));
}

const pointMembers = ["measurement", "tags", "fields", "time"];

function shown(value: unknown): string {
  if (typeof value === "string") return `the text ${JSON.stringify(value)}`;
  return typeof value === "object" && value !== null ? (Array.isArray(value) ? "a list" : "a mapping") : String(value);
}
