// Rejects queries that the grammar accepts but that have no meaning (docs/errors.md#queries). All such errors are
// reported before a query runs.

import { parse as parseRegex } from "../../regex/syntax/parse.ts";
import { RegexSyntaxError } from "../../regex/syntax/tree.ts";
import type { Call, Expr, Query } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { type DqlNamespace, defaultNamespace, namespaceOf } from "../syntax/namespaces.ts";
import { reasonText } from "../syntax/reasons.ts";
import { numberOf, percentileOf, positiveInt } from "./arguments.ts";
import { functionOf } from "./functions.ts";
import { pairsOf } from "./join.ts";

const maxDepth = 8;

/** The part of a query that contains an expression; it decides which functions the expression may call. */
type Place =
  | { readonly kind: "target"; readonly in: "row" | "aggregate"; readonly of?: string }
  /** An expression in HAVING, ORDER BY or SORDER BY. Such an expression may contain aggregates. */
  | { readonly kind: "result" }
  | { readonly kind: "filter" };

/**
 * Checks a query. Throws DqlError when the query has no meaning. `source` is the text of the statement; the line
 * and column of an error are counted in this text.
 */
export function checkQuery(query: Query, source: string, depth = 0): void {
  if (depth > maxDepth) throw new DqlError(reasonText("nestedTooDeep"));
  const namespace = checkedNamespace(query);
  noClauseTwice(query, source);
  if ("sub" in query.src) checkQuery(query.src.sub, source, depth + 1);
  else for (const each of query.src.list) if ("regex" in each) checkRegex(each.regex);
  const checker = new Checker(namespace, (inner) => checkQuery(inner, source, depth + 1));
  for (const { expr } of query.select ?? []) checker.target(expr);
  for (const clause of query.filterTime) {
    if (clause.type === "filter") for (const cond of clause.conds) checker.filter(cond);
  }
  for (const clause of query.tail) {
    if (clause.type === "by") for (const { expr } of clause.list) checker.groupKey(expr);
    else if (clause.type === "having") checker.result(clause.expr);
    else if (clause.type === "orderby" || clause.type === "sorderby")
      for (const { expr } of clause.list) checker.result(expr);
    else if (clause.type === "filterwith" || clause.type === "link") {
      checkQuery(clause.query, source, depth + 1);
      pairsOf(clause, query.select);
    }
  }
  checker.once();
}

export function checkedNamespace({ ns }: Query): DqlNamespace {
  if (ns === null) return defaultNamespace;
  if (/^(?:f|func)$/i.test(ns.name)) throw new DqlError(reasonText("remoteFunctions"));
  const namespace = namespaceOf(ns.name);
  if (namespace === undefined) throw new DqlError(reasonText("unknownNamespace", ns.name));
  return namespace;
}

const clauseNames: Readonly<Record<string, string>> = {
  filter: "FILTER",
  time: "TIME",
  orderby: "ORDER BY",
  sorderby: "SORDER BY",
  filterwith: "FILTER",
};

function noClauseTwice({ filterTime, tail }: Query, source: string): void {
  const seen = new Set<string>();
  for (const { type, at } of [...filterTime, ...tail]) {
    if (seen.has(type))
      throw new DqlError(reasonText("duplicateClause", clauseNames[type] ?? type.toUpperCase()), { source, at });
    seen.add(type);
  }
}

/**
 * Checks the functions that the conditions of a request, or of count_filter(), call: all of them must exist in
 * the namespace.
 */
export function checkConditions(conditions: readonly Expr[], namespace: DqlNamespace): void {
  const checker = new Checker(namespace, (query) => checkQuery(query, "", 1));
  for (const each of conditions) checker.filter(each);
}

function checkRegex(pattern: string): void {
  try {
    parseRegex(pattern);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new DqlError(reasonText("invalidRegex", error.message, pattern));
  }
}

class Checker {
  private readonly namespace: DqlNamespace;
  private readonly subquery: (query: Query) => void;
  private rowsFunctions = 0;

  constructor(namespace: DqlNamespace, subquery: (query: Query) => void) {
    this.namespace = namespace;
    this.subquery = subquery;
  }

  target(expr: Expr): void {
    if (expr.type === "call" && expr.name === "fill") {
      this.fill(expr);
      this.visit(expr.args[0]!, { kind: "target", in: "row" });
    } else this.visit(expr, { kind: "target", in: "row" });
  }

  groupKey(expr: Expr): void {
    this.visit(expr, { kind: "target", in: "aggregate", of: "BY" });
  }

  result(expr: Expr): void {
    this.visit(expr, { kind: "result" });
  }

  filter(expr: Expr): void {
    this.visit(expr, { kind: "filter" });
  }

  /**
   * Throws when a query uses more than one of the functions top, bottom, distinct and so on, because each of them
   * decides which rows the answer has.
   */
  once(): void {
    if (this.rowsFunctions > 1) throw new DqlError(reasonText("oneRowsFunction"));
  }

  private visit(expr: Expr, place: Place): void {
    switch (expr.type) {
      case "call":
        this.call(expr, place);
        return;
      case "named":
        this.visit(expr.value, place);
        return;
      case "aliased":
        this.visit(expr.expr, place);
        return;
      case "list":
        for (const item of expr.items) this.visit(item, place);
        return;
      case "bin":
      case "in": {
        const isArithmetic = expr.type === "bin" && "+-*/%^".includes(expr.op);
        if (!isArithmetic) this.noCondition(place);
        this.visit(expr.l, place);
        const isMatch = expr.type === "in" && (expr.op === "match" || expr.op === "notmatch");
        const isPattern = expr.type === "bin" && (expr.op === "=~" || expr.op === "!~") && expr.r.type === "str";
        if (isMatch) this.patterns(expr.r);
        else if (isPattern && expr.r.type === "str") checkRegex(expr.r.value);
        else this.visit(expr.r, place);
        return;
      }
      case "not":
        this.noCondition(place);
        this.visit(expr.e, place);
        return;
      case "unary":
      case "paren":
        this.visit(expr.e, place);
        return;
      case "regex":
        checkRegex(expr.value);
        return;
      case "subquery":
        if (place.kind !== "filter") throw new DqlError(reasonText("misplacedSubquery"));
        this.subquery(expr.q);
        return;
      default:
        return;
    }
  }

  private noCondition({ kind }: Place): void {
    if (kind === "target") throw new DqlError(reasonText("booleanTarget"));
  }

  private patterns(list: Expr): void {
    if (list.type !== "list" || list.items.some(({ type }) => type !== "str" && type !== "regex")) {
      throw new DqlError(reasonText("needsStrings"));
    }
    for (const item of list.items) if (item.type === "str" || item.type === "regex") checkRegex(item.value);
  }

  private call(call: Call, place: Place): void {
    const known = functionOf(call.name);
    if (known === undefined) throw new DqlError(reasonText("unknownFunction", call.name));
    const { kind, where, named = [] } = known;
    const isMetric = this.namespace.category === "metric";
    if (isMetric ? where === "others" : where === "metric") {
      throw new DqlError(reasonText("wrongNamespace", call.name, this.namespace.short));
    }
    if (kind === "fill") throw new DqlError(reasonText("innerFill"));
    const positional = call.args.filter(({ type }) => type !== "named");
    for (const arg of call.args) {
      if (arg.type === "named" && !named.includes(arg.name)) {
        throw new DqlError(reasonText("noSuchArgument", call.name, arg.name));
      }
    }
    const [least, most] = known.args;
    if (positional.length < least || positional.length > most) {
      const wanted = least === most ? String(least) : `${least} to ${most}`;
      throw new DqlError(reasonText("wrongCount", call.name, wanted, positional.length));
    }
    this.placeOf(call, kind, place);
    this.values(call);
    const inner: Place =
      place.kind === "target" && kind === "aggregate" ? { ...place, in: "aggregate", of: call.name } : place;
    for (const [at, arg] of call.args.entries()) {
      // count(distinct(f)) counts as one function, so the inner call is not an error.
      const isDistinct = call.name === "count" && at === 0 && arg.type === "call" && arg.name === "distinct";
      if (isDistinct) for (const each of arg.args) this.visit(each, inner);
      else this.visit(arg, inner);
    }
  }

  private placeOf({ name, args }: Call, kind: string, place: Place): void {
    const refuse = (where: string): never => {
      throw new DqlError(reasonText("misplacedFunction", name, where));
    };
    if (kind === "filter") {
      if (place.kind !== "filter") refuse(place.kind === "target" ? "target" : "HAVING and ORDER BY");
      return;
    }
    if (kind === "scalar") return;
    if (place.kind === "filter") refuse("filter");
    if (place.kind === "target" && place.in === "aggregate")
      refuse(place.of === "BY" ? "BY" : `the arguments of ${place.of}`);
    if (kind === "rows") {
      if (place.kind !== "target") refuse("HAVING and ORDER BY");
      this.rowsFunctions++;
      if (args[0]?.type === "call") refuse("another function");
    }
  }

  private fill({ args }: Call): void {
    if (args.length !== 2) {
      throw new DqlError(reasonText("fillArguments"));
    }
    const value = args[1]!.type === "unary" ? args[1].e : args[1]!;
    if (!["nil", "num", "str", "fillmode"].includes(value.type)) {
      throw new DqlError(reasonText("fillValue"));
    }
  }

  /** Throws when a function cannot use the value of an argument, such as a percentile above 100. */
  private values({ name, args }: Call): void {
    const [first, second] = args;
    if (name === "percentile" && percentileOf(second!) === undefined) {
      throw new DqlError(reasonText("percentRange"));
    }
    if (/^(?:first|last|last_row)$/.test(name) && first!.type === "col" && first!.name === "time") {
      throw new DqlError(reasonText("timeColumn", name));
    }
    if (/^(?:top|bottom|moving_average)$/.test(name) && positiveInt(second!) === undefined) {
      throw new DqlError(reasonText("needsCount", name));
    }
    if (/^(?:non_negative_)?derivative$/.test(name) && second !== undefined && second.type !== "dur") {
      throw new DqlError(reasonText("needsDuration", name));
    }
    if (name.startsWith("regexp_extract")) {
      if (second!.type !== "str" && second!.type !== "regex") {
        throw new DqlError(reasonText("needsPatternArgument", name));
      }
      checkRegex(second!.value);
    }
    if (/^(?:match|wildcard|query_?string|cidr)$/.test(name) && first!.type !== "str") {
      throw new DqlError(reasonText("needsString", name));
    }
    if (name === "count_filter" && second!.type !== "list") throw new DqlError(reasonText("countFilterList"));
    if (name === "histogram") {
      const numbers = args.slice(1).map(numberOf);
      if (numbers.some((number) => number === undefined) || !(numbers[2]! > 0)) {
        throw new DqlError(reasonText("histogramNumbers"));
      }
    }
  }
}
