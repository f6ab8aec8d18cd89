// An instance of Millrace: the module's memory, a clock, a generator of random numbers. Nothing here is global.

import { defaultWasm } from "#default-wasm";
import { builtinPatterns } from "./grok/load.ts";
import { type Diagnostic, diagnose } from "./pipeline/diagnose.ts";
import type { Host } from "./pipeline/run.ts";
import { type CompiledSet, compileScripts, type Script, type ScriptResult } from "./pipeline/script.ts";
import { Batch, type PointBatch } from "./point/batch.ts";
import type { CategoryName } from "./point/category.ts";
import { encodeJson, encodeLineProtocol, encodePbjson } from "./point/codec/encode.ts";
import { decodeJson } from "./point/codec/json.ts";
import { decodeLineProtocol } from "./point/codec/line-protocol.ts";
import type { Limits } from "./point/limits.ts";
import { PointList } from "./point/list.ts";
import type { PointView } from "./point/view.ts";
import { instantiate } from "./wasm/module.ts";

/** Wire form of points: line protocol, simple JSON, PBJSON. */
export type Form = "lp" | "json" | "pbjson";

export interface MillraceOptions {
  /** The module `millrace.wasm`: its bytes, or compiled. Absent: the one of the package, read the way of the host. */
  readonly wasm?: BufferSource | WebAssembly.Module;
  /** Nanoseconds since 1970-01-01 UTC; `Date.now()` when absent. */
  readonly clock?: () => bigint;
  /** A number in [0, 1); `Math.random` when absent. */
  readonly random?: () => number;
  /** IANA zone that stands for "the host's zone"; that of `Intl` when absent. */
  readonly timeZone?: string;
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
  /** For debug runs: milliseconds that a point may take. */
  readonly deadlineMs?: number;
}

export interface Millrace {
  /** Decodes a body and corrects its points to the category's constraints. Throws a PointError. Release the batch when done. */
  decodePoints(body: Uint8Array, options: DecodeOptions): PointBatch;
  /** Points as bytes of a wire form. */
  encode(points: PointBatch | Iterable<PointView>, form: Form): Uint8Array<ArrayBuffer>;
  /** Checks and compiles scripts of one category, texts by name; mistakes are data, in `errors`. */
  compile(scripts: Readonly<Record<string, string>>, options: { readonly category: CategoryName }): CompiledSet;
  /** All mistakes of scripts of one category, each with the range of the text it is about; see `compile`. */
  diagnose(scripts: Readonly<Record<string, string>>): readonly Diagnostic[];
  /** Runs a script over a point and changes it in place. */
  run(script: Script, point: PointView, options: RunScriptOptions): ScriptResult;
  /** Bytes of linear memory: in use by batches, and taken from the host. */
  memory(): { readonly used: number; readonly size: number };
}

export async function createMillrace(options: MillraceOptions = {}): Promise<Millrace> {
  const { random = Math.random } = options;
  const module = await instantiate(options.wasm ?? (await defaultWasm()), random);
  const now = options.clock ?? (() => BigInt(Date.now()) * 1_000_000n);
  const host: Host = {
    now,
    random,
    timeZone: options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
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
    diagnose: (scripts) => diagnose(scripts, { patterns: builtinPatterns }),
    run: (script, point, { category, maxSteps, deadlineMs }) =>
      script.run(point, {
        category,
        host,
        ...(maxSteps === undefined ? {} : { maxSteps }),
        ...(deadlineMs === undefined
          ? {}
          : { deadline: { now: () => Number(now() / 1_000_000n), limitMs: deadlineMs } }),
      }),
    memory: () => ({ used: module.used, size: module.size }),
  };
}

function isBatch(points: PointBatch | Iterable<PointView>): points is PointBatch {
  return points instanceof Batch || points instanceof PointList;
}

function* eachOf(points: PointBatch): Iterable<PointView> {
  for (let index = 0; index < points.length; index++) yield points.at(index);
}
