// Makes the queries of the explore mode from what the user chose, and counts measurements, keys and values.

import { type DqlNamespace, dqlTextOf, namespaces } from "../../../../lib/dql/index.ts";
import type { Answered, Cell, HeldSource, QueryAnswer, QueryJob } from "./asking.ts";
import type {
  ChartFunction,
  CountJob,
  ExploreChoice,
  ExploredSource,
  KeyCount,
  KeyValues,
  TextSearch,
} from "./exploring.ts";
import { conditionOf, queryName } from "./query-name.ts";

type Ask = (job: QueryJob) => Promise<QueryAnswer>;

/** Largest number of rows in a list of points. */
const mostRows = 500;
/** Largest number of values of a key that the page lists. */
const mostValues = 50;
/** Number of keys for which one query counts the points. */
const keysAtOnce = 20;
/**
 * Largest number of measurements whose points are counted, and number of counting queries that run at the same time.
 */
const [mostCounted, queriesAtOnce] = [100, 8];

/** Maps the name of a function in the explore mode to its name in DQL, the query language. */
const functionNames: Readonly<Record<ChartFunction, string>> = {
  ...{ mean: "avg", max: "max", min: "min", sum: "sum", count: "count", last: "last" },
};

const textOf = (value: string) => dqlTextOf({ type: "str", value, at: 0 });

/**
 * Returns the DQL query for what the user chose in the explore mode: it lists the points, or computes values over time
 * for a chart.
 */
export function exploreQuery(choice: ExploreChoice): string {
  const { source, drawn } = choice;
  if (drawn === null) return joined(headOf(source, false), [filterOf(choice, false), `LIMIT ${mostRows}`]);
  const { fn, field, by } = drawn;
  const target = field === null ? "count(*)" : `${functionNames[fn]}(${queryName(field)})`;
  const group = by === null ? "" : `BY ${queryName(by)}`;
  return joined(`${headOf(source, true)}:(${target})`, [filterOf(choice, true), "[::auto]", group]);
}

function joined(head: string, clauses: readonly string[]): string {
  return [head, ...clauses.filter((clause) => clause !== "")].join(" ");
}

/**
 * Returns the namespace in which queries find a measurement. A category of objects has two namespaces: one
 * contains all points, the other only the newest point of each object. `isOverTime` chooses the namespace with
 * all points.
 */
function namespaceFor({ category }: ExploredSource, isOverTime: boolean): DqlNamespace {
  const all = namespaces.filter((each) => each.category === category);
  return (isOverTime ? all.find(({ rows }) => rows === "all") : undefined) ?? all[0]!;
}

/**
 * Returns whether a query of this namespace has the name of a measurement as its source. In queries of spans and
 * events, the source is the value of a key instead.
 */
const isByName = ({ sourceKeys }: DqlNamespace) => sourceKeys[0] === "__source";

function headOf(source: ExploredSource, isOverTime: boolean): string {
  const space = namespaceFor(source, isOverTime);
  return `${space.short}::${isByName(space) ? queryName(source.name) : "*"}`;
}

/** Returns, in braces, the conditions that the user chose in the explore mode; an empty text when there are none. */
function filterOf(
  { source, search, conditions }: Pick<ExploreChoice, "source" | "search" | "conditions">,
  isOverTime: boolean,
  more: readonly string[] = [],
): string {
  const own = isByName(namespaceFor(source, isOverTime)) ? [] : [`__source = ${textOf(source.name)}`];
  const clicked = conditions.flatMap(({ key, cell, wish }) => conditionOf(key, cell, wish) ?? []);
  const all = [...own, ...searchOf(search), ...clicked, ...more];
  return all.length === 0 ? "" : `{ ${[...new Set(all)].join(", ")} }`;
}

function searchOf(search: TextSearch | null): string[] {
  if (search === null || search.text.trim() === "") return [];
  const pattern = search.text.trim().replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
  // The database compares the pattern in re() with the whole value, so `.*` is put before and after the text that
  // the user searches for.
  return [`${queryName(search.key)} = re(${textOf(`(?is).*${pattern}.*`)})`];
}

async function answered(ask: Ask, job: CountJob, text: string): Promise<Answered | null> {
  const answer = await ask({ ...job, timeZone: "", text });
  return answer.kind === "answered" ? answer : null;
}

/** Returns the number in a column of the answer's first row; 0 when the answer has no row. */
function numberIn({ series }: Answered, column: string): number {
  const [first] = series;
  return Number(first?.rows[0]?.[first.columns.indexOf(column)]?.text || 0);
}

/**
 * Counts the points of each measurement. A number is null when it is unknown. `isOld` returns true when nobody needs
 * the counts any more; the result is then null.
 */
export async function countSources(
  { sources, job }: { readonly sources: readonly HeldSource[]; readonly job: CountJob },
  ask: Ask,
  isOld: () => boolean,
): Promise<readonly (number | null)[] | null> {
  const counts: (number | null)[] = sources.map(() => null);
  for (let at = 0; at < Math.min(sources.length, mostCounted); at += queriesAtOnce) {
    await nextMessage();
    if (isOld()) return null;
    const some = sources.slice(at, at + queriesAtOnce).map(async (source, index) => {
      const filter = filterOf({ source, search: null, conditions: [] }, false);
      const found = await answered(ask, job, joined(`${headOf(source, false)}:(count(*) AS n)`, [filter]));
      if (found !== null) counts[at + index] = numberIn(found, "n");
    });
    await Promise.all(some);
  }
  return counts;
}

/**
 * Counts, for each key, the points that have it. `isOld` returns true when nobody needs the counts any more; the result
 * is then null.
 */
export async function countKeys(
  { source, keys, job }: { readonly source: ExploredSource; readonly keys: HeldSource["keys"]; readonly job: CountJob },
  ask: Ask,
  isOld: () => boolean,
): Promise<readonly KeyCount[] | null> {
  const counted: KeyCount[] = [];
  for (let at = 0; at < keys.length; at += keysAtOnce) {
    await nextMessage();
    if (isOld()) return null;
    const some = keys.slice(at, at + keysAtOnce);
    const targets = some.map(({ key }, index) => `count(${queryName(key)}) AS n${index}`).join(", ");
    const filter = filterOf({ source, search: null, conditions: [] }, false);
    const found = await answered(ask, job, joined(`${headOf(source, false)}:(${targets})`, [filter]));
    counted.push(
      ...some.map((each, index) => ({ ...each, points: found === null ? null : numberIn(found, `n${index}`) })),
    );
  }
  return counted;
}

/**
 * Finds the most frequent values of a key among the points that the user chose in the explore mode. Returns null for an
 * error.
 */
export async function keyValues(
  work: {
    readonly choice: Omit<ExploreChoice, "drawn">;
    readonly key: string;
    readonly keys: HeldSource["keys"];
    /** Text that the listed values must contain; empty lists all values. */
    readonly search: string;
    readonly job: CountJob;
  },
  ask: Ask,
): Promise<KeyValues | null> {
  const { choice, key, keys, search, job } = work;
  const name = queryName(key);
  const head = headOf(choice.source, false);
  const filter = filterOf(choice, false, searchOf({ key, text: search }));
  const top = [filter, `BY ${name} SORDER BY n DESC SLIMIT ${mostValues}`];
  const found = await answered(ask, job, joined(`${head}:(count(*) AS n)`, top));
  if (found === null) return null;
  const kind = keys.find((each) => each.key === key)?.kind ?? "str";
  const values = found.series.flatMap(({ tags, columns, rows }) => {
    const [, text = ""] = tags[0] ?? [];
    const count = Number(rows[0]?.[columns.indexOf("n")]?.text || 0);
    return text === "" || count === 0 ? [] : [{ cell: cellOf(kind, text), count }];
  });
  const all = await answered(ask, job, joined(`${head}:(count_distinct(${name}) AS n)`, [filter]));
  return { key, values, all: all === null ? null : numberIn(all, "n") };
}

/**
 * Converts the text of a value (`text`) to a value for a condition of a query. `kind` is the type of the key.
 * When the text is not valid for this type, the value becomes a string.
 */
function cellOf(kind: string, text: string): Cell {
  if ((kind === "int" || kind === "uint") && /^-?\d+$/.test(text)) return { kind: "int", text };
  if (kind === "float" && Number.isFinite(Number(text))) return { kind: "float", text };
  if (kind === "bool" && /^(?:true|false)$/.test(text)) return { kind: "bool", text };
  return { kind: "string", text };
}

/** Waits until the worker has handled the messages that arrived during the counting. */
const nextMessage = () => new Promise((resolve) => setTimeout(resolve, 0));
