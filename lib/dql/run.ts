// Runs one statement with the members of its request and makes the entry of the answer (query document, sections 7 and 8).

import type { Call, Expr, FunctionStatement, Query } from "./ast.ts";
import type { Engine } from "./engine.ts";
import { DqlError } from "./errors.ts";
import { type Answer, evaluate, rowsOfAnswer } from "./evaluate/evaluate.ts";
import { type JoinedRows, joinedRows } from "./evaluate/join.ts";
import type { DqlValue } from "./evaluate/value.ts";
import { labelledValues } from "./labels.ts";
import { applyOuter, evaluateNamed, innerText, type OuterAnswer } from "./outer.ts";
import { parseExpression, parseStatement } from "./parse.ts";
import type { QueryMember } from "./request.ts";
import { type Join, type ResolvedQuery, type ResolveOptions, resolveInner, resolveQuery } from "./resolve.ts";
import { isShow, show } from "./show.ts";
import { unpaced, type Work } from "./work.ts";

export interface Outcome extends OuterAnswer {
  /** Null for show functions and functions over other statements. */
  readonly query: ResolvedQuery | null;
  readonly statement: Query | FunctionStatement;
}

/** Statements inside of statements. */
const maxDepth = 8;

/** Throws DqlError for mistakes of the user; what the engine throws goes through. */
export async function runQuery(
  member: QueryMember,
  engine: Engine,
  options: ResolveOptions,
  depth = 0,
): Promise<Outcome> {
  if (depth > maxDepth) throw new DqlError("sub-query nested too deep");
  const statement = parseStatement(member.query);
  if (statement.type === "query") {
    const query = resolveQuery(statement, member.query, member, options);
    return { ...(await answerOf(query, engine, options)), query, statement };
  }
  return { ...(await functionAnswer(statement, member, engine, options, depth)), query: null, statement };
}

async function answerOf(query: ResolvedQuery, engine: Engine, options: ResolveOptions): Promise<Answer> {
  const { work = unpaced } = options;
  const values = new Map<Expr, readonly DqlValue[]>();
  for (const node of inner(query.filter)) values.set(node, await valuesOf(node, query, engine, options));
  const joined = new Map<Join, JoinedRows>();
  for (const join of [query.match, query.link]) {
    if (join === null) continue;
    const { series } = await answerOf(join.query, engine, options);
    joined.set(join, joinedRows(series, join.pairs, work));
  }
  const scope = {
    values: (node: Expr) => values.get(node) ?? [],
    joined: (join: Join) => joined.get(join)!,
    work,
  };
  if ("list" in query.source) return await engine.answer(query, scope);
  // The answer of the inner query is the input; the outer one is always computed here.
  const answer = await answerOf(query.source.sub, engine, options);
  return evaluate(query, rowsOfAnswer(answer, query.range.start, work), scope);
}

/** Nodes of a filter whose values are another question. */
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

async function valuesOf(
  node: Expr,
  outer: ResolvedQuery,
  engine: Engine,
  options: ResolveOptions,
): Promise<readonly DqlValue[]> {
  if (node.type === "call") return await labelledValues(node, engine);
  if (node.type !== "subquery") return [];
  const { series } = await answerOf(resolveInner(node.q, outer, options), engine, options);
  // The first column behind the time; grouped answers may only have tags.
  return series.flatMap(({ values, tags }) =>
    values.length > 0 && values[0]!.length > 1 ? values.map((row) => row[1]!) : [...(tags?.values() ?? [])],
  );
}

async function functionAnswer(
  statement: FunctionStatement,
  member: QueryMember,
  engine: Engine,
  options: ResolveOptions,
  depth: number,
): Promise<OuterAnswer> {
  const [first, ...chained] = statement.chain as readonly [Call, ...Call[]];
  const { work = unpaced } = options;
  if (isShow(first)) return await show(statement, engine, work);
  const plain = { ...member, highlight: false, searchAfter: null };
  const run = (query: string) => runQuery({ ...plain, query }, engine, options, depth + 1);
  if (first.name === "eval") {
    if (chained.length > 0) throw new DqlError("eval cannot be followed by another function");
    return await evalAnswer(first, run, work);
  }
  let answer: OuterAnswer = applyOuter(first, true, await run(innerText(first)), work);
  for (const call of chained) answer = applyOuter(call, false, answer, work);
  return answer;
}

async function evalAnswer({ args }: Call, run: (query: string) => Promise<Outcome>, work: Work): Promise<Answer> {
  const [first] = args;
  if (first === undefined || first.type === "named") throw new DqlError("eval expects an expression");
  const expr = first.type === "str" ? parseExpression(first.value) : first;
  const answers = new Map<string, Answer>();
  for (const arg of args.slice(1)) {
    if (arg.type !== "named") throw new DqlError("eval expects its statements as NAME='...'");
    answers.set(arg.name, await run(innerText({ type: "call", name: "eval", args: [arg.value], at: arg.at })));
  }
  return { series: evaluateNamed(expr, answers, work), totalHits: 0, searchAfter: null };
}
