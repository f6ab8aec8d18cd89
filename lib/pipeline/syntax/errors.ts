// PlError, the error record of the script language (docs/reference/language.md#error-record). Its message is at most 1
// KB long.

import { refuse } from "../../text/argument.ts";
import { shortenedText } from "../../text/shown-text.ts";

/**
 * A position in a script. `ln` (line) and `col` (column) count from 1, `pos` (offset) from 0, all in code points; -1
 * when unknown.
 */
export interface Position {
  readonly file: string;
  readonly ln: number;
  readonly col: number;
  readonly pos: number;
}

/**
 * An error in a user's script, as plain data. `pos_chain[0]` is the position of the error; the last entry is where the
 * chain of calls starts.
 */
export interface PlError {
  readonly pos_chain: readonly Position[];
  readonly error: string;
  /** The position of the mistake itself, when `pos_chain[0]` is only the position of the surrounding call or line. */
  readonly at?: Position;
  /** A hint on how to correct the error, printed on a line of its own. */
  readonly hint?: string;
}

/**
 * The optional members of an error: `at`, the position of the mistake itself, and `hint`, which says how to correct it.
 */
export type Help = Pick<PlError, "at" | "hint">;

/**
 * An exception that carries a PlError up the stack, during the check and at run time. Code outside of the folder
 * `pipeline` never receives this exception.
 */
export class ScriptFailure extends Error {
  readonly chain: Position[];
  private readonly help: Help;

  constructor(message: string, chain: Position[], help: Help = {}) {
    super(shortenedText(message));
    this.chain = chain;
    this.help = help;
  }

  record(): PlError {
    return { pos_chain: this.chain, error: this.message, ...this.help };
  }
}

/**
 * A failure that ends the run wherever it occurs, because the run's step limit or memory limit is used up. Scripts
 * cannot ignore it.
 */
export class LimitFailure extends ScriptFailure {}

/**
 * Returns the error as text. The first line is `b.p:2:4: message`. A line such as `a.p:1:1:` follows for each further
 * entry of the call chain. Then a line with the position of the mistake itself (`at`) and a line with the hint follow,
 * when the error has these members.
 *
 * @example
 * plErrorText({ pos_chain: [{ file: "a.p", ln: 1, col: 5, pos: 4 }], error: "unexpected end" }); // "a.p:1:5: unexpected end"
 */
export function plErrorText(error: PlError): string {
  requireError(error);
  const [first, ...outer] = error.pos_chain;
  const place = (at: Position) => `${at.file}:${at.ln}:${at.col}:`;
  const { at, hint } = error;
  const help = [...(at === undefined ? [] : [`${place(at)} here`]), ...(hint === undefined ? [] : [`hint: ${hint}`])];
  if (first === undefined) return [error.error, ...help].join("\n");
  return [`${place(first)} ${error.error}`, ...outer.map(place), ...help].join("\n");
}

function requireError(value: unknown): void {
  const { pos_chain: chain, error } = (value ?? {}) as Partial<Record<keyof PlError, unknown>>;
  if (!Array.isArray(chain) || typeof error !== "string")
    refuse("plErrorText", "error", "an error of a script, { pos_chain, error }", value);
}
