// Uses every sub-path of the package once, as code of a user might. The compiler only checks the types of this file;
// nothing runs.

import { createMillrace, type Form, type Millrace, type Points, plErrorText } from "millrace";
import {
  type Answer,
  DqlError,
  type Engine,
  memoryEngine,
  parseStatement,
  plainQuery,
  type Row,
  runQuery,
} from "millrace/dql";
import { type Condition, ConditionError, compileCondition, compileDropRules } from "millrace/filter";
import { Grok } from "millrace/grok";
import { compileScripts, declare, functions } from "millrace/pipeline";
import { Point, PointError, type PointValue } from "millrace/point";
import { Regex, type RegexMatch, RegexSyntaxError } from "millrace/regex";
import { createGlobalTags, createSinkMatcher, loadSinkRules, parseHeader } from "millrace/sharding";
import { defaultWasm, instantiate, type WasmModule } from "millrace/wasm";

export async function clean(body: Uint8Array, form: Form): Promise<Uint8Array> {
  const mill: Millrace = await createMillrace({ wasm: await defaultWasm(), timeZone: "UTC" });
  const { scripts, errors } = mill.compile({ "a.p": "add_key(a, 1)" }, { category: "logging" });
  for (const error of errors.values()) throw new Error(plErrorText(error));
  const points: Points = mill.decodePoints(body, { category: "logging", form });
  for (let i = 0; i < points.length; i++) mill.run(scripts.get("a.p")!, points.at(i), { category: "logging" });
  const bytes: Uint8Array = mill.encodePoints(points, "lp");
  points.release();
  // @ts-expect-error: not a category
  mill.decodePoints(body, { category: "nothing", form });
  // @ts-expect-error: not a form
  mill.encodePoints(points, "xml");
  return bytes;
}

export function conditionOf(text: string): Condition | string {
  try {
    return compileCondition(text, { strictTypes: true });
  } catch (error) {
    return error instanceof ConditionError ? error.reason : "";
  }
}

export async function latest(rows: readonly Row[], now: number): Promise<Answer | string> {
  const engine: Engine = memoryEngine((category) => (category === "metric" ? rows : []));
  try {
    parseStatement("M::cpu:(last(usage)) BY host");
    return await runQuery(plainQuery("M::cpu:(last(usage)) BY host"), engine, { now });
  } catch (error) {
    return error instanceof DqlError ? error.reason : "";
  }
}

export async function route(sinker: string, point: Point): Promise<readonly string[]> {
  if (compileDropRules({ keyevent: ["{ level = 'debug' }"] }).drops(point, "keyevent")) return [];
  const tags = createGlobalTags([{ category: "keyevent", fields: ["host"] }]);
  const header: string = await tags.headerOf("keyevent", { measurement: "keyevent", tags: { host: "h" }, fields: {} });
  const { rules } = loadSinkRules(sinker);
  const host: string | undefined = parseHeader(header).get("host");
  if (rules === undefined || host === undefined) return [];
  return createSinkMatcher(rules)(header, "/v1/write/keyevent", "all").entries.map(({ url }) => url);
}

export const found: RegexMatch | null = Regex.compile("(a)(b)?").find("xab", 1);
export const isMistake = (error: unknown): boolean => error instanceof RegexSyntaxError || error instanceof PointError;

export function fieldsOf(text: string): Record<string, PointValue> {
  const grok = Grok.compile("%{IP:client} %{INT:ms:int}");
  const fields: Record<string, PointValue> = {};
  grok.each(text, true, (field, value) => {
    fields[grok.fields[field]!.name] = value;
  });
  return fields;
}

export const names: readonly string[] = functions.map(({ name }) => name);
export const set = compileScripts({ "b.p": "drop()" });
export const made = new Point("made", 1n);
export const declaring: typeof declare = declare;
export const module: Promise<WasmModule> = defaultWasm().then((wasm) => instantiate(wasm));
