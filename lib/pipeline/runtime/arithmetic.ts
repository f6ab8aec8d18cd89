// Computes operators on numbers and strings (docs/reference/language.md#arithmetic): int64 arithmetic that wraps
// around, doubles, concatenation. Failures are returned as `Problem`, so that the caller can add the operator's
// position.

import { Float } from "../../point/value.ts";
import { type Integer, integer } from "../../text/integer.ts";
import type { ArithmeticOp, ComparisonOp } from "../syntax/ast.ts";
import { isInt, isText, textOf, typeName, type Value } from "./value.ts";

/** The reason why an operator cannot be applied. */
export class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/**
 * Applies an operator to two values. `written` is the operator as error messages show it: `+` or, in a compound
 * assignment, `+=`.
 */
export function arithmetic(op: ArithmeticOp, left: Value, right: Value, written: string = op): Value | Problem {
  if (typeof left === "number" && typeof right === "number") return smallInts(op, left, right);
  if (!isOperand(left)) return new Problem(`unsupported lhs data type: ${typeName(left)}`);
  if (!isOperand(right)) return new Problem(`unsupported rhs data type: ${typeName(right)}`);
  if (isText(left) || isText(right)) {
    if (op === "+" && isText(left) && isText(right)) return textOf(left) + textOf(right);
    return new Problem(`unsupported operand type(s) for ${written}: ${typeName(left)} and ${typeName(right)}`);
  }
  if (left instanceof Float || right instanceof Float) return floats(op, toDouble(left), toDouble(right));
  return ints(op, toInt(left), toInt(right));
}

function isOperand(value: Value): value is Integer | Float | boolean | string {
  return isNumeric(value) || isText(value);
}

function isNumeric(value: Value): value is Integer | Float | boolean {
  return isInt(value) || typeof value === "boolean" || value instanceof Float;
}

function toDouble(value: Integer | Float | boolean): number {
  return value instanceof Float ? value.value : Number(value);
}

function toInt(value: Integer | boolean): Integer {
  return typeof value === "boolean" ? Number(value) : value;
}

function ints(op: ArithmeticOp, left: Integer, right: Integer): Value | Problem {
  if (typeof left === "number" && typeof right === "number") return smallInts(op, left, right);
  return bigInts(op, BigInt(left), BigInt(right));
}

/**
 * Applies an operator to two safe integers by computing with doubles. When the result is also a safe integer, it
 * is exact. Adding 0 turns -0 into 0.
 */
function smallInts(op: ArithmeticOp, left: number, right: number): Value | Problem {
  let result: number;
  switch (op) {
    case "+":
      result = left + right;
      break;
    case "-":
      result = left - right;
      break;
    case "*":
      result = left * right + 0;
      break;
    case "/":
      if (right === 0) return new Problem("integer division by zero");
      return Math.trunc(left / right) + 0;
    case "%":
      if (right === 0) return new Problem("integer modulo by zero");
      return (left % right) + 0;
  }
  return Number.isSafeInteger(result) ? result : bigInts(op, BigInt(left), BigInt(right));
}

function bigInts(op: ArithmeticOp, left: bigint, right: bigint): Value | Problem {
  switch (op) {
    case "+":
      return wrap(left + right);
    case "-":
      return wrap(left - right);
    case "*":
      return wrap(left * right);
    case "/":
      return right === 0n ? new Problem("integer division by zero") : wrap(left / right);
    case "%":
      return right === 0n ? new Problem("integer modulo by zero") : wrap(left % right);
  }
}

function wrap(value: bigint): Integer {
  return integer(BigInt.asIntN(64, value));
}

function floats(op: ArithmeticOp, left: number, right: number): Value | Problem {
  switch (op) {
    case "+":
      return new Float(left + right);
    case "-":
      return new Float(left - right);
    case "*":
      return new Float(left * right);
    case "/":
      return right === 0 ? new Problem("float division by zero") : new Float(left / right);
    case "%":
      return new Problem("float does not support modulo operations");
  }
}

/**
 * Computes unary `-`; `undefined` when the operand is neither a number nor a bool. The smallest int has no positive
 * counterpart, so its negation is itself.
 */
export function negate(value: Value): Value | undefined {
  if (typeof value === "number") return 0 - value;
  if (value instanceof Float) return new Float(-value.value);
  if (typeof value === "boolean") return 0 - Number(value);
  return typeof value === "bigint" ? wrap(-value) : undefined;
}

/** Computes unary `+`; returns `undefined` when the operand is neither a number nor a bool. */
export function keepSign(value: Value): Value | undefined {
  if (typeof value === "boolean") return Number(value);
  return isNumeric(value) ? value : undefined;
}

/**
 * Compares two numbers or bools: two ints exactly, other numbers as doubles. Returns `undefined` when the values cannot
 * be compared.
 */
export function compare(op: Exclude<ComparisonOp, "==" | "!=">, left: Value, right: Value): boolean | undefined {
  if (!isNumeric(left) || !isNumeric(right)) return undefined;
  const exact = !(left instanceof Float) && !(right instanceof Float);
  const a = exact ? toInt(left) : toDouble(left);
  const b = exact ? toInt(right) : toDouble(right);
  switch (op) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
  }
}

/** Returns whether `&&` and `||` accept the value, that is, whether it is an int, float or bool. */
export function isLogicOperand(value: Value): boolean {
  return isNumeric(value);
}
