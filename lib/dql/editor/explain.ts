// Explains in words how a DQL statement is computed. People read the explanation in the member `raw_query` of an
// answer.

import type { Engine, PushdownLevel } from "../evaluate/engine.ts";
import type { Join, ResolvedQuery } from "../semantics/resolve.ts";
import { goDuration } from "../syntax/duration-text.ts";
import { textOf } from "../syntax/text.ts";

/** An engine that records the queries that it answers, together with the list of these queries. */
export interface Recorded {
  readonly engine: Engine;
  /**
   * The queries that the engine answered, in the order in which it received them. An inner query comes before the query
   * that contains it.
   */
  readonly asked: readonly ResolvedQuery[];
}

/**
 * Returns an engine that passes each query on to `engine` and records the query.
 *
 * @example
 * recording(memoryEngine(() => [])).asked; // []
 */
export function recording(engine: Engine): Recorded {
  const asked: ResolvedQuery[] = [];
  const answer: Engine["answer"] = (query, scope) => {
    asked.push(query);
    return engine.answer(query, scope);
  };
  return { engine: { ...engine, answer }, asked };
}

/**
 * Returns the explanation of a statement: the statement on one line, then, for each of its queries, a plan in words and
 * the SQL statement for the database. All lines except the SQL are SQL comments.
 *
 * @example
 * const { engine, asked } = recording(memoryEngine(() => []));
 * const statement = "M::cpu [1h]";
 * await runQuery(plainQuery(statement), engine, { now: Date.now() });
 * await explanation(statement, asked, engine); // "-- M::cpu [1h]" and the plan of the query
 */
export async function explanation(statement: string, asked: readonly ResolvedQuery[], engine: Engine): Promise<string> {
  const lines = [comment(statement.replace(/\s+/g, " ").trim())];
  for (const query of asked) {
    const explained = await engine.explain?.(query);
    lines.push(...planLines(query).map(comment));
    if (explained !== undefined) lines.push(comment(ways[explained.way]), explained.statement);
  }
  return lines.join("\n");
}

const ways: Readonly<Record<PushdownLevel, string>> = {
  groups: "run:     groups and their values are computed in the database",
  page: "run:     rows are ordered and cut in the database",
  rows: "run:     rows are read from the database and computed with here",
};

function comment(line: string): string {
  return `-- ${line}`;
}

/**
 * Returns the plan of a query in words, one line for each clause.
 *
 * @example
 * const { engine, asked } = recording(memoryEngine(() => []));
 * await runQuery(plainQuery("M::cpu [1h]"), engine, { now: Date.now() });
 * planLines(asked[0]!).length > 0; // true
 */
export function planLines(query: ResolvedQuery): string[] {
  const { range, filter, interval, rollup, columns, by, having, orderBy, sorderBy } = query;
  const { limit, offset, slimit, soffset, match, link } = query;
  const line = (name: string, text: string | null) => (text === null ? [] : [`${`${name}:`.padEnd(8)} ${text}`]);
  const names = (list: typeof columns) =>
    list.map(({ name, expr }) => (name === textOf(expr) ? name : `${textOf(expr)} as ${name}`)).join(", ");
  const sorts = (list: typeof orderBy) => list.map(({ expr, dir }) => `${textOf(expr)} ${dir}`).join(", ");
  return [
    ...line("from", sourceText(query)),
    ...line("time", `${new Date(range.start).toISOString()} to ${new Date(range.end).toISOString()}`),
    ...line("where", filter.length === 0 ? null : filter.map(textOf).join(", ")),
    ...line("filter", match === null ? null : joinText(match)),
    ...line("buckets", interval === 0 ? null : goDuration(BigInt(interval) * 1_000_000n)),
    ...line(
      "rollup",
      rollup === null ? null : `${rollup.kind === "percentile" ? `p${rollup.percent}` : rollup.kind} of each timeline`,
    ),
    ...line("by", by.length === 0 ? null : names(by)),
    ...line("columns", columns.length === 0 ? "all" : names(columns)),
    ...line("link", link === null ? null : joinText(link)),
    ...line("having", having === null ? null : textOf(having)),
    ...line("order", orderBy.length === 0 ? "newest first" : sorts(orderBy)),
    ...line("rows", counted(limit, offset, "of each series")),
    ...line(
      "series",
      `${counted(slimit ?? Number.POSITIVE_INFINITY, soffset, "")}, by ${sorderBy.length === 0 ? "their tags" : sorts(sorderBy)}`,
    ),
  ];
}

function joinText({ pairs, query }: Join): string {
  const equal = pairs.map(({ own, other }) => `${textOf(own)} = ${other}`).join(", ");
  return `where ${equal} in the answer about ${sourceText(query)}`;
}

function sourceText({ source, namespace, index }: ResolvedQuery): string {
  if ("sub" in source) return "the answer of the inner question";
  const all = source.list.map((each) => ("all" in each ? "*" : "regex" in each ? `re('${each.regex}')` : each.name));
  return `${namespace.long} ${all.join(", ")}${index.length === 0 ? "" : ` of index ${index.join(", ")}`}`;
}

function counted(limit: number, offset: number, of: string): string {
  const many = Number.isFinite(limit) ? `at most ${limit}` : "all";
  return `${many}${of === "" ? "" : ` ${of}`}${offset === 0 ? "" : `, without the first ${offset}`}`;
}
