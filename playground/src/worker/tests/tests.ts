// Reads, runs and edits the text of a test file. An edit keeps all other parts of the text, with their comments
// and layout.

import { type Document, isSeq, parseDocument, Scalar, stringify } from "yaml";
import { type CategoryName, createMillrace } from "../../../../lib/index.ts";
import {
  type Expected,
  expectationOf,
  type Plain,
  type PlainPoint,
  readTests,
  runTests,
  type ScriptTest,
  TestFileError,
  type TestSet,
  timeText,
} from "../../../../lib/script-tests/index.ts";
import { t } from "../../text/translate.ts";
import type { PointText, ScriptText } from "../protocol.ts";
import { tablesOf } from "../refer-tables/held-tables.ts";
import type { KeptPoint, TestAnswer, TestEdit, TestJob } from "./test-job.ts";

/** Runs all tests in the text of a test file. */
export async function runAll(job: TestJob): Promise<TestAnswer> {
  try {
    const { set } = parsed(job);
    const outcomes = await runTests(await benchOf(set, job), { set, sources: sourcesOf(job.scripts) });
    return { kind: "ran", outcomes };
  } catch (error) {
    if (error instanceof TestFileError) return { kind: "wrong", message: error.message };
    throw error;
  }
}

/** Adds a test with a point as its input. The test expects the result that the script has now. */
export async function addTest(job: TestJob, kept: KeptPoint): Promise<TestEdit> {
  return edited(async () => {
    const isNew = job.text.trim() === "";
    const document = isNew ? newDocument(job.scripts, kept) : parseDocument(job.text, { intAsBigInt: true });
    const set = isNew ? emptySet(job.scripts, kept) : parsed(job).set;
    if (set.category !== kept.category)
      throw new TestFileError(
        t("the tests are of category {tests}, and this point is of {point}", {
          ...{ tests: set.category, point: kept.category },
        }),
      );
    const input = inputOf(kept.point, set);
    const { expect, lost } = await expectationOf(
      await benchOf(set, job),
      { set, sources: sourcesOf(job.scripts) },
      input,
    );
    if (lost.length > 0)
      throw new TestFileError(
        t("a test cannot say what {keys} holds: bytes and lists have no form in YAML", { keys: lost.join(", ") }),
      );
    const name = freeName(kept.name, set.tests);
    const test = document.createNode({ name, input: yamlInput(input), expect: yamlExpected(expect, set.category) });
    if (!isSeq(document.get("tests"))) document.set("tests", document.createNode([]));
    document.addIn(["tests"], test);
    return textOf(document);
  });
}

/** Changes a test so that it expects the result that the script has now. */
export async function acceptTest(job: TestJob, index: number): Promise<TestEdit> {
  return edited(async () => {
    const { document, set } = parsed(job);
    const sources = sourcesOf(job.scripts);
    const { expect, lost } = await expectationOf(await benchOf(set, job), { set, sources }, set.tests[index]!.input);
    if (lost.length > 0) throw new TestFileError(t("a test cannot say what {keys} holds", { keys: lost.join(", ") }));
    document.setIn(["tests", index, "expect"], document.createNode(yamlExpected(expect, set.category)));
    return textOf(document);
  });
}

/** Removes a test from the text of a test file. Returns the new text, which is empty when no test is left. */
export async function removeTest(job: TestJob, index: number): Promise<TestEdit> {
  return edited(async () => {
    const { document, set } = parsed(job);
    if (set.tests.length === 1) return "";
    document.deleteIn(["tests", index]);
    return textOf(document);
  });
}

async function edited(edit: () => Promise<string>): Promise<TestEdit> {
  try {
    return { text: await edit() };
  } catch (error) {
    if (error instanceof TestFileError) return { problem: error.message };
    throw error;
  }
}

function parsed({ text, scripts }: TestJob): { readonly document: Document; readonly set: TestSet } {
  const document = parseDocument(text, { intAsBigInt: true });
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new TestFileError(mistake.message.slice(0, 500));
  return { document, set: readTests(document.toJS({ maxAliasCount: 100 }), scripts[0]!.name) };
}

function textOf(document: Document): string {
  return document.toString({ lineWidth: 0 });
}

function sourcesOf(scripts: readonly ScriptText[]): Record<string, string> {
  return Object.fromEntries(scripts.map(({ name, text }) => [name, text]));
}

function benchOf({ now, timeZone }: TestSet, { tables = [] }: TestJob) {
  const { lookup } = tablesOf(tables);
  return createMillrace({ clock: () => now, random: () => 0.5, timeZone, referTables: () => lookup });
}

const second = 1_000_000_000n;

function emptySet([script]: readonly ScriptText[], { category, now, timeZone }: KeptPoint): TestSet {
  const clock = now ?? (BigInt(Date.now()) / 1000n) * second;
  return { script: script!.name, scripts: {}, category, now: clock, timeZone, tests: [] };
}

function newDocument(scripts: readonly ScriptText[], kept: KeptPoint): Document {
  const { script, category, now, timeZone } = emptySet(scripts, kept);
  const text = stringify({ script, category, now: timeText(now), timezone: timeZone });
  return parseDocument(text, { intAsBigInt: true });
}

/**
 * Returns a point as the input of a test: a string when the point is a log that has only a message, otherwise an object
 * with the name, tags, fields and time of the point.
 */
function inputOf({ name, time, entries }: PointText, { category, now }: TestSet): ScriptTest["input"] {
  const tags: Record<string, string> = {};
  const fields: Record<string, Plain> = {};
  for (const { key, kind, isTag, text, length } of entries) {
    if (length !== undefined) throw new TestFileError(t("the value of {key} is too long for a test", { key }));
    if (isTag) tags[key] = text;
    else if (kind === "int" || kind === "uint") fields[key] = BigInt(text);
    else if (kind === "float") fields[key] = Number(text);
    else if (kind === "bool") fields[key] = text === "true";
    else if (kind === "nil") fields[key] = null;
    else if (kind === "string") fields[key] = text;
    else
      throw new TestFileError(
        t("a test cannot say what {key} holds: a value of kind {kind} has no form in YAML", { key, kind }),
      );
  }
  // A log without a status gets the status `unknown` when it is read, so the test need not name this status.
  if (category === "logging" && fields.status === "unknown") delete fields.status;
  const isMessage = category === "logging" && name === "default" && Object.keys(tags).length === 0 && time === now;
  if (isMessage && Object.keys(fields).length === 1 && typeof fields.message === "string") return fields.message;
  return { measurement: name, tags, fields, ...(time === now ? {} : { time }) };
}

function freeName(wanted: string, tests: TestSet["tests"]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted} (${number})`;
    if (!tests.some((each) => each.name === name)) return name;
  }
}

function yamlInput(input: ScriptTest["input"]): unknown {
  return typeof input === "string" ? input : yamlPoint(input);
}

function yamlExpected({ removed, dropped, error, created, ...point }: Expected, category: CategoryName): unknown {
  return {
    ...yamlPoint(point),
    ...(removed.length === 0 ? {} : { removed }),
    ...(dropped ? { dropped } : {}),
    ...(error === undefined ? {} : { error }),
    ...(created.length === 0
      ? {}
      : {
          created: created.map((each) => ({
            ...(each.category === undefined || each.category === category ? {} : { category: each.category }),
            ...yamlPoint(each),
          })),
        }),
  };
}

function yamlPoint({ measurement, tags, fields, time }: PlainPoint): Record<string, unknown> {
  const values = Object.entries(fields).map(([key, value]) => [key, yamlValue(value)]);
  return {
    ...(measurement === undefined ? {} : { measurement }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(values.length === 0 ? {} : { fields: Object.fromEntries(values) }),
    ...(time === undefined ? {} : { time: timeText(time) }),
  };
}

/** Returns a value of a field for YAML. A whole float is written with a fraction, because `1` would be an int. */
function yamlValue(value: Plain): unknown {
  if (typeof value !== "number" || !Number.isInteger(value)) return value;
  const scalar = new Scalar(value);
  scalar.minFractionDigits = 1;
  return scalar;
}
