// A script that runs over plain objects: `mill.script(text).run({ message })`.

import type { PatternSource } from "../grok/patterns.ts";
import type { CompiledSet } from "../pipeline/compile/scripts.ts";
import type { CreatedPoint } from "../pipeline/runtime/run.ts";
import type { Script, ScriptResult } from "../pipeline/runtime/script.ts";
import type { RunOptions } from "../pipeline/runtime/start-run.ts";
import { type PlError, plErrorText } from "../pipeline/syntax/errors.ts";
import type { CategoryName } from "../point/category.ts";
import { Point } from "../point/point.ts";
import {
  isPlainObject,
  type OptionNames,
  refuse,
  requireCount,
  requireOptions,
  requireString,
} from "../text/argument.ts";
import { categoryNamed, checkScripts } from "./check-options.ts";
import { isPoint } from "./check-points.ts";
import { DecodedPoint } from "./decoded-points.ts";
import { checkWholeNumbers } from "./encode-plain.ts";
import {
  type Fields,
  type InputRules,
  type JsonPoint,
  type PlainPoint,
  type PointInput,
  plainPointOf,
  pointOf,
  pointOfFields,
} from "./plain-point.ts";
import type { WholeNumbers } from "./plain-value.ts";

/**
 * The error of a script. `Millrace.script` throws it when the script has a mistake; the result of `run` contains it
 * when the run failed.
 */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
  /** The error as data, with its positions. `message` is the same error as text, such as `script.p:1:5: ...`. */
  readonly error: PlError;

  constructor(error: PlError) {
    super(plErrorText(error));
    this.error = error;
  }
}

/** Options of `Millrace.script`. */
export interface ScriptOptions {
  /** The name by which error messages refer to the script; default `script.p`. */
  readonly name?: string;
  /**
   * The category of the points; default `logging` for a line of text and `metric` for objects. Only for `logging`, the
   * status is mapped to a standard word after the run; a log without a status gets `unknown`.
   */
  readonly category?: CategoryName;
  /** The source text of other scripts by name, which the script can run with `use("name")`. */
  readonly scripts?: Readonly<Record<string, string>>;
  /**
   * Grok patterns: definitions by name, or a source of patterns. These patterns take precedence over the built-in
   * patterns.
   */
  readonly patterns?: Readonly<Record<string, string>> | PatternSource;
  /** The type of numbers without a fraction in plain objects: `float` (the default) or `int`. */
  readonly wholeNumbers?: WholeNumbers;
  /** Largest number of steps for a point; default 10,000,000. 0 switches the limit off. */
  readonly maxSteps?: number;
  /**
   * Largest total size in bytes of the values that a run keeps in memory; default 64 MiB. 0 switches the limit
   * off.
   */
  readonly maxBytes?: number;
}

/**
 * Input of `run`: a line of text, the fields of a point, a plain object with the members of a point, or a point of the
 * library, which is copied. An object counts as a point when its member `fields` or `tags` is itself a plain object.
 */
export type RunInput =
  | string
  | Fields
  | PointInput
  | PlainPoint
  | PlainPoint<bigint>
  | JsonPoint
  | Point
  | DecodedPoint;

/** A point that a script created. */
export interface CreatedObject extends PlainPoint {
  category: CategoryName;
  /**
   * Whether the created point was dropped by the script that `create_point` ran over this point (the argument
   * `after_use`).
   */
  dropped: boolean;
}

/** The result of running a script over one point. */
export interface RunObject extends PlainPoint {
  /** Whether the script dropped the point. */
  dropped: boolean;
  /** The points that the script created. */
  created: CreatedObject[];
  /**
   * Earlier points that the script dropped and that its function `window_hit` brings back, oldest first; absent
   * when there are none.
   */
  window?: PlainPoint[];
  /**
   * The error that ended the run early; absent when the script ran to its end. The changes before the error are kept.
   */
  error?: ScriptError;
}

const scriptNames: OptionNames<ScriptOptions> = {
  ...{ name: true, category: true, scripts: true, patterns: true, wholeNumbers: true, maxSteps: true, maxBytes: true },
};

/** Checks the options of `script`, except the options that `compile` checks. */
export function checkScriptOptions(text: unknown, options: ScriptOptions | undefined): void {
  const call = "script";
  requireString(call, "text", text);
  requireOptions(call, options, scriptNames);
  if (options === undefined) return;
  if (options.name !== undefined) requireString(call, "name", options.name);
  if (options.scripts !== undefined) checkScripts(call, options.scripts);
  checkWholeNumbers(call, options.wholeNumbers);
  requireCount(call, "maxSteps", options.maxSteps, "of steps");
  requireCount(call, "maxBytes", options.maxBytes, "of bytes");
  categoryNamed(call, options.category, "logging");
}

/**
 * Options for all runs of a script. When `category` is absent, the category is `logging` for a line of text and
 * `metric` for an object.
 */
export type ObjectRunOptions = Omit<RunOptions, "category"> & Partial<Pick<RunOptions, "category">>;

/** The name of a script in error messages when the caller does not pass a name. */
export const defaultScriptName = "script.p";

/**
 * A compiled script that takes and returns plain objects. It keeps the state of functions such as `agg_create` between
 * runs.
 */
export class ObjectScript {
  /** The compiled script, which `run` and `runAll` of a Millrace instance accept. */
  readonly script: Script;
  private readonly set: CompiledSet;
  private readonly forText: RunOptions;
  private readonly forObjects: RunOptions;
  private readonly rules: InputRules;

  /** Wraps a compiled script; called only by `Millrace.script`. Throws ScriptError when the script has an error. */
  constructor(set: CompiledSet, name: string, options: ObjectRunOptions, whole: WholeNumbers) {
    for (const error of set.errors.values()) throw new ScriptError(error);
    this.script = set.scripts.get(name)!;
    this.set = set;
    this.forText = { ...options, category: options.category ?? "logging" };
    this.forObjects = { ...options, category: options.category ?? "metric" };
    this.rules = { call: "run", whole, now: options.host.now };
  }

  /**
   * Runs the script over a copy of the point and returns the changed copy. Throws a TypeError when the input is not a
   * point. When the run fails, the result has the member `error`.
   *
   * @example
   * mill.script("grok(_, '%{INT:bytes:int}')").run({ message: "512" }).fields.bytes; // 512n
   */
  run(input: RunInput): RunObject {
    const { point, result } = this.runPoint(input);
    return resultOf(point, result);
  }

  /** Runs the script as `run` does. Returns the point and the result without converting them to plain objects. */
  runPoint(input: RunInput): { readonly point: Point; readonly result: ScriptResult } {
    const point = this.pointOf(input);
    return { point, result: this.script.run(point, this.optionsFor(input)) };
  }

  /**
   * Runs the script as `run` does, but asynchronously: the run can wait for the answers to the script's HTTP
   * requests.
   */
  async runWaiting(input: RunInput): Promise<RunObject> {
    const point = this.pointOf(input);
    return resultOf(point, await this.script.runWaiting(point, this.optionsFor(input)));
  }

  /** Frees the memory that the script's regular expressions take; the next run allocates it again. */
  free(): void {
    this.set.free();
  }

  private optionsFor(input: unknown): RunOptions {
    return typeof input === "string" ? this.forText : this.forObjects;
  }

  private pointOf(input: unknown): Point {
    if (typeof input === "string") return pointOfFields({ message: input }, argumentName, this.rules);
    if (isPlainObject(input)) {
      const isWhole = isPlainObject(input.fields) || isPlainObject(input.tags);
      return isWhole ? pointOf(input, argumentName, this.rules) : pointOfFields(input, argumentName, this.rules);
    }
    if (input instanceof DecodedPoint) return Point.copyOf(input.view);
    if (isPoint(input)) return Point.copyOf(input);
    return refuse("run", "point", 'a string, a plain object of fields such as { message: "text" }, or a point', input);
  }
}

const argumentName = (): string => "point";

/** Converts the result of a run to plain objects. */
export function resultOf(point: Point, { error, dropped, created, window: broughtBack }: ScriptResult): RunObject {
  // Copying the members one by one takes less time than an object spread.
  const { name, time, tags, fields } = plainPointOf(point);
  const result: RunObject = { name, time, tags, fields, dropped, created: created.map(createdObject) };
  if (broughtBack.length > 0) result.window = broughtBack.map((each) => plainPointOf(each));
  if (error !== null) result.error = new ScriptError(error);
  return result;
}

function createdObject({ category, point, dropped = false }: CreatedPoint): CreatedObject {
  return { category, ...plainPointOf(point), dropped };
}
