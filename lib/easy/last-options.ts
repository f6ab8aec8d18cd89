// Checks options, and keeps the checked options for the next call. Programs pass the same options again and
// again, often as a new object, and comparing options takes much less time than checking them.
//
// Two objects of options are equal when they have the same number of members, and each option that the method
// knows has the same value in both. An object is never kept when one of its options has the value undefined, so
// the names of the members need not be compared one by one.
//
// A getter may return another value each time, and may call the method again. So each option is read once before
// it is checked and kept, and a call compares its options with one and the same `Kept` object, even when a
// getter replaces that object during the call.

import type { Host } from "../pipeline/runtime/run.ts";
import type { RunOptions } from "../pipeline/runtime/start-run.ts";
import { bodyOptionsOf, type CheckedBody, completeBody, knownOptions, runOptionsOf, timeOf } from "./check-options.ts";
import { decodeNames, runNames } from "./option-names.ts";
import type { DecodeOptions, RunScriptOptions } from "./options.ts";

interface Kept<Options, Made> {
  /** Number of members in the options object that is kept for the next call; -2 as long as no options are kept. */
  readonly count: number;
  readonly options: Options;
  readonly made: Made;
}

/**
 * Returns a function that checks the options of a decoder as `bodyOptionsOf` does. Options that equal those of the last
 * call are not checked again. The next call may change the member `now` of the returned object.
 */
export function bodyChecker(now: () => bigint): (call: string, options: DecodeOptions | undefined) => CheckedBody {
  const withoutOptions: CheckedBody = { ...bodyOptionsOf("decode", undefined, () => 0n), isFixed: true };
  let last: Kept<DecodeOptions, CheckedBody> = { count: -2, options: {}, made: withoutOptions };
  /**
   * The option `now` of the last call. It is not stored with the other options, because it often changes from call
   * to call.
   */
  let lastNow: unknown;
  const checkAnew = (call: string, options: DecodeOptions): CheckedBody => {
    const given = knownOptions(call, options, decodeNames);
    const checked = completeBody(call, given, now);
    const count = keptCount(options, given);
    if (count < 0) return checked;
    const made = { ...checked, isFixed: true };
    last = { count, options: given, made };
    lastNow = given.now;
    return made;
  };
  return (call, options) => {
    if (options === undefined) {
      withoutOptions.now = now();
      return withoutOptions;
    }
    const kept = last;
    const known = kept.options;
    if (
      memberCount(options) !== kept.count ||
      options.form !== known.form ||
      options.category !== known.category ||
      options.precision !== known.precision ||
      options.strict !== known.strict ||
      options.maxPoints !== known.maxPoints ||
      options.limits !== known.limits
    )
      return checkAnew(call, options);
    const given = options.now;
    const { made } = kept;
    if (given === undefined) {
      if (known.now !== undefined) return checkAnew(call, options);
      made.now = now();
      lastNow = undefined;
    } else if (kept !== last || !Object.is(given, lastNow)) {
      made.now = timeOf(call, given, now);
      // A Date in the option `now` is not kept for comparison with the next call, because the program may change the
      // time of the Date.
      lastNow = kept === last && typeof given !== "object" ? given : undefined;
    }
    return made;
  };
}

/**
 * Returns a function that checks the options of a run and fills in defaults. Options that equal those of the last call
 * are not checked again.
 */
export function runChecker(host: Host): (call: string, options: RunScriptOptions | undefined) => RunOptions {
  const withoutOptions: RunOptions = { category: "metric", host };
  let last: Kept<RunScriptOptions, RunOptions> = { count: -2, options: {}, made: withoutOptions };
  const checkAnew = (call: string, options: RunScriptOptions): RunOptions => {
    const given = knownOptions(call, options, runNames);
    const made = runOptionsOf(call, given, host);
    const count = keptCount(options, given);
    if (count >= 0) last = { count, options: given, made };
    return made;
  };
  return (call, options) => {
    if (options === undefined) return withoutOptions;
    const { count, options: known, made } = last;
    if (
      memberCount(options) !== count ||
      options.category !== known.category ||
      options.maxSteps !== known.maxSteps ||
      options.maxBytes !== known.maxBytes ||
      options.deadlineMs !== known.deadlineMs ||
      options.budget !== known.budget ||
      options.signal !== known.signal ||
      options.probe !== known.probe
    )
      return checkAnew(call, options);
    return made;
  };
}

/**
 * Returns the number of members of a plain object; -1 for any other value. For an instance of a class the result
 * is -1, too, because the instance may have getters, which are not counted as members.
 */
function memberCount(options: object): number {
  // The `constructor` of a plain object is Object; that of an instance of a class is the class. Reading this property
  // takes a tenth of the time of a call of Object.getPrototypeOf.
  if (options === null || options.constructor !== Object) return -1;
  let count = 0;
  for (const _name in options) count++;
  return count;
}

/**
 * Returns the number of members of the options when the options may be kept for comparison with the next call;
 * otherwise -2, which is never the number of members of an object. `given` contains the options as they were
 * read and checked. Options with an object among their values are not kept, because the object may change
 * between two calls and may be large. Options with an undefined value are not kept either, because an option
 * with an undefined value looks like an absent option.
 */
function keptCount(options: object, given: object): number {
  const values = Object.values(given);
  const count = Object.keys(options).length;
  const mayChange = (value: unknown): boolean => typeof value === "object" || typeof value === "function";
  const isPlain = Object.getPrototypeOf(options) === Object.prototype && count === values.length;
  return isPlain && !values.some(mayChange) ? count : -2;
}
