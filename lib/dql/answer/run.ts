// Runs one DQL statement with the options that its request gives, and returns the answer
// (docs/reference/query.md#requests).

import type { Engine } from "../evaluate/engine.ts";
import { type Answer, evaluate, rowsOfAnswer } from "../evaluate/evaluate.ts";
import { type JoinedRows, joinedRows } from "../evaluate/join.ts";
import { applyOuter, evaluateNamed, innerText, type OuterAnswer, rowOrderOf } from "../evaluate/outer.ts";
import type { DqlValue } from "../evaluate/values/value.ts";
import type { QueryMember } from "../semantics/request.ts";
import {
  type Join,
  type ResolvedQuery,
  type ResolveOptions,
  resolveInner,
  resolveQuery,
} from "../semantics/resolve.ts";
import { type StepBudget, unlimited } from "../semantics/step-budget.ts";
import type { Call, Expr, FunctionStatement, Query } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { parseExpression, parseStatement } from "../syntax/parse.ts";
import { reasonText } from "../syntax/reasons.ts";
import { labelledValues } from "./labels.ts";
import { isShow, show } from "./show.ts";
import { cutWarnings, nameWarnings, sourceWarnings } from "./warnings.ts";

/** The answer to a statement. */
export interface Outcome extends OuterAnswer {
  /** The query with all defaults filled in; null for show_...() functions and for functions over other statements. */
  readonly query: ResolvedQuery | null;
  readonly statement: Query | FunctionStatement;
  /**
   * Warnings for the member `query_warning` of the answer; empty when nothing looks like a mistake and no default limit
   * cut off rows.
   */
  readonly warnings: readonly string[];
}

/** Greatest depth to which statements may contain other statements, such as sub-queries in a filter. */
const maxDepth = 8;

/**
 * Runs one statement. Throws DqlError for an error in the statement; an error of the engine is thrown unchanged.
 *
 * @example
 * const engine = memoryEngine(() => []);
 * (await runQuery(plainQuery("M::cpu:(avg(usage)) [1h]"), engine, { now: Date.now() })).series; // []
 */
export async function runQuery(
  member: QueryMember,
  engine: Engine,
  options: ResolveOptions,
  depth = 0,
): Promise<Outcome> {
  if (depth > maxDepth) throw new DqlError(reasonText("nestedTooDeep"));
  const statement = parseStatement(member.query);
  const asking: Asking = { engine, options, warnings: [] };
  if (statement.type === "query") {
    const query = resolveQuery(statement, member.query, member, options);
    const answer = await answerOf(query, asking);
    const warnings = [...cutWarnings(query, answer), ...asking.warnings];
    return { ...answer, rowOrder: rowOrderOf(query), query, statement, warnings };
  }
  const answer = await functionAnswer(statement, member, asking, depth);
  return { ...answer, query: null, statement, warnings: asking.warnings };
}

/** Data that a query shares with the queries inside it: the engine, the options and the warnings. */
interface Asking {
  readonly engine: Engine;
  readonly options: ResolveOptions;
  readonly warnings: string[];
}

async function answerOf(query: ResolvedQuery, asking: Asking): Promise<Answer> {
  const { engine, options, warnings } = asking;
  const { work = unlimited } = options;
  warnings.push(...(await nameWarnings(query, engine, work)));
  const values = new Map<Expr, readonly DqlValue[]>();
  for (const node of inner(query.filter)) values.set(node, await valuesOf(node, query, asking));
  const joined = new Map<Join, JoinedRows>();
  for (const join of [query.match, query.link]) {
    if (join === null) continue;
    const { series } = await answerOf(join.query, asking);
    joined.set(join, joinedRows(series, join.pairs, work));
  }
  const scope = {
    values: (node: Expr) => values.get(node) ?? [],
    joined: (join: Join) => joined.get(join)!,
    work,
  };
  if ("list" in query.source) {
    const answer = await engine.answer(query, scope);
    warnings.push(...(await sourceWarnings(query, answer, engine, work)));
    return answer;
  }
  // The rows of the inner query's answer are the input of the outer query. The outer query is always computed in
  // memory, never by the database.
  const answer = await answerOf(query.source.sub, asking);
  return evaluate(query, rowsOfAnswer(answer, query.range.start, work), scope);
}

/**
 * Returns the sub-queries and the with_labels() calls of a filter. Their values have to be computed before the filter
 * is applied.
 */
function inner(filter: readonly Expr[]): Expr[] {
  const found: Expr[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, name } = node as { readonly type?: string; readonly name?: string };
    if (type === "subquery" || (type === "call" && name === "with_labels")) found.push(node as Expr);
    else for (const part of Object.values(node)) visit(part);
  };
  visit(filter);
  return found;
}

async function valuesOf(node: Expr, outer: ResolvedQuery, asking: Asking): Promise<readonly DqlValue[]> {
  if (node.type === "call") return await labelledValues(node, asking.engine);
  if (node.type !== "subquery") return [];
  const { series } = await answerOf(resolveInner(node.q, outer, asking.options), asking);
  // The values of an inner query are those of its first column after `time`. A query with the clause BY may have no
  // such column; its values are then the values of the tags.
  return series.flatMap(({ values, tags }) =>
    values.length > 0 && values[0]!.length > 1 ? values.map((row) => row[1]!) : [...(tags?.values() ?? [])],
  );
}

async function functionAnswer(
  statement: FunctionStatement,
  member: QueryMember,
  { engine, options, warnings }: Asking,
  depth: number,
): Promise<OuterAnswer> {
  const [first, ...chained] = statement.chain as readonly [Call, ...Call[]];
  const { work = unlimited } = options;
  if (isShow(first)) return await show(statement, engine, work);
  const plain = { ...member, highlight: false, searchAfter: null };
  // A function over an inner statement needs all rows of the statement's answer, so the default limit on rows does not
  // apply to the inner statement.
  const run = async (query: string) => {
    const outcome = await runQuery({ ...plain, query }, engine, { ...options, isWhole: true }, depth + 1);
    warnings.push(...outcome.warnings);
    return outcome;
  };
  if (first.name === "eval") {
    if (chained.length > 0) throw new DqlError(reasonText("notFollowed", "eval"));
    return await evalAnswer(first, run, work);
  }
  let answer: OuterAnswer = applyOuter(first, true, await run(innerText(first)), work);
  for (const call of chained) answer = applyOuter(call, false, answer, work);
  return answer;
}

async function evalAnswer(
  { args }: Call,
  run: (query: string) => Promise<Outcome>,
  work: StepBudget,
): Promise<OuterAnswer> {
  const [first] = args;
  if (first === undefined || first.type === "named") throw new DqlError(reasonText("evalExpression"));
  const expr = first.type === "str" ? parseExpression(first.value) : first;
  const answers = new Map<string, OuterAnswer>();
  for (const arg of args.slice(1)) {
    if (arg.type !== "named") throw new DqlError(reasonText("evalStatements"));
    answers.set(arg.name, await run(innerText({ type: "call", name: "eval", args: [arg.value], at: arg.at })));
  }
  const orders = new Set([...answers.values()].map(({ rowOrder }) => rowOrder));
  const rowOrder = orders.size === 1 ? ([...orders][0] ?? "newest first") : "other";
  return { series: evaluateNamed(expr, answers, work), totalHits: 0, searchAfter: null, rowOrder };
}
