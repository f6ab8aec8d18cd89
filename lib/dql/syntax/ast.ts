// The syntax tree of a DQL statement (docs/reference/query.md). `at` is the UTF-16 offset of a node's first character.

export type Offset = number;

export interface Query {
  readonly type: "query";
  /** Namespace of the query; null means metrics. */
  readonly ns: Namespace | null;
  readonly src: Source;
  /** Targets (output columns) of the query; null or empty means all columns. */
  readonly select: readonly Target[] | null;
  readonly filterTime: readonly (Filter | TimeClause)[];
  readonly tail: readonly Tail[];
  readonly at: Offset;
}

/**
 * A statement made of functions: `show_...()`, functions over the answer of an inner statement, or `eval` over several
 * answers.
 */
export interface FunctionStatement {
  readonly type: "func";
  readonly chain: readonly Call[];
  readonly filter: Filter | null;
  readonly limit: Count<"limit"> | null;
  readonly offset: Count<"offset"> | null;
  readonly at: Offset;
}

/** A statement of DQL: a query, or a statement made of functions. */
export type Statement = Query | FunctionStatement;

export interface Namespace {
  readonly name: string;
  readonly index: readonly string[];
  readonly at: Offset;
}

export type SourceName =
  | { readonly name: string }
  | { readonly regex: string; readonly at: Offset }
  | { readonly all: true };
export type Source = { readonly list: readonly SourceName[] } | { readonly sub: Query };

export interface Target {
  readonly expr: Expr;
  readonly alias: string | null;
}

export interface Filter {
  readonly type: "filter";
  readonly conds: readonly Expr[];
  readonly at: Offset;
}

export type TimePoint =
  /** A time that is given by its distance before now, in nanoseconds. */
  | { readonly ago: bigint }
  /** A Unix time, with the digits that the statement has; their number decides the unit of the time. */
  | { readonly ts: string }
  /** A time that is given as a date and time of day in UTC. */
  | { readonly date: string; readonly time: string | null }
  | { readonly word: "now" | "today" | "yesterday" };

export type Interval =
  | { readonly auto: true; readonly points: number | null }
  | { readonly ns: bigint }
  /** An interval that is a number of calendar months. */
  | { readonly months: number }
  | { readonly seconds: number };

export interface TimeClause {
  readonly type: "time";
  readonly start: TimePoint | null;
  readonly end: TimePoint | null;
  readonly interval: Interval | null;
  readonly rollup: string | null;
  readonly at: Offset;
}

export interface Count<Type extends string> {
  readonly type: Type;
  readonly n: number;
  readonly at: Offset;
}

export interface Sort {
  readonly expr: Expr;
  readonly dir: "asc" | "desc";
}

export type Tail =
  | { readonly type: "by"; readonly list: readonly Target[]; readonly at: Offset }
  | { readonly type: "having"; readonly expr: Expr; readonly at: Offset }
  | { readonly type: "orderby"; readonly list: readonly Sort[]; readonly at: Offset }
  | { readonly type: "sorderby"; readonly list: readonly Sort[]; readonly at: Offset }
  | Count<"limit">
  | Count<"offset">
  | Count<"slimit">
  | Count<"soffset">
  | { readonly type: "tz"; readonly zone: string; readonly at: Offset }
  | JoinClause;

/** The clause FILTER or LINK with another query; `on` is the condition after WITH. */
export interface JoinClause {
  readonly type: "filterwith" | "link";
  readonly query: Query;
  readonly on: Filter;
  readonly at: Offset;
}

export interface Call {
  readonly type: "call";
  /** Name of the function in lower case. */
  readonly name: string;
  readonly args: readonly Expr[];
  readonly at: Offset;
}

export type ArithmeticOp = "+" | "-" | "*" | "/" | "%" | "^";
export type CompareOp = "=" | "!=" | ">" | ">=" | "<" | "<=" | "=~" | "!~";

export type Expr =
  | { readonly type: "col"; readonly name: string; readonly at: Offset }
  | { readonly type: "star"; readonly at: Offset }
  | { readonly type: "num"; readonly raw: string; readonly value: bigint | number; readonly at: Offset }
  | { readonly type: "str"; readonly value: string; readonly at: Offset }
  | { readonly type: "bool"; readonly value: boolean; readonly at: Offset }
  | { readonly type: "nil"; readonly at: Offset }
  | { readonly type: "dur"; readonly raw: string; readonly ns: bigint; readonly at: Offset }
  | { readonly type: "regex"; readonly value: string; readonly at: Offset }
  | { readonly type: "fillmode"; readonly value: "linear" | "previous"; readonly at: Offset }
  | Call
  | { readonly type: "named"; readonly name: string; readonly value: Expr; readonly at: Offset }
  | { readonly type: "aliased"; readonly expr: Expr; readonly alias: string; readonly at: Offset }
  | { readonly type: "list"; readonly items: readonly Expr[]; readonly at: Offset }
  | {
      readonly type: "bin";
      readonly op: ArithmeticOp | CompareOp | "and" | "or";
      readonly l: Expr;
      readonly r: Expr;
      readonly at: Offset;
    }
  | { readonly type: "unary"; readonly op: "+" | "-"; readonly e: Expr; readonly at: Offset }
  | { readonly type: "not"; readonly e: Expr; readonly at: Offset }
  | {
      readonly type: "in";
      readonly op: "in" | "notin" | "match" | "notmatch";
      readonly l: Expr;
      readonly r: Expr;
      readonly at: Offset;
    }
  | { readonly type: "subquery"; readonly q: Query; readonly at: Offset }
  | { readonly type: "paren"; readonly e: Expr; readonly at: Offset };
