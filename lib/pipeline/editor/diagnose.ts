// Finds all errors of a set of scripts, each with its range in the source text. An editor marks these ranges, and
// `millrace pipeline check` prints them. The compiler stops at the first error of a script; this file continues after
// that error.

import { tables } from "../../regex/regex.ts";
import { refuse, requireString } from "../../text/argument.ts";
import { shortenedText } from "../../text/shown-text.ts";
import { CompilationUnit } from "../compile/compilation-unit.ts";
import { type CompileOptions, compileScripts, functionTable } from "../compile/scripts.ts";
import { compileProgram } from "../compile/statement.ts";
import type { Offset, Statement } from "../syntax/ast.ts";
import { type PlError, ScriptFailure } from "../syntax/errors.ts";
import { helpIn } from "../syntax/hints.ts";
import { lex, lexFrom } from "../syntax/lexer.ts";
import { parseAll } from "../syntax/recover.ts";
import { Source } from "../syntax/source.ts";
import type { Token } from "../syntax/token.ts";

/** An error or warning with its range in the source text. */
export interface Diagnostic {
  /** Name of the script that contains the error. */
  readonly script: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly error: PlError;
  /** The range as UTF-16 offsets into the script's text. */
  readonly from: Offset;
  readonly to: Offset;
}

/** Options of the compiler. The option `engine` is left out, because regular expressions are checked but not run. */
export type DiagnoseOptions = Omit<CompileOptions, "engine">;

/**
 * Returns the errors and warnings in the order of the scripts and, in each script, in the order of their positions.
 * `scripts` holds the source text of each script by name. The scripts are linked with each other.
 *
 * @example
 * diagnose({ "a.p": "drop(" })[0]?.severity; // "error"
 */
export function diagnose(
  scripts: Readonly<Record<string, string>>,
  options: DiagnoseOptions = {},
): readonly Diagnostic[] {
  const { errors, warnings } = compileScripts(scripts, options);
  return Object.entries(scripts).flatMap(([script, text]) => {
    const first = errors.get(script);
    const noted = (severity: Diagnostic["severity"]) => (error: PlError) => note(script, text, severity, error);
    return [
      ...(first === undefined ? [] : allMistakes(scripts, script, first, options)).map(noted("error")),
      ...(warnings.get(script) ?? []).map(noted("warning")),
    ].sort((a, b) => a.from - b.from);
  });
}

/**
 * Returns all errors of one script. `first` is the error that the compiler reported for this script. The position of
 * `first` may lie in another script, which the checked script runs by `use`.
 */
function allMistakes(
  scripts: Readonly<Record<string, string>>,
  script: string,
  first: PlError,
  options: DiagnoseOptions,
): readonly PlError[] {
  const source = new Source(script, scripts[script]!);
  const { mistakes, script: tree } = parseAll(source);
  const found = mistakes.map(
    ({ message, at, help }): PlError => ({
      pos_chain: [source.position(at)],
      error: shortenedText(message),
      ...helpIn(source, help),
    }),
  );
  if (tree !== null) found.push(...checked(source, tree.statements, options, scripts));
  const isFound = found.some(
    ({ error, pos_chain: [at] }) => error === first.error && at?.pos === first.pos_chain[0]?.pos,
  );
  return isFound ? found : [...found, first];
}

function checked(
  source: Source,
  statements: readonly Statement[],
  { functions, patterns = null, runsIn }: DiagnoseOptions,
  scripts: Readonly<Record<string, string>>,
): readonly PlError[] {
  const unit = new CompilationUnit(source, functionTable(functions, runsIn), patterns, tables);
  unit.mistakes = [];
  try {
    compileProgram(unit, statements);
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    unit.mistakes.push(error.record());
  }
  for (const { script, at } of unit.references) {
    if (!Object.hasOwn(scripts, script)) unit.mistakes.push(unit.failure(`script ${script} not found`, at).record());
  }
  return unit.mistakes;
}

function note(script: string, text: string, severity: Diagnostic["severity"], error: PlError): Diagnostic {
  // An error whose position is in this script is marked at this position. An error in another script is marked at
  // the call of `use` in this script that runs the other script.
  const places = error.at === undefined ? error.pos_chain : [error.at, ...error.pos_chain];
  const position = places.find(({ file }) => file === script) ?? error.pos_chain[0];
  return { script, severity, message: error.error, error, ...rangeAt(text, position?.pos ?? 0) };
}

/**
 * Returns the UTF-16 range of the token at a position. The position is counted in code points. When it lies between two
 * tokens, returns the range of the last visible character before the position.
 *
 * @example
 * rangeAt("drop()", 2); // { from: 0, to: 4 }
 */
export function rangeAt(text: string, codePoints: number): { readonly from: Offset; readonly to: Offset } {
  requireString("rangeAt", "text", text);
  if (!Number.isInteger(codePoints)) refuse("rangeAt", "codePoints", "a whole number", codePoints);
  const at = Math.min(text.length, utf16Offset(text, Math.max(0, codePoints)));
  for (const token of tokensAround(text, at)) {
    if (token.at <= at && at < token.end && token.letter !== "n") return { from: token.at, to: token.end };
  }
  if (at < text.length && !/\s/.test(text[at]!)) return { from: at, to: at + 1 };
  const before = text.slice(0, at).trimEnd().length;
  return before === 0 ? { from: 0, to: Math.min(1, text.length) } : { from: before - 1, to: before };
}

/** Returns the tokens up to offset `at`. After a lexical error, reading continues on the next line. */
function tokensAround(text: string, at: Offset): readonly Token[] {
  let { list, error } = lex(text);
  while (error !== null) {
    const lineEnd = text.indexOf("\n", list.at(-1)!.at);
    if (lineEnd < 0 || lineEnd > at) break;
    ({ list, error } = lexFrom(text, lineEnd));
  }
  return list;
}

function utf16Offset(text: string, codePoints: number): Offset {
  let at = 0;
  for (let left = codePoints; left > 0 && at < text.length; left--) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}
