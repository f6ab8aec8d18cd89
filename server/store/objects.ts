// Lists the objects (such as hosts) of one class in their newest state. A list can be searched, filtered and
// sorted, and is returned one page at a time. The normal query engine computes the list, so a list and a query
// never contradict each other.

import {
  type DqlValue,
  type Engine,
  equalValues as equals,
  isList,
  isNumber,
  type ObjectLabels,
  plainQuery,
  runQuery,
  dqlTextOf as textOf,
  textOfValue,
} from "../../lib/dql/index.ts";
import { compareText } from "../../lib/text/index.ts";

export interface ObjectQuestion {
  /** The class of the listed objects: letters, digits and `_`. */
  readonly objectClass: string;
  /**
   * The time range of the points from which objects are read: `start` is inclusive, `end` is exclusive, ms since 1970.
   */
  readonly start: number;
  readonly end: number;
  /**
   * Lists only objects in which the value of one of `keys` contains `text`, ignoring case. An empty `text` matches all
   * objects.
   */
  readonly search: { readonly text: string; readonly keys: readonly string[] };
  /**
   * Lists only objects that match all of the given filters. An object matches a filter when one of the filter's keys
   * has one of the filter's values.
   */
  readonly filter: readonly ObjectFilter[];
  /** Lists only objects with at least one of the given labels; an empty list does not filter. */
  readonly anyLabel: readonly string[];
  /**
   * Lists only objects whose newest point is in this time range: `from` is inclusive, `before` is exclusive, ms since
   * 1970.
   */
  readonly seen: { readonly from: number; readonly before: number };
  /** The key (tag or field) by which objects are sorted; null: by the time of the newest point. */
  readonly order: { readonly key: string | null; readonly isDescending: boolean };
  readonly offset: number;
  readonly limit: number;
}

export interface ObjectFilter {
  readonly keys: readonly string[] | RegExp;
  readonly anyOf: readonly (string | number | boolean)[];
}

export interface FoundObject {
  readonly name: string;
  /** Time of the object's newest point (`time`) and of its first point, in ms since 1970. */
  readonly time: number;
  readonly firstTime: number;
  readonly tags: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, DqlValue>;
  readonly labels: readonly string[];
}

export interface FoundObjects {
  readonly objects: readonly FoundObject[];
  readonly totalCount: number;
}

/** The values of an object that are needed to search, filter and sort it. */
interface Candidate {
  readonly name: string;
  readonly time: number;
  readonly labels: readonly string[];
  value(key: string): DqlValue;
}

/** Maximum number of objects that are examined for one list. */
const maxObjects = 2_000_000;
/**
 * Largest time range of the queries for a list. It is longer than any range that a client can ask for, so no list is
 * refused.
 */
const anyDuration = "1000y";

export async function findObjects(engine: Engine, question: ObjectQuestion): Promise<FoundObjects> {
  const { objectClass, order, offset, limit } = question;
  const keys = (await engine.keys("object")).filter(({ name }) => name === objectClass);
  const labels = labelsByName(await engine.labels("object"), objectClass);
  const found = (await candidates(engine, question, [...new Set(keys.map(({ key }) => key))], labels)).sort(
    compareBy(order),
  );
  const page = found.slice(offset, offset + limit);
  if (page.length === 0) return { objects: [], totalCount: found.length };
  const names = page.map(({ name }) => name);
  const fieldKeys = new Set(keys.filter(({ kind }) => kind !== null).map(({ key }) => key));
  const [states, firsts] = await Promise.all([
    newestStates(engine, question, names, fieldKeys),
    firstTimes(engine, question, names),
  ]);
  const objects = page.flatMap(({ name, labels: own }): FoundObject[] => {
    const state = states.get(name);
    // An object is left out when its points were deleted between the two queries of a list.
    return state === undefined ? [] : [{ ...state, labels: own, firstTime: firsts.get(name) ?? state.time }];
  });
  return { objects, totalCount: found.length };
}

async function candidates(
  engine: Engine,
  { objectClass, start, end, search, filter, anyLabel, seen, order }: ObjectQuestion,
  stored: readonly string[],
  labels: ReadonlyMap<string, readonly string[]>,
): Promise<Candidate[]> {
  const filters = filter.map(({ keys, anyOf }) => ({
    keys: keys instanceof RegExp ? stored.filter((key) => keys.test(key)) : keys,
    anyOf,
  }));
  const read = new Set(["name", "labels", ...filters.flatMap(({ keys }) => keys)]);
  if (search.text !== "") for (const key of search.keys) read.add(key);
  if (order.key !== null) read.add(order.key);
  const columns = [...read];
  const wanted = search.text.toLowerCase();
  const isFound = ({ value, time, labels: own }: Candidate): boolean =>
    time >= seen.from &&
    time < seen.before &&
    (wanted === "" || search.keys.some((key) => textOfValue(value(key)).toLowerCase().includes(wanted))) &&
    filters.every(({ keys, anyOf }) => keys.some((key) => anyOf.some((each) => holds(value(key), each)))) &&
    (anyLabel.length === 0 || anyLabel.some((label) => own.includes(label)));
  const rows = await rowsOf(engine, `O::${objectClass}:(${columns.map(columnText).join(", ")})`, { start, end });
  return rows.flatMap((row): Candidate[] => {
    const value = (key: string) => row.get(key) ?? null;
    const name = textOfValue(value("name"));
    if (name === "") return [];
    const own = [...new Set([...(labels.get(name) ?? []), ...labelsIn(value("labels"))])];
    const candidate = { name, time: Number(row.get("time")), labels: own, value };
    return isFound(candidate) ? [candidate] : [];
  });
}

function holds(value: DqlValue, wanted: string | number | boolean): boolean {
  return value !== null && equals(value, wanted);
}

/**
 * Returns the function that compares two objects. Absent values come last; objects with equal values are ordered by
 * name.
 */
function compareBy({ key, isDescending }: ObjectQuestion["order"]): (a: Candidate, b: Candidate) => number {
  const sign = isDescending ? -1 : 1;
  const of = (each: Candidate): DqlValue => (key === null ? each.time : each.value(key));
  return (a, b) => {
    const [left, right] = [of(a), of(b)];
    if ((left === null) !== (right === null)) return left === null ? 1 : -1;
    return sign * compareValues(left, right) || compareText(a.name, b.name);
  };
}

function compareValues(left: DqlValue, right: DqlValue): number {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  return compareText(textOfValue(left), textOfValue(right));
}

async function newestStates(
  engine: Engine,
  { objectClass, start, end }: ObjectQuestion,
  names: readonly string[],
  fieldKeys: ReadonlySet<string>,
): Promise<Map<string, Omit<FoundObject, "firstTime" | "labels">>> {
  const rows = await rowsOf(engine, `O::${objectClass} { name in [${names.map(textLiteral).join(", ")}] }`, {
    start,
    end,
  });
  return new Map(
    rows.map((row) => {
      const name = textOfValue(row.get("name") ?? null);
      const tags = new Map<string, string>();
      const fields = new Map<string, DqlValue>();
      for (const [key, value] of row) {
        if (value === null || ownColumns.has(key)) continue;
        if (typeof value === "string" && !fieldKeys.has(key)) tags.set(key, value);
        else fields.set(key, value);
      }
      return [name, { name, time: Number(row.get("time")), tags, fields }];
    }),
  );
}

/** Columns of a query's answer that are not tags or fields of points. */
const ownColumns = new Set(["time", "time_us", "__docid", "__source", "__namespace"]);

/** Returns the time of the first point of each object. */
async function firstTimes(
  engine: Engine,
  { objectClass, end }: ObjectQuestion,
  names: readonly string[],
): Promise<Map<string, number>> {
  const query = `OH::${objectClass}:(first(name)) { name in [${names.map(textLiteral).join(", ")}] } BY name`;
  const series = await seriesOf(engine, query, { start: 0, end });
  return new Map(series.map(({ tags, values }) => [tags?.get("name") ?? "", Number(values[0]![0])]));
}

interface Window {
  readonly start: number;
  readonly end: number;
}

async function seriesOf(engine: Engine, query: string, { start, end }: Window) {
  const member = {
    ...plainQuery(query),
    timeRange: [start, end],
    maxDuration: anyDuration,
    limit: maxObjects,
    disableSlimit: true,
  };
  return (await runQuery(member, engine, { now: end, maxLimit: maxObjects })).series;
}

/** Returns the rows of a query's answer as maps from column name to value. */
async function rowsOf(engine: Engine, query: string, window: Window): Promise<ReadonlyMap<string, DqlValue>[]> {
  const series = await seriesOf(engine, query, window);
  return series.flatMap(({ columns, values }) =>
    values.map((row) => new Map(columns.map((column, at) => [column, row[at] ?? null]))),
  );
}

/** Returns a column name in back quotes, as the query language needs it. Names never contain back quotes. */
function columnText(name: string): string {
  return `\`${name}\``;
}

function textLiteral(value: string): string {
  return textOf({ type: "str", value, at: 0 });
}

function labelsByName(all: readonly ObjectLabels[], objectClass: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, readonly string[]>();
  for (const { objectClass: of, objectName, labels } of all) {
    if (of === objectClass) byName.set(objectName, [...(byName.get(objectName) ?? []), ...labels]);
  }
  return byName;
}

/**
 * Returns the labels of an object from the labels field of its newest point. The field holds a list, or the JSON text
 * of a list.
 */
function labelsIn(value: DqlValue): readonly string[] {
  if (value !== null && typeof value === "object" && !(value instanceof Uint8Array)) {
    return isList(value) ? value.map(textOfValue) : [];
  }
  if (typeof value !== "string" || !value.startsWith("[")) return [];
  try {
    const list = JSON.parse(value) as unknown;
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
