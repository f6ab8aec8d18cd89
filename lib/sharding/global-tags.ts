// Generates the header X-Global-Tags for a point as the function platform (the server that runs functions of users)
// does: by configured rules, or by a function that the user supplies (docs/reference/gateway.md#rules-for-tags). No
// function of this file throws. After an error the point is still written, only without the header, and the error is
// reported.

import { type OptionNames, requireOptions } from "../text/argument.ts";
import { cleanValue, formatHeader, isUsableKey, type Pair } from "./header.ts";
import { type ExtraFields, lookUp, type PlainPoint, scalarText } from "./plain-point.ts";
import { readTagConfig, type TagField, type TagProblem, type TagRule } from "./tag-rules.ts";

/**
 * A function supplied by the user that returns the tags of a point. The function receives a copy of the point, so it
 * cannot change the point itself.
 */
export type TagFunction = (category: string, point: PlainPoint, extraFields: ExtraFields) => unknown;

/** Options of `createGlobalTags`, which makes a generator of headers. */
export interface GlobalTagsOptions {
  /**
   * Returns the user's function with the given id. The library sets no time limit, so the returned function itself must
   * reject when a call takes too long.
   */
  readonly functionOf?: (id: string) => TagFunction | undefined;
  /** Largest number of distinct keys in the header X-Global-Tags of a point, default 3; further keys are left out. */
  readonly maxIdentifiers?: number;
  /** Called with each problem that occurs while points are written. */
  readonly report?: (severity: TagProblem["severity"], message: string) => void;
}

/** A generator of the header X-Global-Tags. */
export interface GlobalTags {
  /** Problems that were found in the configuration. */
  readonly problems: readonly TagProblem[];
  /**
   * Returns the value of the header X-Global-Tags for a point; empty when the point gets no header. `category` is the
   * long name of the category. The promise never rejects.
   */
  headerOf(category: string, point: PlainPoint, extraFields?: ExtraFields): Promise<string>;
}

export const defaultMaxIdentifiers = 3;

const globalTagsNames: OptionNames<GlobalTagsOptions> = { functionOf: true, maxIdentifiers: true, report: true };

/**
 * Creates a generator of the header X-Global-Tags. `config` is a list of rules, one rule, or the id of a function; with
 * any other value no point gets a header.
 *
 * @example
 * const tags = createGlobalTags([{ fields: [{ src: "host" }] }]);
 * await tags.headerOf("metric", { measurement: "cpu", tags: { host: "a" }, fields: {} }); // "host=a"
 */
export function createGlobalTags(config: unknown, options: GlobalTagsOptions = {}): GlobalTags {
  requireOptions("createGlobalTags", options, globalTagsNames);
  const { maxIdentifiers = defaultMaxIdentifiers, report = () => {}, functionOf = () => undefined } = options;
  const { rules, functionId, problems } = readTagConfig(config, maxIdentifiers);
  const reported = new Set<string>();
  const reportOnce = (severity: TagProblem["severity"], message: string) => {
    if (!reported.has(message)) report(severity, message);
    reported.add(message);
  };
  const limited = (pairs: Iterable<Pair>): string => {
    const kept: Pair[] = [];
    for (const pair of pairs) {
      if (kept.length < maxIdentifiers) kept.push(pair);
      else reportOnce("warning", `a point has more than ${maxIdentifiers} identifiers, the first are kept`);
    }
    return formatHeader(kept);
  };

  const byFunction = async (id: string, category: string, point: PlainPoint, extra: ExtraFields): Promise<string> => {
    const call = functionOf(id);
    if (call === undefined) {
      reportOnce("error", `function "${id}" not found`);
      return "";
    }
    try {
      const answer: unknown = await call(category, copyOf(point), { ...extra });
      if (answer === undefined || answer === null) return "";
      if (!isDict(answer)) {
        report("warning", "global tags function must return a dict");
        return "";
      }
      return limited(pairsOfDict(answer, report));
    } catch (error) {
      report("error", `function "${id}": ${error instanceof Error ? error.message : String(error)}`);
      return "";
    }
  };

  return {
    problems,
    headerOf: async (category, point, extra = {}) =>
      functionId === undefined
        ? limited(pairsByRules(rules, category, point, extra))
        : await byFunction(functionId, category, point, extra),
  };
}

/**
 * Returns the problems in a configuration of tag rules.
 *
 * @example
 * checkGlobalTags([{ fields: [{ src: "host" }] }]); // []
 */
export function checkGlobalTags(config: unknown, maxIdentifiers = defaultMaxIdentifiers): readonly TagProblem[] {
  return readTagConfig(config, maxIdentifiers).problems;
}

/**
 * Returns the pairs of key and value that the rules make for a point, in the order of the rules. When several
 * pairs have the same key, the result has one pair with this key, at the position of the first and with the last
 * value.
 */
function pairsByRules(
  rules: readonly TagRule[],
  category: string,
  point: PlainPoint,
  extra: ExtraFields,
): Iterable<Pair> {
  const readKey = (name: string) => lookUp(point, extra, name);
  const pairs = new Map<string, string>();
  for (const rule of rules) {
    if (rule.categories?.has(category) === false || !rule.matches(readKey)) continue;
    for (const field of rule.fields) {
      const value = fieldValue(field, readKey);
      const clean = value === undefined ? "" : cleanValue(value);
      if (clean !== "") pairs.set(field.dest, clean);
    }
  }
  return pairs;
}

/**
 * Returns the value that a field of a rule contributes to the header of a point; undefined when it contributes
 * none.
 */
export function fieldValue(field: TagField, readKey: (name: string) => unknown): string | undefined {
  if (field.fixed !== undefined) return field.fixed;
  const found = readKey(field.src!);
  // Header values are strings, so a value of another type counts as missing.
  if (typeof found !== "string") return field.default;
  if (field.remap === undefined) return found;
  const mapped = field.remap.get(found);
  if (mapped !== undefined) return mapped ?? undefined;
  return field.remapDefault === undefined ? found : (field.remapDefault ?? undefined);
}

function* pairsOfDict(answer: object, report: NonNullable<GlobalTagsOptions["report"]>): Iterable<Pair> {
  for (const [key, value] of Object.entries(answer)) {
    if (value === undefined || value === null) continue;
    const text = scalarText(value);
    if (text === undefined || !isUsableKey(key)) {
      report(
        "warning",
        `global tags function: "${key}" is left out, it must be a text, a number or a bool under a plain key`,
      );
      continue;
    }
    const clean = cleanValue(text);
    if (clean !== "") yield [key, clean];
  }
}

function isDict(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function copyOf(point: PlainPoint): PlainPoint {
  return {
    measurement: point.measurement ?? "",
    tags: structuredClone(point.tags ?? {}),
    fields: structuredClone(point.fields ?? {}),
  };
}
