// Compiles the calls of built-in functions. For each call it makes the object that the function `bind` of the
// built-in function's declaration receives. Through this object, `bind` reads the arguments and reports errors
// while the script is checked.

import { Key, Literal } from "../../point/view.ts";
import type { Call, Declaration, KeyArgument, Param, Waiting } from "../functions/declare.ts";
import { attrText } from "../functions/nodes.ts";
import type { Evaluate } from "../runtime/code.ts";
import { readInPlace } from "../runtime/point-access.ts";
import type { Reference } from "../runtime/program.ts";
import { chargedReader } from "../runtime/step-charge.ts";
import type { MemberOperand } from "../runtime/tape-operations.ts";
import { Float, isDict, isInt, isList, isText, type Value } from "../runtime/value.ts";
import type { Argument, CallExpr, Expr, IndexExpr } from "../syntax/ast.ts";
import { ScriptFailure } from "../syntax/errors.ts";
import { type HelpAt, offsetInLiteral } from "../syntax/hints.ts";
import { placeArguments } from "./arguments.ts";
import type { CompilationUnit } from "./compilation-unit.ts";
import { runLinked, runLinkedWaiting } from "./link.ts";
import { realName, type Scope } from "./scope.ts";

/** Compiles a call whose arguments are compiled already; `evaluateOf` returns the code of an argument. */
export function bindCall(
  unit: CompilationUnit,
  scope: Scope,
  declaration: Declaration,
  node: CallExpr,
  evaluateOf: (argument: Argument) => Evaluate,
): Evaluate | Waiting {
  const failure = (message: string, at?: Argument, help: HelpAt = quotesHelp(message, at)) =>
    unit.failure(message, at?.at ?? node.at, help);
  const fail = (message: string, at?: Argument, help?: HelpAt): never => {
    throw failure(message, at, help);
  };
  const placed = placeArguments(declaration, node, fail);
  const arg = (index: number): Expr | undefined => {
    const argument = placed[index];
    if (argument?.kind !== "AssignmentExpr") return argument;
    // A keyword argument whose name is not the name of a parameter is passed to the function as the whole syntax node
    // (name and value), so that the function's error can name the type of this node.
    return isPlaced(declaration, argument.name) ? argument.value : (argument as unknown as Expr);
  };
  const call: Call = {
    node,
    args: node.args,
    arg,
    value(index) {
      const argument = placed[index];
      if (argument === undefined) return () => null;
      const value = argument.kind === "AssignmentExpr" ? argument.value : argument;
      if (value.kind === "AttrExpr") unit.warn("an attribute expression has no value here, use get_key(...)", value.at);
      const evaluate = isLiteral(value) ? evaluateOf(argument) : chargedReader(evaluateOf(argument));
      if (declaration.tracesArguments === true) return traced(evaluate, unit, node);
      const param = declaration.params[index];
      if (declaration.style !== "declared" || param === undefined || param.type === "any") return evaluate;
      return (run) => {
        const result = evaluate(run);
        if (!fits(result, param.type)) throw failure(`parameter ${param.name}: type not match`, argument);
        return result;
      };
    },
    key(index) {
      const argument = arg(index);
      const name = argument && keyName(argument);
      if (name === undefined) {
        return fail(`expect StringLiteral or Identifier or AttrExpr, got ${argument?.kind}`, argument);
      }
      return keyArgument(scope, name);
    },
    readers: () => scope.readers(),
    literal(index) {
      const argument = arg(index);
      if (argument?.kind !== "StringLiteral") return fail(`expect StringLiteral, got ${argument?.kind}`, argument);
      return argument.value;
    },
    written(index) {
      const argument = arg(index);
      return argument?.kind === "StringLiteral" ? new Literal(argument.value) : null;
    },
    member(index) {
      const argument = arg(index);
      return argument?.kind === "IndexExpr" ? memberOperand(scope, argument) : null;
    },
    fail,
    runFailure: failure,
    warn: (message, at) => unit.warn(message, typeof at === "number" ? at : (at?.at ?? node.at)),
    placeIn: (literal, offset) => offsetInLiteral(unit.source.text, literal.at, offset),
    patterns: scope.patterns,
    engine: unit.engine,
    link(script, at) {
      const reference: Reference = { script, at: at?.at ?? node.at, target: null };
      unit.references.push(reference);
      const caller = () => unit.source.position(node.at);
      return {
        direct: (run) => runLinked(reference, caller, run),
        steps: (run) => runLinkedWaiting(reference, caller, run),
      };
    },
  };
  return declaration.bind(call);
}

/** Returns a hint for a quoted string in a position where an unquoted name is expected. */
function quotesHelp(message: string, at?: Argument): HelpAt {
  if (at?.kind !== "StringLiteral" || !/expects? [^,]*Identifier/.test(message)) return {};
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(at.value) ? at.value : `\`${at.value.slice(0, 100)}\``;
  return { hint: `a name is written without quotes: ${name}` };
}

function isPlaced({ params }: Declaration, name: string): boolean {
  return params.some((param) => param.name === name || param.aliases?.includes(name) === true);
}

function traced(evaluate: Evaluate, unit: CompilationUnit, node: CallExpr): Evaluate {
  return (run) => {
    try {
      return evaluate(run);
    } catch (error) {
      if (error instanceof ScriptFailure) error.chain.push(unit.source.position(node.at));
      throw error;
    }
  };
}

function isLiteral({ kind }: Expr): boolean {
  return kind === "StringLiteral" || kind === "IntLiteral" || kind === "FloatLiteral" || kind === "BoolLiteral";
}

function keyArgument(scope: Scope, name: string): KeyArgument {
  return {
    key: new Key(realName(name)),
    mayBeVariable: scope.mayBeVariable(name),
    read: chargedReader(scope.reader(name)),
    readInPlace: chargedReader(scope.reader(name, readInPlace)),
  };
}

function memberOperand(scope: Scope, { base, indexes }: IndexExpr): MemberOperand | null {
  const slot = base === null ? null : scope.slotOf(base.name);
  const names: Literal[] = [];
  for (const index of indexes) if (index.kind === "StringLiteral") names.push(new Literal(index.value));
  if (slot === null || names.length !== indexes.length || names.length > 2) return null;
  const [name, inner = null] = names as [Literal, Literal?];
  return names.every(({ isComparable }) => isComparable) ? { slot, name, inner } : null;
}

/** Returns the name of the key that an argument refers to; undefined when the argument does not name a key. */
function keyName(node: Expr): string | undefined {
  switch (node.kind) {
    case "Identifier":
      return node.name;
    case "StringLiteral":
      return node.value;
    case "AttrExpr":
      return attrText(node);
  }
  return undefined;
}

function fits(value: Value, type: Param["type"]): boolean {
  switch (type) {
    case "str":
      return isText(value);
    case "int":
      return isInt(value);
    case "float":
      return value instanceof Float;
    case "number":
      return isInt(value) || value instanceof Float;
    case "bool":
      return typeof value === "boolean";
    case "list":
      return isList(value);
    case "map":
      return isDict(value);
  }
  return true;
}
