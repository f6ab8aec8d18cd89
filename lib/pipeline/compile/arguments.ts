// Assigns the arguments of a call to the parameters of the called function. The declaration of each function names one
// of four styles, such as `positional` (docs/reference/language.md#elements-and-slices). The styles differ in the order
// of the checks and in the texts of the errors.

import type { Declaration, Param } from "../functions/declare.ts";
import type { Argument, CallExpr, NodeKind } from "../syntax/ast.ts";

/** Arguments in the order of the declaration's `params`, followed by the remaining arguments in their own order. */
export type PlacedArguments = readonly (Argument | undefined)[];

/**
 * A function that reports an error in the script that is being checked. The error gets the position of the argument
 * `at` or, without `at`, of the function's name.
 */
type Fail = (message: string, at?: Argument) => never;

export function placeArguments(declaration: Declaration, node: CallExpr, fail: Fail): PlacedArguments {
  switch (declaration.style) {
    case "positional":
      return positional(declaration, node, fail);
    case "named":
      return named(declaration, node, fail);
    case "keywords":
      for (const argument of node.args) {
        if (argument.kind !== "AssignmentExpr") fail("must be a named parameter", argument);
      }
      return named(declaration, node, fail);
    case "declared":
      return declared(declaration, node, fail);
  }
}

function parameter(params: readonly Param[], name: string): number {
  return params.findIndex((param) => param.name === name || param.aliases?.includes(name) === true);
}

/**
 * Assigns the arguments of a call to the parameters of a function with the style `positional`. A keyword
 * argument is assigned to the parameter of this name. When no parameter has this name, the keyword argument is
 * treated as a positional argument, and the function itself handles it.
 */
function positional({ params, arity }: Declaration, { args }: CallExpr, fail: Fail): PlacedArguments {
  if (arity !== undefined) {
    if (args.length < arity.min) fail(arity.tooFew);
    if (arity.max !== undefined && args.length > arity.max) fail(arity.tooMany ?? arity.tooFew);
  }
  const placed: (Argument | undefined)[] = [];
  let keywords = 0;
  for (const [index, argument] of args.entries()) {
    const at = argument.kind === "AssignmentExpr" ? parameter(params, argument.name) : -1;
    if (at >= 0) {
      placed[at] = argument;
      keywords++;
    } else if (keywords > 0) fail("positional arguments cannot follow keyword arguments");
    else placed[index] = argument;
  }
  if (keywords > 0) requireAll(params, placed, (name) => fail(`parameter ${name} is required`));
  return placed;
}

/**
 * Assigns the arguments of a call to the parameters of a function with the style `named`. Checks first the number of
 * arguments, then each argument from left to right, then whether a required argument is missing. All errors get the
 * position of the function's name.
 */
function named({ params }: Declaration, { args }: CallExpr, fail: Fail): PlacedArguments {
  if (args.length > params.length) fail("the number of parameters does not match");
  const placed: (Argument | undefined)[] = [];
  let keywords = 0;
  for (const [index, argument] of args.entries()) {
    if (argument.kind === "AssignmentExpr") {
      const at = parameter(params, argument.name);
      if (at < 0) fail(`argument ${argument.name} does not exist`);
      placed[at] = argument;
      keywords++;
    } else if (keywords > 0) fail("positional arguments cannot follow keyword arguments");
    else placed[index] = argument;
  }
  requireAll(params, placed, (name) => fail(`parameter ${name} is required`));
  return placed;
}

/**
 * Assigns the arguments of a call to the parameters of a function with the style `declared`. Errors get the position of
 * the wrong argument, and positional literals must have the parameter's type.
 */
function declared({ params }: Declaration, { args }: CallExpr, fail: Fail): PlacedArguments {
  if (args.length > params.length) fail("too many parameters");
  const placed: (Argument | undefined)[] = [];
  let keywords = 0;
  for (const [index, argument] of args.entries()) {
    if (argument.kind === "AssignmentExpr") {
      const at = parameter(params, argument.name);
      if (at < 0) fail("unknown named parameter", argument);
      placed[at] = argument;
      keywords++;
    } else if (keywords > 0) fail("positional parameter should not follow keyword parameter", argument);
    else placed[index] = argument;
  }
  requireAll(params, placed, (name) => fail(`missing required parameter \`${name}\``));
  for (const [index, argument] of args.entries()) {
    if (argument.kind === "AssignmentExpr") break;
    if (!literalFits(argument.kind, params[index]!.type)) fail("unexpected data type", argument);
  }
  return placed;
}

function requireAll(params: readonly Param[], placed: PlacedArguments, fail: (name: string) => never): void {
  for (const [index, param] of params.entries()) {
    if (param.optional !== true && placed[index] === undefined) fail(param.name);
  }
}

const literalTypes: Partial<Record<NodeKind, readonly Param["type"][]>> = {
  StringLiteral: ["str"],
  IntLiteral: ["int", "number"],
  FloatLiteral: ["float", "number"],
  BoolLiteral: ["bool"],
  NilLiteral: [],
  ListLiteral: ["list"],
  MapLiteral: ["map"],
};

/**
 * Returns whether the literal has the parameter's type. Returns true for any other expression, because its type is only
 * known when the script runs.
 */
function literalFits(kind: NodeKind, type: Param["type"]): boolean {
  const types = literalTypes[kind];
  return types === undefined || type === "any" || type === "key" || type === "path" || types.includes(type);
}
