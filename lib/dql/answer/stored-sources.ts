// Finds the sources of stored points for categories whose points name their source in the value of a key, such
// as the service of a span. The catalog of keys contains no values, so the engine counts the points of each
// source.

import type { EvaluationScope } from "../evaluate/base-rows.ts";
import type { Engine } from "../evaluate/engine.ts";
import { plainQuery } from "../semantics/request.ts";
import { resolveQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import type { DqlNamespace } from "../syntax/namespaces.ts";
import { parseStatement } from "../syntax/parse.ts";

/** A time range that covers all points, in milliseconds since 1970. In nanoseconds its ends still fit into 64 bits. */
const allTime = { start: -9e12, end: 9e12 };

/** Returns whether the sources of the given namespace are the names of points, and not the values of a key. */
export function isByName({ sourceKeys }: DqlNamespace): boolean {
  return sourceKeys.every((key) => key === "__source");
}

/**
 * Number of the newest points that are searched for a similar source when the query names an unknown one. The number is
 * limited because a store may have very many points and sources.
 */
const NEWEST_POINTS = 1000;

/**
 * Returns sources of stored points. When `names` is not given, returns the sources of the newest `NEWEST_POINTS`
 * points. When `names` is given, searches all stored points, and returns each of these names that is the source
 * of at least one point.
 */
export async function storedSources(
  namespace: DqlNamespace,
  engine: Engine,
  work: StepBudget,
  names?: readonly string[],
): Promise<ReadonlySet<string>> {
  const { short, sourceKeys } = namespace;
  const keys = sourceKeys.join(", ");
  const statement =
    names === undefined
      ? `${short}::re(\`.*\`):(${keys}) LIMIT ${NEWEST_POINTS}`
      : `${short}::re(\`.*\`):(count(*)) BY ${keys}`;
  const parsed = parseStatement(statement);
  if (parsed.type !== "query") throw new TypeError("a question is expected");
  const all = resolveQuery(parsed, statement, plainQuery(statement), { now: 0, isWhole: true, work });
  const source = names === undefined ? all.source : { list: names.map((name) => ({ name })) };
  // Events are read in all states. A recovered event is a stored point, too, so its source is returned, although
  // queries of unrecovered events leave the event out.
  const question = { ...all, source, range: allTime, namespace: { ...namespace, rows: "all" } as const };
  const { series } = await engine.answer(question, withoutInner(work));
  const found = new Set<string>();
  const add = (values: readonly unknown[]) => {
    const source = values.find((value) => typeof value === "string" && value !== "");
    if (typeof source === "string") found.add(source);
  };
  for (const { tags, values } of countSteps(series, work)) {
    // The first column of the answer is the time, which is not a source.
    if (names === undefined) for (const row of countSteps(values, work)) add(row.slice(1));
    else add(sourceKeys.map((key) => tags?.get(key)));
  }
  return found;
}

/** Returns an empty scope (data from other queries), for a query that contains no other query. */
function withoutInner(work: StepBudget): EvaluationScope {
  return {
    values: () => [],
    joined: () => {
      throw new TypeError("the question has no join");
    },
    work,
  };
}
