// The one place of the server that knows the library's public API. The agent's threads and the command line use these
// few calls; a change of the library costs this file.

import { readFileSync } from "node:fs";
import {
  type CompiledSet,
  correct,
  createMillrace,
  type Encodable,
  type EncodeOptions,
  type Form,
  Key,
  type PlError,
  Point,
  PointError,
  type Points,
  type PointView,
  plErrorText,
} from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";

export { Key, type PlError, Point, PointError, type Points, type PointView, plErrorText };

export interface Decoding {
  readonly category: CategoryName;
  readonly form: Form;
  /** A unit, or empty for detection. */
  readonly precision: string;
  /** Receive time, nanoseconds. */
  readonly now: bigint;
  readonly strict: boolean;
}

export interface Created {
  readonly category: CategoryName;
  readonly point: Point;
}

export interface RunResult {
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly Created[];
}

export interface CompileResult {
  readonly errors: ReadonlyMap<string, PlError>;
}

export interface Engine {
  /** Throws PointError. */
  decode(body: Uint8Array, options: Decoding): Points;
  encode(points: Encodable, form: Form, options?: EncodeOptions): Uint8Array;
  /** Corrects a point that lives in JavaScript to the constraints of its category, in place. */
  correct(point: Point, category: CategoryName): void;
  /** Replaces all scripts of a category. */
  load(category: CategoryName, sources: Readonly<Record<string, string>>): CompileResult;
  has(category: CategoryName, name: string): boolean;
  /** Whether the script keeps state between points, so that one thread must see them all. */
  isStateful(category: CategoryName, name: string): boolean;
  /** `deadlineMs` takes the place of the step limit. */
  run(category: CategoryName, name: string, point: PointView, deadlineMs?: number): RunResult;
}

/** The module beside the compiled library. */
export function compileWasm(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
}

/** Nanoseconds since 1970. */
export function wallClock(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

export async function createEngine(wasm: WebAssembly.Module, maxSteps: number): Promise<Engine> {
  const mill = await createMillrace({
    wasm,
    clock: wallClock,
    random: Math.random,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const loaded = new Map<CategoryName, CompiledSet>();
  const scriptOf = (category: CategoryName, name: string) => loaded.get(category)?.scripts.get(name);
  return {
    decode: (body, options) => mill.decodePoints(body, options),
    encode: (points, form, options) => mill.encodePoints(points, form, options),
    correct: (point, category) => correct(point, category),
    load: (category, sources) => {
      const set = mill.compile(sources, { category });
      loaded.get(category)?.free();
      loaded.set(category, set);
      return { errors: set.errors };
    },
    has: (category, name) => scriptOf(category, name) !== undefined,
    isStateful: (category, name) => scriptOf(category, name)?.state === true,
    run: (category, name, point, deadlineMs) =>
      mill.run(scriptOf(category, name)!, point, {
        category,
        ...(deadlineMs === undefined ? { maxSteps } : { deadlineMs, maxSteps: 0 }),
      }),
  };
}
