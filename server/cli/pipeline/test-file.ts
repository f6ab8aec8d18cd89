// Reads a file of tests for a script, in YAML (or JSON, which is valid YAML). Each mistake in the file is reported with
// its position.
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

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseDocument } from "yaml";
import { type CategoryName, categories, categoryOf } from "../../../lib/index.ts";
import { scriptsBeside } from "../script-files.ts";
import { UsageError } from "../usage-error.ts";
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
  /** A substring of the expected error message. */
  readonly error?: string;
  readonly created: readonly PlainPoint[];
}

export interface ScriptTest {
  readonly name: string;
  readonly input: string | PlainPoint;
  readonly expect: Expected;
}

export interface TestFile {
  /** The file name of the tested script. */
  readonly script: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly category: CategoryName;
  /** The time that the tests take as the current time, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly timeZone: string;
  readonly tests: readonly ScriptTest[];
}

export const testFileName = /\.test\.(?:ya?ml|json)$/;
const defaultNow = "2026-01-01T00:00:00Z";

/** Reads a test file. Throws UsageError with the position of the first mistake. */
export function readTestFile(file: string): TestFile {
  const document = parseDocument(readFileSync(file, "utf8"), { intAsBigInt: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new UsageError(`${file}: ${mistake.message}`);
  return new Reader(file).testFile(document.toJS());
}

type Members = Readonly<Record<string, unknown>>;

class Reader {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  testFile(value: unknown): TestFile {
    const all = this.members(value, "the file", ["script", "scripts", "category", "now", "timezone", "tests"]);
    const script = this.text(all.script ?? path.basename(this.file).replace(testFileName, ".p"), "script");
    const inline = this.texts(all.scripts ?? {}, "scripts");
    const beside = path.join(path.dirname(this.file), script);
    if (!Object.hasOwn(inline, script) && !existsSync(beside))
      this.fail(`there is no script ${script} beside it; name it with \`script\``);
    const tests = all.tests;
    if (!Array.isArray(tests) || tests.length === 0) return this.fail("`tests` must be a list of tests");
    return {
      script,
      sources: { ...(existsSync(beside) ? scriptsBeside(beside) : {}), ...inline },
      category: this.category(all.category ?? "logging"),
      now: this.time(all.now ?? defaultNow, "now"),
      timeZone: this.text(all.timezone ?? "UTC", "timezone"),
      tests: tests.map((test, at) => this.test(test, at)),
    };
  }

  private test(value: unknown, at: number): ScriptTest {
    const { name, input, expect } = this.members(value, `tests[${at}]`, ["name", "input", "expect"]);
    const place = `tests[${at}]`;
    if (input === undefined) this.fail(`${place} has no \`input\``);
    if (expect === undefined) this.fail(`${place} has no \`expect\``);
    return {
      name: name === undefined ? `test ${at + 1}` : this.text(name, `${place}.name`),
      input: typeof input === "string" ? input : this.point(input, `${place}.input`, pointMembers),
      expect: this.expected(expect, `${place}.expect`),
    };
  }

  private expected(value: unknown, place: string): Expected {
    const allowed = [...pointMembers, "removed", "dropped", "error", "created"];
    const { removed = [], dropped = false, error, created = [] } = this.members(value, place, allowed);
    if (!Array.isArray(removed) || removed.some((key) => typeof key !== "string"))
      return this.fail(`${place}.removed must be a list of keys`);
    if (typeof dropped !== "boolean") return this.fail(`${place}.dropped must be true or false`);
    if (!Array.isArray(created)) return this.fail(`${place}.created must be a list of points`);
    return {
      ...this.point(value, place, allowed),
      removed: removed as string[],
      dropped,
      ...(error === undefined ? {} : { error: this.text(error, `${place}.error`) }),
      created: created.map((each, at) => this.point(each, `${place}.created[${at}]`, [...pointMembers, "category"])),
    };
  }

  private point(value: unknown, place: string, allowed: readonly string[]): PlainPoint {
    const { category, measurement, tags = {}, fields = {}, time } = this.members(value, place, allowed);
    return {
      ...(category === undefined ? {} : { category: this.category(category) }),
      ...(measurement === undefined ? {} : { measurement: this.text(measurement, `${place}.measurement`) }),
      tags: this.texts(tags, `${place}.tags`),
      fields: this.scalars(fields, `${place}.fields`),
      ...(time === undefined ? {} : { time: this.time(time, `${place}.time`) }),
    };
  }

  private members(value: unknown, place: string, allowed: readonly string[] | null): Members {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return this.fail(`${place} must be a mapping, got ${shown(value)}`);
    for (const name of Object.keys(value)) {
      if (allowed !== null && !allowed.includes(name))
        this.fail(`${place} has an unknown member \`${name}\`; there are ${allowed.join(", ")}`);
    }
    return value as Members;
  }

  private texts(value: unknown, place: string): Record<string, string> {
    const entries = Object.entries(this.members(value, place, null));
    return Object.fromEntries(entries.map(([key, each]) => [key, this.text(each, `${place}.${key}`)]));
  }

  private scalars(value: unknown, place: string): Record<string, Plain> {
    const entries = Object.entries(this.members(value, place, null));
    for (const [key, each] of entries) {
      if (typeof each === "object" && each !== null)
        this.fail(`${place}.${key} must be a single value: a list or map in a field is its JSON text`);
    }
    return Object.fromEntries(entries) as Record<string, Plain>;
  }

  private text(value: unknown, place: string): string {
    return typeof value === "string" ? value : this.fail(`${place} must be a text, got ${shown(value)}`);
  }

  private time(value: unknown, place: string): bigint {
    if (typeof value === "bigint") return value;
    const time = typeof value === "string" ? parseTime(value) : null;
    return time ?? this.fail(`${place} must be a time such as ${defaultNow}, or nanoseconds; got ${shown(value)}`);
  }

  private category(value: unknown): CategoryName {
    const category = typeof value === "string" ? categoryOf(value) : undefined;
    return category ?? this.fail(`unsupported category: ${shown(value)}; one of ${categories.join(", ")}`);
  }

  private fail(message: string): never {
    throw new UsageError(`${this.file}: ${message}`);
  }
}

const pointMembers = ["measurement", "tags", "fields", "time"];

function shown(value: unknown): string {
  if (typeof value === "string") return `the text ${JSON.stringify(value)}`;
  return typeof value === "object" && value !== null ? (Array.isArray(value) ? "a list" : "a mapping") : String(value);
}
