// The declaration of a built-in function of the script language. Each function is declared once. The checker, the
// compiler, hover and completion, the function reference, and the tests of the examples all read this declaration.

import type { PatternScope } from "../../grok/patterns.ts";
import type { Key, Literal } from "../../point/view.ts";
import type { EngineMaker } from "../../regex/regex.ts";
import type { Code, Evaluate, Wait } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { MemberOperand } from "../runtime/tape-operations.ts";
import type { Value } from "../runtime/value.ts";
import type { Argument, CallExpr, Expr, Offset, StringLiteral } from "../syntax/ast.ts";
import type { HelpAt } from "../syntax/hints.ts";

/**
 * A call that may wait for an HTTP answer, compiled twice: as a closure for runs that do not wait, and as a generator
 * for runs that wait.
 */
export interface Waiting {
  readonly direct: Evaluate;
  readonly steps: (run: Run) => Generator<Code<unknown> | Wait, Value, unknown>;
}

/** A reference to another script, which runs on the same point as the calling script. */
export interface Linked {
  readonly direct: (run: Run) => void;
  readonly steps: (run: Run) => Generator<Code<unknown>, void, unknown>;
}

/**
 * A parameter of a built-in function. A parameter of the type `key` takes the name of a key; any other parameter takes
 * a value of its type.
 */
export interface Param {
  readonly name: string;
  readonly type: "key" | "path" | "str" | "int" | "float" | "bool" | "list" | "map" | "any" | "number";
  readonly summary: string;
  readonly optional?: boolean;
  /** Other names by which a keyword argument may name this parameter. */
  readonly aliases?: readonly string[];
}

/** An example of a call. It runs as a test and appears in the function reference. */
export interface Example {
  readonly script: string;
  /** The text on which the example runs: the field `message` of a log point. */
  readonly input: string;
  /**
   * The fields that the run is expected to add, change or remove. A null value means a key without a value;
   * undefined means that the key was removed.
   */
  readonly gives: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

/**
 * The style of a function's arguments: how the arguments of a call are counted and named
 * (docs/reference/language.md#elements-and-slices). The styles differ in their error messages.
 * - positional: the function has error messages of its own for a wrong number of arguments; keyword arguments
 *   with parameter names are also accepted
 * - named: error messages that all functions share, all with the position of the function's name
 * - keywords: like `named`, but every argument must have its name
 * - declared: error messages that all functions share, with the position of the wrong argument; the types of
 *   literals are checked
 */
export type ArgumentStyle = "positional" | "named" | "keywords" | "declared";

/** The declaration of a built-in function of the script language. */
export interface Declaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly params: readonly Param[];
  readonly returns?: "bool" | "int" | "float" | "str" | "list" | "map" | "any";
  readonly style: ArgumentStyle;
  /**
   * For the style `positional`: the allowed numbers of arguments, and the error messages for a wrong number.
   * Without `max`, any number from `min` on is allowed. Without `tooMany`, the message `tooFew` is also used for
   * too many arguments.
   */
  readonly arity?: { readonly min: number; readonly max?: number; readonly tooFew: string; readonly tooMany?: string };
  readonly examples: readonly Example[];
  /**
   * Whether the function keeps state from one point to the next. A script that calls such a function always runs in the
   * same worker.
   */
  readonly state?: boolean;
  /**
   * Whether the function waits for an external answer, such as an HTTP answer. A script that calls such a function runs
   * asynchronously.
   */
  readonly waits?: boolean;
  /**
   * Whether an error in an argument of the function also names the position of the call. The position is added to
   * the call chain of the run error.
   */
  readonly tracesArguments?: boolean;
  /**
   * Binds one call of the function in a script. The checker calls `bind` once for each call in the source text, after
   * the arguments were compiled and counted. The method `bind` reports errors with `call.fail` and returns the closure
   * that runs the call.
   */
  bind(call: Call): Evaluate | Waiting;
}

/**
 * A call of a function while the script is checked. Arguments are indexed in the order of `params`; keyword arguments
 * have been put at the index of their parameter.
 */
export interface Call {
  readonly node: CallExpr;
  /**
   * Returns the syntax node of the argument; undefined when the argument was not given. For a named argument this is
   * the node of its value.
   */
  arg(index: number): Expr | undefined;
  /** The arguments of the call in the order of the source text, for functions that take any number of arguments. */
  readonly args: readonly Argument[];
  /** Returns the closure that evaluates an argument. When the argument was not given, the closure returns nil. */
  value(index: number): Evaluate;
  /**
   * Returns the key that the argument names (as identifier, attribute expression or string literal). For any other
   * argument, the check of the script fails (docs/reference/language.md#keys-and-paths).
   */
  key(index: number): KeyArgument;
  /**
   * Returns a function for names that are known only when the script runs. The function takes a name, and returns
   * a reader of the variable or key that this name means at the position of the call.
   */
  readers(): (name: string) => KeyArgument["read"];
  /**
   * Returns the value of a string literal. For any other argument, the check of the script fails with the message
   * `expect StringLiteral, got <kind>`.
   */
  literal(index: number): string;
  /** Returns the value of a string literal, ready to be written to points; null for any other argument. */
  written(index: number): Literal | null;
  /**
   * Returns the member of a map that the argument reads, such as `d["a"]` or `d["a"]["b"]`. Returns null for other
   * arguments, and when a name in the brackets is not a string literal.
   */
  member(index: number): MemberOperand | null;
  /**
   * Makes the check of the script fail. The error gets the position of the argument, or of the function's name
   * when `at` is absent.
   */
  fail(message: string, at?: Argument, help?: HelpAt): never;
  /**
   * Returns an error that the compiled call throws to end the run. The error gets the position of the argument, or
   * of the function's name when `at` is absent.
   */
  runFailure(message: string, at?: Argument): Error;
  /** Adds a warning to the result of the check. */
  warn(message: string, at?: Argument | Offset): void;
  /**
   * Converts `offset`, an index into the value of a string literal, to the offset of the same character in the script.
   */
  placeIn(literal: StringLiteral, offset: number): Offset;
  /** The grok patterns that are visible at this call. */
  readonly patterns: PatternScope;
  /** Makes the engine that runs a regular expression. */
  readonly engine: EngineMaker;
  /** Makes a reference to another script. The reference is linked after all scripts are checked. */
  link(script: string, at?: Argument): Linked;
}

/**
 * A key that an argument names. When the script has a variable with this name, reading returns the variable,
 * otherwise the point's key. Writing always changes the point.
 */
export interface KeyArgument {
  readonly key: Key;
  /**
   * Whether a variable with the given name may exist where the function is called. When this is true, the function must
   * look for the name among the variables, too.
   */
  readonly mayBeVariable: boolean;
  /**
   * Returns the value of the variable or key; undefined when neither a variable nor a key of the point has the name.
   */
  read(run: Run): Value | undefined;
  /**
   * Returns the value of the variable or key, as `read` does. A string of the point is returned as a slice of
   * WebAssembly memory, for functions that work on bytes.
   */
  readInPlace(run: Run): Value | undefined;
}

/**
 * Returns the declaration unchanged. TypeScript checks the argument of this call, so that a declaration has the
 * right type.
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
