// Prints a DQL query from its syntax tree. When the printed text is parsed, the result is the same tree again.

import type { Expr, Filter, Query, Sort, Tail, Target, TimeClause, TimePoint } from "../../lib/dql/syntax/ast.ts";

const name = (text: string) => (/^[a-z_0-9]+$/i.test(text) && !reserved.test(text) ? text : `\`${text}\``);
const reserved = /^(?:by|inf|nan|linear|previous|nil|true|false|re)$|^[0-9]/;
const quoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
const list = (items: readonly Expr[]) => items.map(printExpr).join(", ");

export function printExpr(expr: Expr): string {
  switch (expr.type) {
    case "col":
      return name(expr.name);
    case "star":
      return "*";
    case "num":
    case "dur":
      return expr.raw;
    case "str":
      return quoted(expr.value);
    case "regex":
      return `re(${quoted(expr.value)})`;
    case "bool":
    case "fillmode":
      return String(expr.value);
    case "nil":
      return "nil";
    case "call":
      return `${expr.name}(${list(expr.args)})`;
    case "named":
      return `${name(expr.name)} = ${printExpr(expr.value)}`;
    case "aliased":
      return `${printExpr(expr.expr)} AS ${name(expr.alias)}`;
    case "list":
      return `[${list(expr.items)}]`;
    case "bin":
    case "in":
      return `${printExpr(expr.l)} ${expr.op} ${printExpr(expr.r)}`;
    case "unary":
      return `${expr.op}${printExpr(expr.e)}`;
    case "not":
      return `not ${printExpr(expr.e)}`;
    case "paren":
      return `(${printExpr(expr.e)})`;
    case "subquery":
      return `(${printQuery(expr.q)})`;
  }
}

export function printQuery({ ns, src, select, filterTime, tail }: Query): string {
  const index = ns === null || ns.index.length === 0 ? "" : `(${ns.index.map(name).join(", ")})`;
  const sources =
    "sub" in src
      ? `(${printQuery(src.sub)})`
      : src.list
          .map((each) => ("all" in each ? "*" : "regex" in each ? `re(${quoted(each.regex)})` : name(each.name)))
          .join(", ");
  return [
    `${ns === null ? "" : `${ns.name}${index}::`}${sources}${select === null ? "" : `:(${targets(select)})`}`,
    ...filterTime.map((each) => (each.type === "filter" ? filter(each) : time(each))),
    ...tail.map(clause),
  ].join(" ");
}

const targets = (all: readonly Target[]) =>
  all.map(({ expr, alias }) => `${printExpr(expr)}${alias === null ? "" : ` AS ${name(alias)}`}`).join(", ");
const filter = ({ conds }: Filter) => `{${list(conds)}}`;
const sorts = (all: readonly Sort[]) => all.map(({ expr, dir }) => `${printExpr(expr)} ${dir}`).join(", ");

function time({ start, end, interval, rollup }: TimeClause): string {
  const step =
    interval === null
      ? ""
      : "auto" in interval
        ? `auto${interval.points === null ? "" : `(${interval.points})`}`
        : "ns" in interval
          ? `${interval.ns}ns`
          : "months" in interval
            ? `${interval.months}mo`
            : String(interval.seconds);
  return `[${point(start)}:${point(end)}:${step}${rollup === null ? "" : `:${rollup}`}]`;
}

function point(each: TimePoint | null): string {
  if (each === null) return "";
  if ("ago" in each) return `${each.ago}ns`;
  if ("ts" in each) return each.ts;
  return "word" in each ? each.word : `${each.date}${each.time === null ? "" : ` ${each.time}`}`;
}

function clause(tail: Tail): string {
  switch (tail.type) {
    case "by":
      return `BY ${targets(tail.list)}`;
    case "having":
      return `HAVING ${printExpr(tail.expr)}`;
    case "orderby":
      return `ORDER BY ${sorts(tail.list)}`;
    case "sorderby":
      return `SORDER BY ${sorts(tail.list)}`;
    case "tz":
      return `tz('${tail.zone}')`;
    case "filterwith":
      return `FILTER (${printQuery(tail.query)}) WITH ${filter(tail.on)}`;
    case "link":
      return `LINK (${printQuery(tail.query)}) WITH ${filter(tail.on)}`;
    default:
      return `${tail.type.toUpperCase()} ${tail.n}`;
  }
}
