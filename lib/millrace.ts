// An instance of Millrace: the module's memory, a clock, a generator of random numbers. Nothing here is global.

import { builtinPatterns } from "./grok/load.ts";
import type { Fetch, Host, Place } from "./pipeline/run.ts";
import {
  type CompiledSet,
  compileScripts,
  type RunOptions,
  type Script,
  type ScriptResult,
  type StepBudget,
} from "./pipeline/script.ts";
import { Batch, type PointBatch } from "./point/batch.ts";
import type { CategoryName } from "./point/category.ts";
import { encodeJson, encodeLineProtocol, encodePbjson } from "./point/codec/encode.ts";
import { decodeJson } from "./point/codec/json.ts";
import { decodeLineProtocol } from "./point/codec/line-protocol.ts";
import type { Limits } from "./point/limits.ts";
import { PointList } from "./point/list.ts";
import type { PointView } from "./point/view.ts";
import type { ReferTables } from "./refer-table/tables.ts";
import { instantiate } from "./wasm/module.ts";

/** Wire form of points: line protocol, simple JSON, PBJSON. */
export type Form = "lp" | "json" | "pbjson";

export interface MillraceOptions {
  /** The module `millrace.wasm`: its bytes, or compiled. */
  readonly wasm: BufferSource | WebAssembly.Module;
  /** Nanoseconds since 1970-01-01 UTC; `Date.now()` when absent. */
  readonly clock?: () => bigint;
  /** A number in [0, 1); `Math.random` when absent. */
  readonly random?: () => number;
  /** IANA zone that stands for "the host's zone"; that of `Intl` when absent. */
  readonly timeZone?: string;
  /** The way out for `http_request`, which gives nil when it is absent. Must refuse the addresses scripts may not reach. */
  readonly fetch?: Fetch;
  /** Where an IP address lies, for `geoip`, which does nothing when it is absent. */
  readonly geoip?: (ip: string) => Place | null;
  /** The reference tables in force, asked at each look-up. */
  readonly referTables?: () => ReferTables | null;
}

export interface DecodeOptions {
  readonly category: CategoryName;
  readonly form: Form;
  /** Unit of the times: `n`, `u`, `ms`, `s`, `m` or `h`. Absent or empty: found out by their size. */
  readonly precision?: string;
  /** Nanoseconds for points without a time; the instance's clock when absent. */
  readonly now?: bigint;
  readonly limits?: Limits;
  /** Equal tags in a line of line protocol are an error. */
  readonly strict?: boolean;
}

export interface RunScriptOptions {
  readonly category: CategoryName;
  /** Steps per point, 10,000,000 when absent; 0 switches the limit off. */
  readonly maxSteps?: number;
  /** Steps that this run shares with others, such as those over the points of one write. */
  readonly budget?: StepBudget;
  /** For debug runs: milliseconds that a point may take. */
  readonly deadlineMs?: number;
  /** Ends the requests of a script that waits. */
  readonly signal?: AbortSignal;
}

export interface Millrace {
  /** Decodes a body and corrects its points to the category's constraints. Throws a PointError. Release the batch when done. */
  decodePoints(body: Uint8Array, options: DecodeOptions): PointBatch;
  /** Points as bytes of a wire form. */
  encode(points: PointBatch | Iterable<PointView>, form: Form): Uint8Array;
  /** Checks and compiles scripts of one category, texts by name; mistakes are data, in `errors`. */
  compile(scripts: Readonly<Record<string, string>>, options: { readonly category: CategoryName }): CompiledSet;
  /** Runs a script over a point and changes it in place. Not for a script that `waits`. */
  run(script: Script, point: PointView, options: RunScriptOptions): ScriptResult;
  /** Runs any script. The point must not lie in a batch, and belongs to the run until it resolves. */
  runWaiting(script: Script, point: PointView, options: RunScriptOptions): Promise<ScriptResult>;
  /** Bytes of linear memory: in use by batches, and taken from the host. */
  memory(): { readonly used: number; readonly size: number };
}

export async function createMillrace(options: MillraceOptions): Promise<Millrace> {
  const { random = Math.random } = options;
  const module = await instantiate(options.wasm, random);
  const now = options.clock ?? (() => BigInt(Date.now()) * 1_000_000n);
  const host: Host = {
    now,
    random,
    timeZone: options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.geoip === undefined ? {} : { geoip: options.geoip }),
    ...(options.referTables === undefined ? {} : { tables: options.referTables }),
  };
  const nowMs = () => Number(now() / 1_000_000n);
  const running = (options: RunScriptOptions): RunOptions => ({
    category: options.category,
    host,
    maxSteps: options.maxSteps,
    budget: options.budget,
    signal: options.signal,
    deadline: options.deadlineMs === undefined ? undefined : { now: nowMs, limitMs: options.deadlineMs },
  });
  const encoder = new TextEncoder();
  return {
    decodePoints(body, { form, ...rest }) {
      const decoding = { ...rest, now: rest.now ?? now() };
      if (form === "lp") return decodeLineProtocol(module, body, decoding);
      return new PointList(decodeJson(body, decoding));
    },
    encode(points, form) {
      const views = isBatch(points) ? eachOf(points) : points;
      const text =
        form === "lp" ? encodeLineProtocol(views) : form === "json" ? encodeJson(views) : encodePbjson(views);
      return encoder.encode(text);
    },
    compile: (scripts) => compileScripts(scripts, { patterns: builtinPatterns }),
    run: (script, point, options) => script.run(point, running(options)),
    runWaiting: (script, point, options) => script.runWaiting(point, running(options)),
    memory: () => ({ used: module.used, size: module.size }),
  };
}

function isBatch(points: PointBatch | Iterable<PointView>): points is PointBatch {
  return points instanceof Batch || points instanceof PointList;
}

function* eachOf(points: PointBatch): Iterable<PointView> {
  for (let index = 0; index < points.length; index++) yield points.at(index);
}
