// Computes an expression over a single row (docs/reference/query.md#how-values-compare).

import { Regex, type RegexMatch } from "../../regex/index.ts";
import { numberOf } from "../semantics/arguments.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";
import { textOf } from "../syntax/text.ts";
import { arithmetic, type DqlValue, isNumber, negated, numberIn, textOfValue } from "./values/value.ts";

export interface ScalarScope<Row> {
  readonly column: (name: string) => (row: Row) => DqlValue;
}

export function scalarReader<Row>(expr: Expr, scope: ScalarScope<Row>): (row: Row) => DqlValue {
  switch (expr.type) {
    case "col":
      return scope.column(expr.name);
    case "num":
    case "str":
    case "bool": {
      const { value } = expr;
      return () => value;
    }
    case "dur":
      return () => expr.ns;
    case "nil":
      return () => null;
    case "paren":
      return scalarReader(expr.e, scope);
    case "aliased":
      return scalarReader(expr.expr, scope);
    case "unary": {
      const read = scalarReader(expr.e, scope);
      return expr.op === "-" ? (row) => negated(read(row)) : read;
    }
    case "bin": {
      const [left, right] = [scalarReader(expr.l, scope), scalarReader(expr.r, scope)];
      return (row) => arithmetic(expr.op, left(row), right(row));
    }
    case "call":
      return callReader(expr, scope);
    default:
      throw new DqlError(reasonText("noValue", textOf(expr)));
  }
}

function callReader<Row>(call: Call, scope: ScalarScope<Row>): (row: Row) => DqlValue {
  const { name, args } = call;
  if (name.startsWith("regexp_extract")) return extractReader(call, scope);
  const reads = args.map((arg) => scalarReader(arg, scope));
  const compute = scalarFunctions[name];
  if (compute === undefined) throw new DqlError(reasonText("uncomputable", name));
  return (row) => compute(...reads.map((read) => read(row)));
}

const real =
  (compute: (x: number) => number) =>
  (value: DqlValue = null): DqlValue => {
    if (!isNumber(value)) return null;
    const result = compute(Number(value));
    return Number.isFinite(result) ? result : null;
  };

/** Makes a query function such as floor() that rounds floats and returns whole numbers unchanged. */
const rounding =
  (compute: (x: number) => number) =>
  (value: DqlValue = null): DqlValue =>
    typeof value === "bigint" ? value : real(compute)(value);

export const scalarFunctions: Readonly<Record<string, (...values: DqlValue[]) => DqlValue>> = {
  abs: (value = null) => (typeof value === "bigint" ? (value < 0n ? negated(value) : value) : real(Math.abs)(value)),
  round: (value = null, digits = 0n) => {
    if (!isNumber(value) || !isNumber(digits)) return null;
    if (typeof value === "bigint" && digits >= 0) return value;
    const scale = 10 ** Number(digits);
    const scaled = Number(value) * scale;
    return (Math.sign(scaled) * Math.round(Math.abs(scaled))) / scale;
  },
  floor: rounding(Math.floor),
  ceil: rounding(Math.ceil),
  sqrt: real(Math.sqrt),
  exp: real(Math.exp),
  ln: real(Math.log),
  log2: real(Math.log2),
  log10: real(Math.log10),
  log: (value = null, base = null) => {
    if (!isNumber(value) || !isNumber(base) || !(value > 0) || !(base > 0)) return null;
    const result = Math.log(Number(value)) / Math.log(Number(base));
    return Number.isFinite(result) ? result : null;
  },
  int: (value = null) => {
    const number = typeof value === "string" ? numberIn(value.trim()) : value;
    if (typeof number === "bigint") return number;
    return typeof number === "number" && Number.isFinite(number) ? BigInt(Math.trunc(number)) : null;
  },
  float: (value = null) => {
    const number = typeof value === "string" ? numberIn(value.trim()) : value;
    return number !== undefined && isNumber(number) ? Number(number) : null;
  },
};

function extractReader<Row>({ name, args }: Call, scope: ScalarScope<Row>): (row: Row) => DqlValue {
  const read = scalarReader(args[0]!, scope);
  const pattern = args[1]!;
  const regex = Regex.compile(pattern.type === "str" || pattern.type === "regex" ? pattern.value : "");
  const group = (args[2] === undefined ? 0 : numberOf(args[2])) ?? 0;
  const of = (text: string, { groups }: RegexMatch) => {
    const span = groups[group] ?? null;
    return span === null ? "" : text.slice(span[0], span[1]);
  };
  return (row) => {
    const value = read(row);
    const text = value === null ? "" : textOfValue(value);
    if (name === "regexp_extract_all") return regex.findAll(text).map((match) => of(text, match));
    const match = regex.find(text);
    return match === null ? "" : of(text, match);
  };
}
