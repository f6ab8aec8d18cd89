// How a built-in function is declared: once. The checker, the compiler, hover and completion, the function
// reference and a test for each example all read the declaration.

import type { PatternScope } from "../../grok/patterns.ts";
import type { Key, Literal } from "../../point/view.ts";
import type { EngineMaker } from "../../regex/regex.ts";
import type { Code, Evaluate, Wait } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";
import type { Argument, CallExpr, Expr, Offset, StringLiteral } from "../syntax/ast.ts";
import type { HelpAt } from "../syntax/hints.ts";

/** A call that may wait: as a closure for runs that do not, and as a generator for those that do. */
export interface Waiting {
  readonly direct: Evaluate;
  readonly steps: (run: Run) => Generator<Code<unknown> | Wait, Value, unknown>;
}

/** Another script, to be run on the point of a run. */
export interface Linked {
  readonly direct: (run: Run) => void;
  readonly steps: (run: Run) => Generator<Code<unknown>, void, unknown>;
}

/** One parameter. `key` parameters take a key's name, the others a value of the type named. */
export interface Param {
  readonly name: string;
  readonly type: "key" | "path" | "str" | "int" | "float" | "bool" | "list" | "map" | "any" | "number";
  readonly summary: string;
  readonly optional?: boolean;
  /** Other names accepted for it as a keyword. */
  readonly aliases?: readonly string[];
}

/** Runs as a test and stands in the function reference. */
export interface Example {
  readonly script: string;
  /** The input: text becomes `message` of a log point. */
  readonly input: string;
  /** Fields expected after the run: those added or changed; null for a key without value, undefined for a removed one. */
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

export interface Declaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly params: readonly Param[];
  readonly returns?: "bool" | "int" | "float" | "str" | "list" | "map" | "any";
  readonly style: ArgumentStyle;
  /**
   * Positional style: the allowed counts and the texts of a wrong count. `max` absent: any number.
   * `tooMany` absent: same as `tooFew`.
   */
  readonly arity?: { readonly min: number; readonly max?: number; readonly tooFew: string; readonly tooMany?: string };
  readonly examples: readonly Example[];
  /** Keeps state that outlives a point: such a script is pinned to one worker. */
  readonly state?: boolean;
  /** Has to wait for something outside: a script that calls it runs asynchronously. */
  readonly waits?: boolean;
  /** An argument that fails while running gets the call's own place at the end of its chain. */
  readonly tracesArguments?: boolean;
  /**
   * Called once per call site when the script is checked, after the arguments themselves were walked and counted.
   * Reports mistakes with `call.fail`, and gives the closure that runs.
   */
  bind(call: Call): Evaluate | Waiting;
}

/** A call site while it is being checked. Arguments are indexed by the order of `params`, keywords already placed. */
export interface Call {
  readonly node: CallExpr;
  /** The argument's node; undefined when it was not given. A named argument is given by its value. */
  arg(index: number): Expr | undefined;
  /** Arguments as written, for functions with a list of their own at the end. */
  readonly args: readonly Argument[];
  /** The closure of an argument; for one that was not given, of nil. */
  value(index: number): Evaluate;
  /** The argument as a key (identifier, attribute expression or string literal), else a check error (docs/reference/language.md#keys-and-paths). */
  key(index: number): KeyArgument;
  /** How a name is read here, also one that becomes known only when the script runs. */
  readers(): (name: string) => KeyArgument["read"];
  /** The text of a string literal, else `expect StringLiteral, got <kind>` at the argument. */
  literal(index: number): string;
  /** A string literal that is written to points; null for any other argument. */
  written(index: number): Literal | null;
  /** Fails the check. Position: the argument's node, or the function's name when `at` is absent. */
  fail(message: string, at?: Argument, help?: HelpAt): never;
  /** Fails the run, when called from the closure. Position as in `fail`. */
  runFailure(message: string, at?: Argument): Error;
  /** Attaches a warning to the check result. */
  warn(message: string, at?: Argument | Offset): void;
  /** Where a character of a string literal's value stands in the script. */
  placeIn(literal: StringLiteral, offset: number): Offset;
  /** The grok patterns visible here. */
  readonly patterns: PatternScope;
  /** What runs regular expressions. */
  readonly engine: EngineMaker;
  /** A reference to another script, linked after all scripts are checked. */
  link(script: string, at?: Argument): Linked;
}

/** A key named by an argument. Reading: script variable first, then the point. Writing: always the point. */
export interface KeyArgument {
  readonly key: Key;
  /** A variable may have this name here: what a point says of the key is then not the whole of it. */
  readonly mayBeVariable: boolean;
  /** Undefined when neither a variable nor a point key of this name exists. */
  read(run: Run): Value | undefined;
  /** Like `read`; text of the point is given as a slice of its batch, for functions that work on bytes. */
  readInPlace(run: Run): Value | undefined;
}

/** Gives a declaration its type and, by its name, its place in the table. */
export function declare(declaration: Declaration): Declaration {
  return declaration;
}
