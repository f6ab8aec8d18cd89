// Random DQL queries that follow the grammar, as syntax trees and as text.

import fc from "fast-check";
import type { Expr, Filter, Query, Source, Tail, Target, TimeClause } from "../../lib/dql/syntax/ast.ts";
import { durationNs, numberOf } from "../../lib/dql/syntax/literals.ts";

/** Precedence of the operators, as in the grammar; a higher number binds more strongly. */
const levels: Readonly<Record<string, number>> = {
  ...{ or: 0, and: 1, "=": 3, "!=": 3, ">": 3, ">=": 3, "<": 3, "<=": 3, "=~": 3, "!~": 3 },
  ...{ "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "^": 6 },
};
const at = 0;

function levelOf(expr: Expr): number {
  if (expr.type === "bin") return levels[expr.op]!;
  if (expr.type === "not") return 2;
  if (expr.type === "in") return 3;
  return expr.type === "unary" ? 7 : 8;
}

/** Puts an expression in parentheses when its operator binds more weakly than its context requires. */
const within = (expr: Expr, level: number): Expr => (levelOf(expr) < level ? { type: "paren", e: expr, at } : expr);

const words = ["a", "b", "host", "_x1", "温度", "Count", "message"];
const name = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom("a b", "by", "#1", "f.g", "x-y", "'", "select {", "👍"),
  fc.string({ unit: "grapheme" }).map((text) => `n${text.replace(/[`\s]/g, "")}`),
);
const text = fc.string({ unit: "grapheme" }).map((each) => each.replace(/[\n\r]/g, ""));
const leaf: fc.Arbitrary<Expr> = fc.oneof(
  name.map((each): Expr => ({ type: "col", name: each, at })),
  fc
    .constantFrom("0", "1", "2.5", ".5", "1e3", "0x1f", "9223372036854775808", "inf", "nan")
    .map((raw): Expr => ({ type: "num", raw, value: numberOf(raw), at })),
  text.map((value): Expr => ({ type: "str", value, at })),
  fc.boolean().map((value): Expr => ({ type: "bool", value, at })),
  fc.constant<Expr>({ type: "nil", at }),
  fc.constantFrom("5m", "1h30m", "10ms").map((raw): Expr => ({ type: "dur", raw, ns: durationNs(raw), at })),
  text.map((value): Expr => ({ type: "regex", value, at })),
  fc.constantFrom("linear" as const, "previous" as const).map((value): Expr => ({ type: "fillmode", value, at })),
);

const { expr, query } = fc.letrec<{ expr: Expr; query: Query }>((tie) => {
  const inner = tie("expr");
  const arg = inner.map((each) => within(each, 4));
  const list = fc.array(arg, { maxLength: 3 }).map((items): Expr => ({ type: "list", items, at }));
  const binary = fc.tuple(fc.constantFrom(...Object.keys(levels)), inner, inner).map(([op, left, right]): Expr => {
    const level = levels[op]!;
    // Binary operators are left-associative, and the power operator is right-associative. An operand of a comparison
    // must bind more strongly than the comparison.
    const [l, r] = level < 4 ? [level === 3 ? 4 : level + 1, level === 3 ? 4 : level + 1] : [level, level + 1];
    const sides = op === "^" ? ([7, 6] as const) : ([l, r] as const);
    return { type: "bin", op: op as "=", l: within(left, sides[0]), r: within(right, sides[1]), at };
  });
  const call = fc
    .tuple(
      fc.constantFrom("f", "max", "count", "fill", "top", "a.b", "distinct"),
      fc.array(
        fc.oneof(
          arg,
          fc.constant<Expr>({ type: "star", at }),
          fc.tuple(name, inner).map(([own, value]): Expr => ({ type: "named", name: own, value, at })),
          fc.tuple(arg, name).map(([own, alias]): Expr => ({ type: "aliased", expr: own, alias, at })),
        ),
        { maxLength: 3 },
      ),
    )
    .map(([called, args]): Expr => ({ type: "call", name: called, args, at }));
  const subquery = tie("query").map(
    (each): Expr => ({ type: "subquery", q: { ...each, ns: each.ns ?? { name: "L", index: [], at } }, at }),
  );
  const among = fc
    .oneof(
      fc.tuple(fc.constantFrom("in" as const, "notin" as const), inner, fc.oneof(list, subquery)),
      fc.tuple(fc.constantFrom("match" as const, "notmatch" as const), inner, list),
    )
    .map(([op, l, r]): Expr => ({ type: "in", op, l: within(l, 4), r, at }));
  const target = fc.record<Target>({ expr: inner, alias: fc.option(name) });
  const targets = fc.array(target, { minLength: 1, maxLength: 3 });
  const filter = fc.array(inner, { maxLength: 3 }).map((conds): Filter => ({ type: "filter", conds, at }));
  const point = fc.constantFrom<TimeClause["start"]>(
    ...[null, { ago: durationNs("10m") }, { ts: "1672531200" }, { word: "now" as const }, { word: "today" as const }],
    ...[
      { date: "2023-01-01", time: null },
      { date: "2023-01-01", time: "00:04:05" },
    ],
  );
  const time = fc.record<TimeClause>({
    type: fc.constant("time"),
    start: point,
    end: point,
    interval: fc.constantFrom<TimeClause["interval"]>(
      ...[null, { auto: true as const, points: null }, { auto: true as const, points: 5 }],
      ...[{ ns: durationNs("1m") }, { seconds: 120 }],
    ),
    rollup: fc.constantFrom(null, "avg", "p99.9"),
    at: fc.constant(at),
  });
  const source: fc.Arbitrary<Source> = fc.oneof(
    { maxDepth: 2, withCrossShrink: true, depthIdentifier: "dql" },
    fc
      .array(
        fc.oneof(
          name.map((each) => ({ name: each })),
          text.map((regex) => ({ regex, at })),
          fc.constant({ all: true as const }),
        ),
        { minLength: 1, maxLength: 2 },
      )
      .map((sources) => ({ list: sources })),
    tie("query").map((sub) => ({ sub })),
  );
  const sorts = fc.array(fc.record({ expr: inner, dir: fc.constantFrom("asc" as const, "desc" as const) }), {
    minLength: 1,
    maxLength: 2,
  });
  const tail: fc.Arbitrary<Tail> = fc.oneof(
    targets.map((each): Tail => ({ type: "by", list: each, at })),
    inner.map((each): Tail => ({ type: "having", expr: each, at })),
    fc.tuple(fc.constantFrom("orderby" as const, "sorderby" as const), sorts).map(([type, each]) => ({
      ...{ type, list: each, at },
    })),
    fc
      .tuple(fc.constantFrom("limit" as const, "offset" as const, "slimit" as const, "soffset" as const), fc.nat())
      .map(([type, n]): Tail => ({ type, n, at })),
    fc.constantFrom("Asia/Shanghai", "+8").map((zone): Tail => ({ type: "tz", zone, at })),
    fc
      .tuple(fc.constantFrom("filterwith" as const, "link" as const), subquery, filter)
      .map(([type, other, on]): Tail => ({ type, query: (other as Expr & { type: "subquery" }).q, on, at })),
  );
  return {
    expr: fc.oneof(
      { maxDepth: 3, withCrossShrink: true, depthIdentifier: "dql" },
      leaf,
      binary,
      call,
      list,
      among,
      inner.map((e): Expr => ({ type: "not", e: within(e, 2), at })),
      fc
        .tuple(fc.constantFrom("+" as const, "-" as const), inner)
        .map(([op, e]): Expr => ({ type: "unary", op, e: within(e, 7), at })),
    ),
    query: fc.record<Query>({
      type: fc.constant("query"),
      ns: fc.option(
        fc.record({
          name: fc.constantFrom("M", "L", "object"),
          index: fc.array(name, { maxLength: 2 }),
          at: fc.constant(at),
        }),
      ),
      src: source,
      select: fc.option(fc.oneof(targets, fc.constant([]))),
      filterTime: fc.array(fc.oneof(filter, time), { maxLength: 2 }),
      tail: fc.array(tail, { maxLength: 3 }),
      at: fc.constant(at),
    }),
  };
});

export { expr as expressions, query as queries };
