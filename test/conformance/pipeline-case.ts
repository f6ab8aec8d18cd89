// Runs a pipeline case: compiles the scripts of a request, runs one of these scripts on each point of the
// request, and compares the resulting points with the expected points.

import {
  type CategoryName,
  categoryOf,
  correct,
  Float,
  isBytes,
  Key,
  kindOf,
  type Millrace,
  type PlError,
  Point,
  PointArray,
  type PointValue,
  type PointView,
  Uint,
} from "../../lib/index.ts";
import type { CaseHost } from "./case-host.ts";
import { type ExactJson, equalExact, showExact } from "./exact-json.ts";

export type ExactObject = { [key: string]: ExactJson };

/** The result for one input point after the script ran on the point. */
export type CaseResultEntry =
  | { readonly run_error: PlError }
  | {
      readonly point: ExactObject;
      readonly created: readonly ExactObject[];
      readonly window: readonly ExactObject[];
    };

export interface PipelineAnswer {
  readonly error?: PlError;
  readonly results?: readonly CaseResultEntry[];
  /**
   * The points that the script has made by aggregating other points, including the points of a period that is not over
   * yet.
   */
  readonly aggregated?: readonly ExactObject[];
}

const receiveTime = 1700000000000000000n;

/**
 * Where points are stored while the script runs: as JavaScript objects, or on a tape (decoded points in WebAssembly
 * memory).
 */
export type Place = "object" | "tape";

/**
 * Runs the case. Points given as line protocol are decoded into WebAssembly memory. Points given as `messages` are
 * JavaScript objects or are in WebAssembly memory, as `place` says. With `deadlineMs`, the script has this time limit
 * in milliseconds, as runs of the debugger have.
 */
export async function runPipelineCase(
  host: CaseHost,
  request: ExactObject,
  place: Place,
  deadlineMs?: number,
): Promise<PipelineAnswer> {
  const { mill } = host;
  host.setTables(request.tables as string | undefined);
  const category = categoryOf((request.category as string | undefined) ?? "logging")!;
  const main = (request.run as string | undefined) ?? "main.p";
  const texts = (request.scripts as Record<string, string> | undefined) ?? { [main]: request.script as string };
  const set = mill.compile({ ...texts }, { category });
  const error = set.errors.get(main);
  if (error !== undefined) return { error };
  const script = set.scripts.get(main)!;
  const now = (request.time as bigint | undefined) ?? receiveTime;
  const results: CaseResultEntry[] = [];
  for (const held of pointsOf(mill, request, category, now, place)) {
    const point = script.waits ? Point.copyOf(held) : held;
    const ran = script.waits
      ? await mill.runWaiting(script, point, { category, deadlineMs })
      : mill.run(script, point, { category, deadlineMs });
    const { error: runError, dropped, created, window } = ran;
    if (runError !== null) results.push({ run_error: runError });
    else {
      results.push({
        point: pointShape(point, dropped),
        created: created.map((each) => pointShape(each.point, each.dropped === true)),
        window: window.map((each) => pointShape(each)),
      });
    }
  }
  return { results, aggregated: script.close(now).map(({ point }) => pointShape(point)) };
}

function* pointsOf(
  mill: Millrace,
  request: ExactObject,
  category: CategoryName,
  now: bigint,
  place: Place,
): Iterable<PointView> {
  if (request.lp !== undefined) {
    const body = new TextEncoder().encode(request.lp as string);
    const batch = mill.decodePoints(body, { category, form: "lp", now });
    for (let index = 0; index < batch.length; index++) yield batch.at(index);
    batch.release();
  }
  const message = new Key("message");
  for (const text of (request.messages as string[] | undefined) ?? []) {
    const point = new Point((request.name as string | undefined) ?? "default", now);
    point.setField(message, text);
    correct(point, category);
    if (place === "object") yield point;
    else {
      const batch = mill.decodePoints(mill.encodePoints([point], "lp"), { category, form: "lp", precision: "n", now });
      yield batch.at(0);
      batch.release();
    }
  }
}

const typeNames: Readonly<Record<string, string>> = { int: "int64", uint: "uint64", float: "float64" };

function pointShape(point: PointView, dropped = false): ExactObject {
  const tags: ExactObject = {};
  const fields: ExactObject = {};
  const types: ExactObject = {};
  for (const { key, value, isTag } of point.entries()) {
    if (isTag) tags[key] = plain(value);
    else {
      fields[key] = plain(value);
      const kind = kindOf(value);
      types[key] = typeNames[kind] ?? kind;
    }
  }
  return { dropped, name: point.name, tags, fields, types, time: point.time };
}

function plain(value: PointValue): ExactJson {
  if (value instanceof Float || value instanceof Uint) return plain(value.value as PointValue);
  if (value instanceof PointArray) return value.elements.map(plain);
  if (value instanceof Uint8Array) return [...value];
  return isBytes(value) ? value.toString() : value;
}

/** Returns the differences between the expected and the actual answer, one line each; empty when there are none. */
export function comparePipeline(expect: ExactObject, answer: PipelineAnswer): string[] {
  if (expect.error !== undefined) return compareError("check error", expect.error, answer.error);
  if (answer.error !== undefined) return [`unexpected check error: ${showError(answer.error)}`];
  const differences: string[] = [];
  const expected = (expect.results as ExactObject[] | undefined) ?? [];
  const results = answer.results ?? [];
  if (expected.length !== results.length)
    differences.push(`expected ${expected.length} results, got ${results.length}`);
  for (const [at, result] of results.entries()) {
    const wanted = expected[at];
    if (wanted === undefined) break;
    for (const difference of compareResult(wanted, result)) differences.push(`results[${at}]: ${difference}`);
  }
  return [
    ...differences,
    ...compareAggregated((expect.agg as ExactObject[] | undefined) ?? [], answer.aggregated ?? []),
  ];
}

/**
 * Compares the expected and the actual aggregated points, whatever their order is. The times of the points are not
 * compared. All fields are compared as floats.
 */
function compareAggregated(expected: readonly ExactObject[], got: readonly ExactObject[]): string[] {
  const left = [...got];
  const missing = expected.filter((wanted) => {
    const at = left.findIndex((each) =>
      ["name", "tags", "fields"].every((member) => equalExact(wanted[member], each[member])),
    );
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const notFloat = got.filter(({ types }) => Object.values(types as ExactObject).some((type) => type !== "float64"));
  return [
    ...missing.map((each) => `expected aggregated ${showExact(each)}`),
    ...left.map((each) => `unexpected aggregated ${showExact(each)}`),
    ...notFloat.map((each) => `aggregated fields that are no floats: ${showExact(each)}`),
  ];
}

function comparePoints(what: string, expected: readonly ExactObject[], got: readonly ExactObject[]): string[] {
  const differences: string[] = [];
  if (expected.length !== got.length)
    differences.push(`expected ${expected.length} ${what} points, got ${showExact([...got])}`);
  for (const [at, point] of got.entries()) {
    if (expected[at] !== undefined) differences.push(...comparePoint(`${what}[${at}]`, expected[at], point));
  }
  return differences;
}

function compareResult(expect: ExactObject, result: CaseResultEntry): string[] {
  if ("run_error" in result) {
    if (expect.run_error === undefined) return [`unexpected run error: ${showError(result.run_error)}`];
    return compareError("run error", expect.run_error, result.run_error);
  }
  if (expect.run_error !== undefined) return compareError("run error", expect.run_error, undefined);
  const differences = comparePoint("point", expect.point as ExactObject, result.point);
  differences.push(...comparePoints("created", (expect.created as ExactObject[] | undefined) ?? [], result.created));
  differences.push(...comparePoints("window", (expect.win as ExactObject[] | undefined) ?? [], result.window));
  return differences;
}

function comparePoint(place: string, expect: ExactObject, got: ExactObject): string[] {
  const differences: string[] = [];
  for (const member of ["dropped", "name", "tags", "fields", "types", "time"]) {
    const wanted = member === "dropped" ? (expect.dropped ?? false) : withFloats(member, expect);
    if (wanted === undefined || equalExact(forgetful(wanted), forgetful(got[member]))) continue;
    differences.push(
      `${place}.${member}: expected ${showExact(wanted)}`,
      `${place}.${member}: got      ${showExact(got[member])}`,
    );
  }
  return differences;
}

/**
 * Returns a member of the expected point. In the member `fields`, the vectors write a float without fraction
 * like an integer, and only the member `types` shows that it is a float. The function converts these integers to
 * floats (JavaScript numbers).
 */
function withFloats(member: string, point: ExactObject): ExactJson | undefined {
  if (member !== "fields") return point[member];
  const types = point.types as Readonly<Record<string, string>> | undefined;
  const fields = Object.entries(point.fields as ExactObject).map(([key, value]): [string, ExactJson] => {
    return [key, types?.[key] === "float64" && typeof value === "bigint" ? Number(value) : value];
  });
  return Object.fromEntries(fields);
}

/**
 * Removes the end of the message about a failed time conversion in the field `pl_msg`, because implementations may word
 * it differently.
 */
function forgetful(value: ExactJson | undefined): ExactJson | undefined {
  const prefix = "time convert failed: ";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { pl_msg: text } = value;
  return typeof text === "string" && text.startsWith(prefix) ? { ...value, pl_msg: prefix } : value;
}

function compareError(what: string, expect: ExactJson, got: PlError | undefined): string[] {
  const wanted = expect as unknown as PlError;
  if (got === undefined) return [`expected ${what}: ${showError(wanted)}`];
  const [a, b] = [wanted.pos_chain[0]!, got.pos_chain[0]!];
  const place = ({ ln, col, pos }: typeof a) => [ln, col, pos].map(Number).join();
  const same = place(a) === place(b) && wanted.error === got.error;
  return same ? [] : [`expected ${what}: ${showError(wanted)}`, `got      ${what}: ${showError(got)}`];
}

function showError({ error, pos_chain: [at] }: PlError): string {
  return `${error} at ${at?.ln}:${at?.col} (${at?.pos})`;
}
