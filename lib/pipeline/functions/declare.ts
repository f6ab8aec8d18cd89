// The declaration of a built-in function. Each function is declared once; the checker, the compiler, hover and
// completion, the function reference and the test of each example read this declaration.

import type { PatternScope } from "../../grok/patterns.ts";
import type { Key, Literal } from "../../point/view.ts";
import type { EngineMaker } from "../../regex/regex.ts";
import type { Code, Evaluate, Wait } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";
import type { Argument, CallExpr, Expr, Offset, StringLiteral } from "../syntax/ast.ts";
import type { HelpAt } from "../syntax/hints.ts";

/** A call that may wait: a closure for runs that do not wait, and a generator for runs that do. */
export interface Waiting {
  readonly direct: Evaluate;
  readonly steps: (run: Run) => Generator<Code<unknown> | Wait, Value, unknown>;
}

/** Another script that runs on the point of a run. */
export interface Linked {
  readonly direct: (run: Run) => void;
  readonly steps: (run: Run) => Generator<Code<unknown>, void, unknown>;
}

/** A parameter. A `key` parameter takes a key's name, any other a value of its type. */
export interface Param {
  readonly name: string;
  readonly type: "key" | "path" | "str" | "int" | "float" | "bool" | "list" | "map" | "any" | "number";
  readonly summary: string;
  readonly optional?: boolean;
  /** Other names that the keyword may have. */
  readonly aliases?: readonly string[];
}

/** An example, which runs as a test and appears in the function reference. */
export interface Example {
  readonly script: string;
  /** The input; the text becomes `message` of a log point. */
  readonly input: string;
  /** Expected fields after the run: added and changed ones; null for a key without a value, undefined for a removed one. */
  readonly gives: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/**
 * How arguments are counted and named (docs/reference/language.md#elements-and-slices).
 * - positional: own arity text; keywords are accepted by parameter name as an extra
 * - named: the texts of family B (N1)
 * - keywords: the same, but every argument must have its name
 * - declared: the texts of family C (N2), with types checked
 */
export type ArgumentStyle = "positional" | "named" | "keywords" | "declared";

/** The declaration of a built-in function. */
export interface Declaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly params: readonly Param[];
  readonly returns?: "bool" | "int" | "float" | "str" | "list" | "map" | "any";
  readonly style: ArgumentStyle;
  /**
   * For the positional style: the allowed counts, and the error texts for a wrong count. Without `max` any number is
   * allowed; without `tooMany` its text is `tooFew`.
   */
  readonly arity?: { readonly min: number; readonly max?: number; readonly tooFew: string; readonly tooMany?: string };
  readonly examples: readonly Example[];
  /** Whether the function keeps state that outlives a point; a script that calls it is pinned to one worker. */
  readonly state?: boolean;
  /** Whether the function waits for something outside; a script that calls it runs asynchronously. */
  readonly waits?: boolean;
  /** Whether a failure of an argument at run time gets the call's place added to its chain. */
  readonly tracesArguments?: boolean;
  /**
   * Binds a call site. The checker calls it once for each call site, after the arguments were compiled and counted. It
   * reports errors with `call.fail` and returns the closure that runs.
   */
  bind(call: Call): Evaluate | Waiting;
}

/** A call site during the check. Arguments are indexed by the order of `params`; keywords have their places already. */
export interface Call {
  readonly node: CallExpr;
  /** Returns the argument's node; undefined when it was not given. For a named argument this is its value. */
  arg(index: number): Expr | undefined;
  /** The arguments as written, for functions that take a list of arguments at the end. */
  readonly args: readonly Argument[];
  /** Returns the closure of an argument; for an argument that was not given, a closure that returns nil. */
  value(index: number): Evaluate;
  /**
   * Returns the argument as a key (identifier, attribute expression or string literal); fails the check otherwise
   * (docs/reference/language.md#keys-and-paths).
   */
  key(index: number): KeyArgument;
  /** Returns a function that makes readers of names here, also of names that become known when the script runs. */
  readers(): (name: string) => KeyArgument["read"];
  /** Returns the text of a string literal; for any other argument fails with `expect StringLiteral, got <kind>`. */
  literal(index: number): string;
  /** Returns a string literal that is written to points; null for any other argument. */
  written(index: number): Literal | null;
  /** Fails the check at the argument, or at the function's name when `at` is absent. */
  fail(message: string, at?: Argument, help?: HelpAt): never;
  /** Returns an error that ends the run, for the closure to throw; its place is as in `fail`. */
  runFailure(message: string, at?: Argument): Error;
  /** Adds a warning to the check result. */
  warn(message: string, at?: Argument | Offset): void;
  /** Returns where a character of a string literal's value stands in the script. */
  placeIn(literal: StringLiteral, offset: number): Offset;
  /** The grok patterns that are visible here. */
  readonly patterns: PatternScope;
  /** Makes the engine of regular expressions. */
  readonly engine: EngineMaker;
  /** Makes a reference to another script, which is linked after all scripts are checked. */
  link(script: string, at?: Argument): Linked;
}

/** A key that an argument names. Reading uses the script variable first, then the point; writing always uses the point. */
export interface KeyArgument {
  readonly key: Key;
  /** Whether a variable may have this name here, so that the point's value alone does not decide. */
  readonly mayBeVariable: boolean;
  /** Returns the value; undefined when neither a variable nor a key of the point has this name. */
  read(run: Run): Value | undefined;
  /** Does the same as `read`, but returns text of the point as a slice of its batch, for functions that work on bytes. */
  readInPlace(run: Run): Value | undefined;
}

/**
 * Returns the declaration; gives it its type.
 *
 * @example
 * const answer = declare({
 *   name: "answer",
 *   summary: "Returns 42.",
 *   params: [],
 *   arguments: "named",
 *   returns: "int",
 *   examples: [],
 *   bind: () => () => 42,
 * });
 * answer.name; // "answer"
 */
export function declare(declaration: Declaration): Declaration {
  return declaration;
}
