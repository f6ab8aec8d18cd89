// Writes the conditions of a filter as SQL, if the database decides them by the rules of
// docs/reference/query.md. An SQL condition selects either exactly the right rows, or also other rows, which
// JavaScript then rejects.

import { wordsOf } from "../evaluate/search/words.ts";
import { numberIn } from "../evaluate/values/value.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import type { CompareOp, Expr } from "../syntax/ast.ts";
import { type Catalog, fixed, type KeyColumns, keyColumns } from "./catalog.ts";
import type { Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import { numberTest } from "./number.ts";
import { phrasePattern } from "./phrase.ts";
import { isText, type StoredColumn } from "./stored-column.ts";

export interface Condition {
  readonly sql: Fragment;
  /**
   * Whether the SQL condition selects exactly the rows that the filter accepts. When this is false, it may also
   * select rows that the filter rejects.
   */
  readonly exact: boolean;
}

const never = raw("false");

export interface FilterScope {
  readonly catalog: Catalog;
  readonly query: ResolvedQuery;
  /**
   * Whether the condition is inside a NOT. In this case its SQL must be false, and not null, for a missing value:
   * NOT false is true, but NOT null is null. Outside of NOT, null excludes a row just as false does.
   */
  readonly isNegated?: boolean;
}

const negated = (scope: FilterScope): FilterScope => ({ ...scope, isNegated: true });

/**
 * Returns the conditions that can be written as SQL. `exact` is true when they select exactly the rows of the filter;
 * otherwise JavaScript tests the rows again.
 */
export function filterSql(
  conditions: readonly Expr[],
  scope: FilterScope,
): { readonly parts: readonly Fragment[]; readonly exact: boolean } {
  const asked = conditions.map((each) => conditionSql(each, scope));
  return {
    parts: asked.flatMap((each) => (each === null ? [] : [each.sql])),
    exact: asked.every((each) => each?.exact === true),
  };
}

function conditionSql(expr: Expr, scope: FilterScope): Condition | null {
  switch (expr.type) {
    case "paren":
      return conditionSql(expr.e, scope);
    case "not": {
      const inner = conditionSql(expr.e, negated(scope));
      return inner?.exact === true ? { sql: sql`NOT (${inner.sql})`, exact: true } : null;
    }
    case "bin": {
      if (expr.op !== "and" && expr.op !== "or") return comparison(expr.l, expr.op as CompareOp, expr.r, scope);
      const [left, right] = [conditionSql(expr.l, scope), conditionSql(expr.r, scope)];
      if (expr.op === "and" && (left === null || right === null)) {
        const known = left ?? right;
        return known === null ? null : { ...known, exact: false };
      }
      if (left === null || right === null) return null;
      const between = expr.op === "and" ? raw(" AND ") : raw(" OR ");
      return { sql: sql`(${left.sql}${between}${right.sql})`, exact: left.exact && right.exact };
    }
    case "in": {
      if (expr.op !== "in" && expr.op !== "notin") return null;
      const own = expr.op === "in" ? scope : negated(scope);
      const member = expr.r.type === "list" ? memberOf(expr.l, expr.r.items, own) : null;
      if (member === null || expr.op === "in") return member;
      return member.exact ? { sql: sql`NOT (${member.sql})`, exact: true } : null;
    }
    case "bool":
      return { sql: raw(String(expr.value)), exact: true };
    default:
      return null;
  }
}

function comparison(left: Expr, op: CompareOp, right: Expr, scope: FilterScope): Condition | null {
  if (left.type !== "col") return null;
  if (op === "=~" || op === "!~") return null;
  const own = op === "!=" ? negated(scope) : scope;
  const special = specialSql(left.name, right, own);
  if (special !== undefined) {
    if (special === null || op === "=") return special;
    return op === "!=" && special.exact ? { sql: sql`NOT (${special.sql})`, exact: true } : null;
  }
  const literal = literalOf(right);
  if (literal === undefined) return null;
  if (op === "=" || op === "!=") {
    const equal = equalTo(left.name, literal, own);
    return equal === null || op === "=" ? equal : { sql: sql`NOT (${equal.sql})`, exact: equal.exact };
  }
  return ordered(left.name, op, literal, scope);
}

type Literal = string | number | bigint | boolean | null;

/**
 * Returns the value of a literal on the right side of a comparison. On this side, a name without quotes is a
 * string.
 */
function literalOf(expr: Expr): Literal | undefined {
  switch (expr.type) {
    case "str":
    case "bool":
      return expr.value;
    case "num":
      return typeof expr.value === "number" && !Number.isFinite(expr.value) ? undefined : expr.value;
    case "dur":
      return expr.ns;
    case "nil":
      return null;
    case "col":
      return expr.name;
    case "unary": {
      const inner = literalOf(expr.e);
      if (typeof inner !== "number" && typeof inner !== "bigint") return undefined;
      return expr.op === "-" ? -inner : inner;
    }
    default:
      return undefined;
  }
}

/**
 * Returns SQL for the value of the key `__source` or `index`, which every point of a category other than metrics
 * has. Returns null for all other keys.
 */
function systemSql(name: string, { query }: FilterScope): Fragment | null {
  if (query.namespace.category === "metric") return null;
  if (name === "__source") return raw(fixed.name);
  return name === "index" ? raw(fixed.index) : null;
}

function columnsFor(name: string, { catalog, query }: FilterScope): KeyColumns | null {
  // Conditions on JSON paths, on the time and on keys that every point has are left to JavaScript.
  if (/@json\.|^(?:time|__docid|__namespace|create_time|date_ns|time_us|index|__source|source|class|rule)$/.test(name))
    return null;
  return keyColumns(catalog, query.namespace.category, name);
}

/**
 * Returns SQL that is true when `condition` holds for one of the columns that store a key. The column of the tag is
 * tested only for points that have no field with this key.
 */
function anyColumn(
  columns: KeyColumns,
  { catalog: { dialect }, isNegated }: FilterScope,
  condition: (column: StoredColumn) => Fragment | null,
): Fragment {
  const fields = columns.filter(({ kind }) => kind !== null);
  const parts = columns.flatMap((column) => {
    const own = condition(column);
    if (own === null) return [];
    const test = isNegated ? sql`coalesce(${own}, false)` : own;
    if (column.kind !== null || fields.length === 0) return [test];
    return [sql`(${test} AND ${allNull(fields, dialect)})`];
  });
  if (parts.length === 0) return never;
  return parts.length === 1 ? parts[0]! : sql`(${joined(parts, " OR ")})`;
}

function allNull(columns: KeyColumns, dialect: Dialect): Fragment {
  if (columns.length === 0) return raw("true");
  return sql`(${joined(
    columns.map((column) => sql`${dialect.value(column)} IS NULL`),
    " AND ",
  )})`;
}

function equalTo(name: string, literal: Literal, scope: FilterScope): Condition | null {
  const system = systemSql(name, scope);
  if (system !== null) return typeof literal === "string" ? { sql: sql`${system} = ${literal}`, exact: true } : null;
  const columns = columnsFor(name, scope);
  const { dialect } = scope.catalog;
  if (columns === null) return null;
  if (literal === null) return { sql: allNull(columns, dialect), exact: true };
  if (columns.some(({ kind }) => kind === "array" || kind === "binary")) return null;
  return { sql: anyColumn(columns, scope, (column) => equalColumn(column, literal, dialect)), exact: true };
}

function equalColumn(column: StoredColumn, literal: Exclude<Literal, null>, dialect: Dialect): Fragment | null {
  const name = dialect.value(column);
  if (isText(column)) return sql`${name} = ${String(literal)}`;
  if (column.kind === "bool") {
    return /^(?:true|false)$/.test(String(literal)) ? sql`${name} = ${String(literal) === "true"}` : null;
  }
  const number = typeof literal === "string" ? numberIn(literal) : literal;
  return typeof number === "number" || typeof number === "bigint" ? numberTest(column, "=", number, dialect) : null;
}

function ordered(name: string, op: "<" | "<=" | ">" | ">=", literal: Literal, scope: FilterScope): Condition | null {
  const columns = columnsFor(name, scope);
  if (columns === null || literal === null || typeof literal === "boolean") return null;
  const operator = raw(op);
  const { dialect } = scope.catalog;
  const condition = anyColumn(columns, scope, (column) => {
    if (isText(column)) return sql`${dialect.value(column)} ${operator} ${String(literal)}`;
    const number = typeof literal === "string" ? numberIn(literal) : literal;
    return number === undefined ? null : numberTest(column, op, number, dialect);
  });
  return { sql: condition, exact: true };
}

function memberOf(left: Expr, items: readonly Expr[], scope: FilterScope): Condition | null {
  const parts = items.map((item) => comparison(left, "=", item, scope));
  if (parts.length === 0) return { sql: never, exact: true };
  if (!parts.every((part) => part !== null)) return null;
  return {
    sql: sql`(${joined(
      parts.map((part) => part.sql),
      " OR ",
    )})`,
    exact: parts.every(({ exact }) => exact),
  };
}

/**
 * Returns SQL for a comparison whose right side is a list, pattern or function. Returns undefined when the right side
 * is a plain value, and null when the database cannot decide the condition.
 */
function specialSql(name: string, right: Expr, scope: FilterScope): Condition | null | undefined {
  if (right.type === "regex") return regexSql(name, right.value, scope);
  if (right.type === "list") return memberOf({ type: "col", name, at: 0 }, right.items, scope);
  if (right.type === "subquery") return null;
  if (right.type !== "call") return undefined;
  const [arg] = right.args;
  const text = arg?.type === "str" ? arg.value : "";
  switch (right.name) {
    case "exists": {
      const columns = arg === undefined ? columnsFor(name, scope) : null;
      return columns === null ? null : { sql: sql`NOT ${allNull(columns, scope.catalog.dialect)}`, exact: true };
    }
    case "match":
      return matchSql(name, text, scope);
    case "wildcard":
      return textSql(name, scope, (column) => scope.catalog.dialect.like(column, likePattern(text)));
    default:
      return null;
  }
}

/**
 * Returns the SQL of a condition on the string values of a key; null when the key also has values of other types, which
 * would first have to be converted to strings.
 */
function textSql(
  name: string,
  scope: FilterScope,
  test: (column: Fragment) => Fragment,
  exact = true,
): Condition | null {
  const columns = columnsFor(name, scope);
  if (columns === null || !columns.every(isText)) return null;
  const { dialect } = scope.catalog;
  return { sql: anyColumn(columns, scope, (column) => test(dialect.value(column))), exact };
}

function regexSql(name: string, pattern: string, scope: FilterScope): Condition | null {
  const where = scope.query.namespace.category === "metric" ? "anywhere" : "whole";
  return textSql(name, scope, (column) => scope.catalog.dialect.matches(column, pattern, where));
}

/**
 * Returns the SQL condition for match(). For metrics, the value must contain the phrase. For other categories,
 * the value must contain the longest word, which is a fast test, and must contain all words one after another.
 * When some words are not ASCII, SQL tests only the longest ASCII word, and JavaScript then tests the whole
 * condition.
 */
function matchSql(name: string, phrase: string, scope: FilterScope): Condition | null {
  const { dialect } = scope.catalog;
  if (scope.query.namespace.category === "metric")
    return textSql(name, scope, (column) => dialect.contains(column, phrase));
  const all = wordsOf(phrase);
  const words = all.filter((word) => /^[a-z0-9]+$/.test(word));
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  if (longest === "") return null;
  if (words.length < all.length)
    return textSql(name, scope, (column) => dialect.containsAnyCase(column, longest), false);
  const pattern = phrasePattern(words);
  return textSql(
    name,
    scope,
    (column) => sql`(${dialect.containsAnyCase(column, longest)} AND ${dialect.matches(column, pattern, "anywhere")})`,
  );
}

function likePattern(glob: string): string {
  let pattern = "";
  const characters = [...glob];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") pattern += "%";
    else if (character === "?") pattern += "_";
    else {
      const plain = character === "\\" && at + 1 < characters.length ? characters[++at]! : character;
      pattern += /[%_\\]/.test(plain) ? `\\${plain}` : plain;
    }
  }
  return pattern;
}
