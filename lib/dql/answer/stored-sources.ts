// The sources of categories whose source clause is compared with a key of the points, such as the service of a span. A catalog of keys
// tells no values: the engine counts the points of each.

import type { EvaluationScope } from "../evaluate/base-rows.ts";
import type { Engine } from "../evaluate/engine.ts";
import { plainQuery } from "../semantics/request.ts";
import { resolveQuery } from "../semantics/resolve.ts";
import { type StepBudget, stepped } from "../semantics/step-budget.ts";
import type { DqlNamespace } from "../syntax/namespaces.ts";
import { parseStatement } from "../syntax/parse.ts";

/** ms since 1970; in ns the ends are 64-bit integers. */
const allTime = { start: -9e12, end: 9e12 };

/** Whether the source clause is compared with the names of points. */
export function isByName({ sourceKeys }: DqlNamespace): boolean {
  return sourceKeys.every((key) => key === "__source");
}

/** A store may have very many points and sources: a name that was meant is looked for in this many of the newest points. */
const NEWEST_POINTS = 1000;

/** Returns the sources of the newest points, or with `names` those of them that any stored point has. */
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
  // A recovered event is a stored point, too.
  const question = { ...all, source, range: allTime, namespace: { ...namespace, rows: "all" } as const };
  const { series } = await engine.answer(question, withoutInner(work));
  const found = new Set<string>();
  const add = (values: readonly unknown[]) => {
    const source = values.find((value) => typeof value === "string" && value !== "");
    if (typeof source === "string") found.add(source);
  };
  for (const { tags, values } of stepped(series, work)) {
    // The first column is the time.
    if (names === undefined) for (const row of stepped(values, work)) add(row.slice(1));
    else add(sourceKeys.map((key) => tags?.get(key)));
  }
  return found;
}

/** The scope of a question without questions inside of it. */
function withoutInner(work: StepBudget): EvaluationScope {
  return {
    values: () => [],
    joined: () => {
      throw new TypeError("the question has no join");
    },
    work,
  };
}
