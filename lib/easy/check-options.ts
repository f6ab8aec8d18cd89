// Checks the options of the methods of a Millrace instance. A check returns the options with the defaults filled in, as
// the folders `point` and `pipeline` need them, or throws a TypeError that names the function and the option.

import { builtinPatterns, definePatterns } from "../grok/load.ts";
import type { PatternSource } from "../grok/patterns.ts";
import type { Host } from "../pipeline/runtime/run.ts";
import type { RunOptions } from "../pipeline/runtime/start-run.ts";
import { type CategoryName, categories, categoryOf } from "../point/category.ts";
import type { BatchOptions } from "../point/codec/batches.ts";
import type { BodyOptions } from "../point/codec/body.ts";
import type { ColumnOptions } from "../point/codec/columns.ts";
import type { EncodeOptions, Form } from "../point/codec/encode.ts";
import { defaultLimits, type Limits, limitNames } from "../point/limits.ts";
import { isTimeInRange, precisions } from "../point/precision.ts";
import {
  isPlainObject,
  refuse,
  requireBoolean,
  requireBound,
  requireCount,
  requireFunction,
  requireMethods,
  requireObject,
  requireOneOf,
  requireOptions,
  requireString,
} from "../text/argument.ts";
import { namedZone } from "../time/zone.ts";
import { WasmModule } from "../wasm/module.ts";
import { batchNames, columnNames, decodeNames, encodeNames, instanceNames } from "./option-names.ts";
import type { DecodeOptions, MillraceOptions, RunScriptOptions } from "./options.ts";
import { nanosecondsOf, type Time } from "./time.ts";

const forms: readonly Form[] = ["lp", "json", "pbjson", "pb"];

/** Wrong names that people often write for a wire format, a category or a precision, each with the right name. */
const formNames = {
  ...{ "line-protocol": "lp", line_protocol: "lp", lineprotocol: "lp", "line protocol": "lp", line: "lp" },
  ...{ influx: "lp", text: "lp", ilp: "lp", protobuf: "pb", proto: "pb", "protobuf-json": "pbjson", pb_json: "pbjson" },
};
const categoryNames = {
  ...{ metrics: "metric", log: "logging", logs: "logging", event: "keyevent", events: "keyevent" },
  ...{ trace: "tracing", traces: "tracing", profile: "profiling", profiles: "profiling", objects: "object" },
};
const precisionNames = {
  ...{ nanosecond: "n", nanoseconds: "n", microsecond: "u", microseconds: "u", µs: "u", millisecond: "ms" },
  ...{ milliseconds: "ms", sec: "s", second: "s", seconds: "s", min: "m", minute: "m", minutes: "m" },
  ...{ hour: "h", hours: "h" },
};

export function formOf(call: string, form: unknown): Form {
  if (form === undefined || form === "lp") return "lp";
  requireOneOf(call, "form", form, forms, formNames);
  return form as Form;
}

export function categoryNamed(call: string, category: unknown, whenAbsent: CategoryName): CategoryName {
  if (category === undefined) return whenAbsent;
  if (typeof category === "string" && categoryOf(category) === category) return category as CategoryName;
  const alias = typeof category === "string" ? categoryOf(category) : undefined;
  const names = alias === undefined ? categoryNames : { [String(category).toLowerCase()]: alias };
  requireOneOf(call, "category", category, categories, names);
  return category as CategoryName;
}

function requirePrecision(call: string, precision: unknown): void {
  if (precision !== undefined && precision !== "")
    requireOneOf(call, "precision", precision, precisions, precisionNames);
}

/**
 * Checks the limits and fills in the default of each absent limit. Returns a copy, because a batch applies the
 * limits again when its points are changed: if the caller changes its own object later, this has no effect on
 * the batch.
 */
function limitsOf(call: string, limits: unknown): Limits {
  if (limits === undefined || limits === defaultLimits) return defaultLimits;
  requireOptions(call, limits, limitNames, "limits");
  const given = limits as Readonly<Record<string, unknown>>;
  const complete: Record<string, unknown> = { ...defaultLimits };
  for (const name in defaultLimits) {
    const value = given[name];
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value)) refuse(call, `limits.${name}`, "a whole number", value);
    complete[name] = value;
  }
  const { noUint } = given;
  requireBoolean(call, "limits.noUint", noUint);
  if (noUint !== undefined) complete.noUint = noUint;
  return complete as unknown as Limits;
}

/**
 * The wire format of a body, and the checked options of its decoder. After the check, only the member `now` of the
 * options may be changed.
 */
export interface CheckedBody extends BodyOptions {
  readonly form: Form;
  now: bigint;
}

/** Returns the time for points that are sent without a time: the option `now`, or the current time. */
export function timeOf(call: string, given: Time | undefined, now: () => bigint): bigint {
  if (given === undefined) return now();
  return typeof given === "bigint" && isTimeInRange(given) ? given : nanosecondsOf(call, () => "now", given);
}

/**
 * Checks the options of a decoding function. Returns the wire format of the body and the options for its decoder. `now`
 * returns the time for points that are sent without a time.
 */
export function bodyOptionsOf(
  call: string,
  options: DecodeOptions | undefined,
  now: () => bigint,
  names: Readonly<Record<string, true>> = decodeNames,
): CheckedBody {
  return completeBody(call, knownOptions(call, options, names), now);
}

/**
 * Returns a copy of the given options. Throws a TypeError for an option that the method does not know. Reads
 * each option only once, because a getter may return another value the second time.
 */
export function knownOptions<Options extends object>(
  call: string,
  options: Options | undefined,
  names: Readonly<Record<string, true>>,
): Options {
  requireOptions(call, options, names);
  const given: Record<string, unknown> = {};
  if (options === undefined) return given as Options;
  for (const name in names) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) given[name] = value;
  }
  return given as Options;
}

/** Checks the options that `knownOptions` returned for a decoder, and fills in the default of each absent one. */
export function completeBody(call: string, given: DecodeOptions, now: () => bigint): CheckedBody {
  requirePrecision(call, given.precision);
  requireBoolean(call, "strict", given.strict);
  requireCount(call, "maxPoints", given.maxPoints, "of points");
  return {
    form: formOf(call, given.form),
    category: categoryNamed(call, given.category, "metric"),
    precision: given.precision,
    now: timeOf(call, given.now, now),
    limits: limitsOf(call, given.limits),
    strict: given.strict,
    maxPoints: given.maxPoints,
  };
}

export function checkEncodeOptions(
  call: string,
  options: EncodeOptions | undefined,
  names: Readonly<Record<string, true>> = encodeNames,
): void {
  if (options === undefined) return;
  requireOptions(call, options, names);
  requirePrecision(call, options.precision);
  requireBoolean(call, "keepLines", options.keepLines);
  requireBoolean(call, "withoutWarnings", options.withoutWarnings);
  requireCount(call, "from", options.from, "of points");
  if (options.to !== Number.POSITIVE_INFINITY) requireCount(call, "to", options.to, "of points");
}

export function checkBatchOptions(call: string, options: BatchOptions | undefined): void {
  if (options === undefined) return;
  checkEncodeOptions(call, options, batchNames);
  requireCount(call, "maxPoints", options.maxPoints, "of points");
  requireCount(call, "maxBytes", options.maxBytes, "of bytes");
  requireCount(call, "bufferBytes", options.bufferBytes, "of bytes");
  requireBoolean(call, "ignoreLarge", options.ignoreLarge);
  requireBoolean(call, "largeAlone", options.largeAlone);
  requireBoolean(call, "exactSizes", options.exactSizes);
  if (options.written !== undefined) requireFunction(call, "written", options.written);
}

export function checkColumnOptions(call: string, options: ColumnOptions): void {
  if (options === undefined) refuse(call, "options", "an object with rows and arrayText", options);
  requireOptions(call, options, columnNames);
  const { rows, arrayText, isSparse } = options;
  if (!Number.isSafeInteger(rows) || rows <= 0 || rows % 32 !== 0) refuse(call, "rows", "a multiple of 32 rows", rows);
  requireFunction(call, "arrayText", arrayText);
  if (isSparse !== undefined) requireFunction(call, "isSparse", isSparse);
}

function checkRunOptions(call: string, options: RunScriptOptions): void {
  requireCount(call, "maxSteps", options.maxSteps, "of steps");
  requireCount(call, "maxBytes", options.maxBytes, "of bytes");
  requireBound(call, "deadlineMs", options.deadlineMs, "of milliseconds");
  const { budget, signal, probe } = options;
  if (budget !== undefined) {
    requireObject(call, "budget", budget);
    requireBound(call, "budget.limit", budget.limit ?? null, "of steps");
    requireBound(call, "budget.used", budget.used ?? null, "of steps");
  }
  if (signal !== undefined) requireMethods(call, "signal", signal, "an AbortSignal", "addEventListener");
  if (probe !== undefined) requireMethods(call, "probe", probe, "a probe, such as createTrace() returns", "end");
}

/** Checks the options that `knownOptions` returned for a run, and fills in the default of each absent one. */
export function runOptionsOf(call: string, options: RunScriptOptions, host: Host): RunOptions {
  checkRunOptions(call, options);
  const { maxSteps, maxBytes, budget, signal, probe, deadlineMs } = options;
  return {
    category: categoryNamed(call, options.category, "metric"),
    host,
    maxSteps,
    maxBytes,
    budget,
    signal,
    probe,
    deadline:
      deadlineMs === undefined ? undefined : { now: () => Number(host.now() / 1_000_000n), limitMs: deadlineMs },
  };
}

/**
 * Throws a TypeError unless `scripts` is a plain object whose keys are the names of scripts and whose values are
 * their source texts.
 */
export function checkScripts(call: string, scripts: unknown): void {
  const expected = "a plain object of script texts by name";
  if (!isPlainObject(scripts)) {
    const help = typeof scripts === "string" ? '. Write { "script.p": text }, or use script(text)' : "";
    refuse(call, "scripts", expected, scripts, help);
  }
  for (const [name, text] of Object.entries(scripts)) {
    if (typeof text !== "string") refuse(call, `scripts[${JSON.stringify(name.slice(0, 100))}]`, "a string", text);
  }
}

/**
 * Returns a source of grok patterns, made from the option `patterns`. The option may be an object of definitions
 * by name, or a source already.
 */
export function patternsOf(call: string, patterns: unknown): PatternSource {
  if (patterns === undefined) return builtinPatterns;
  if (typeof patterns === "object" && typeof (patterns as PatternSource | null)?.lookup === "function")
    return patterns as PatternSource;
  checkPatterns(call, patterns);
  return definePatterns(patterns as Record<string, string>);
}

function checkPatterns(call: string, patterns: unknown): void {
  const help = patterns instanceof Map ? ". Write Object.fromEntries(map)" : "";
  if (!isPlainObject(patterns)) refuse(call, "patterns", "a plain object of patterns by name", patterns, help);
  for (const [name, text] of Object.entries(patterns)) {
    if (typeof text !== "string") refuse(call, `patterns[${JSON.stringify(name.slice(0, 100))}]`, "a string", text);
  }
}

export function checkRunsIn(call: string, runsIn: unknown): void {
  if (runsIn !== undefined) requireOneOf(call, "runsIn", runsIn, ["agent", "central"]);
}

/** Checks the options of `createMillrace`. */
export function checkInstanceOptions(options: MillraceOptions): void {
  const call = "createMillrace";
  requireOptions(call, options, instanceNames);
  const { wasm, timeZone, generateCode } = options;
  if (wasm !== undefined && !isWasm(wasm))
    refuse(call, "wasm", "the bytes or the URL of millrace.wasm, or a WebAssembly.Module", wasm);
  for (const name of ["clock", "random", "fetch", "geoip", "referTables", "warn"] as const) {
    if (options[name] !== undefined) requireFunction(call, name, options[name]);
  }
  requireBoolean(call, "generateCode", generateCode);
  if (timeZone === undefined) return;
  requireString(call, "timeZone", timeZone);
  if (namedZone(timeZone) === null) refuse(call, "timeZone", 'an IANA name such as "Europe/Rome"', timeZone);
}

function isWasm(wasm: unknown): boolean {
  if (wasm instanceof WasmModule) return true;
  if (ArrayBuffer.isView(wasm) || wasm instanceof URL || (typeof wasm === "string" && wasm !== "")) return true;
  const tag = Object.prototype.toString.call(wasm);
  return (
    tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]" || tag === "[object WebAssembly.Module]"
  );
}
