// PlError, the error record of the script language (docs/reference/language.md#error-record). Its text is at most 1 KB long.

import { shortenedText } from "../../text/shown-text.ts";

/** A place in a script. `ln` and `col` count from 1, `pos` from 0, all in code points; -1 when unknown. */
export interface Position {
  readonly file: string;
  readonly ln: number;
  readonly col: number;
  readonly pos: number;
}

/** A user's error as data. `pos_chain[0]` is the place of the error; the last entry is the start of the call chain. */
export interface PlError {
  readonly pos_chain: readonly Position[];
  readonly error: string;
  /** The exact place of the error, when `pos_chain[0]` only gives the call or the line around it. */
  readonly at?: Position;
  /** Advice, printed on a line of its own. */
  readonly hint?: string;
}

/** Members of an error besides its fixed text and place. */
export type Help = Pick<PlError, "at" | "hint">;

/** Carries a PlError up the stack, during the check and at run time; never leaves the pipeline folder. */
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

/** A failure that ends the run wherever it occurs, because a limit of the run is used up. */
export class LimitFailure extends ScriptFailure {}

/**
 * Returns the error as text: `b.p:2:4: message`, then one line `a.p:1:1:` for each further entry of the chain, the
 * exact place and the hint.
 *
 * @example
 * plErrorText({ pos_chain: [{ file: "a.p", ln: 1, col: 5, pos: 4 }], error: "unexpected end" }); // "a.p:1:5: unexpected end"
 */
export function plErrorText(error: PlError): string {
  const [first, ...outer] = error.pos_chain;
  const place = (at: Position) => `${at.file}:${at.ln}:${at.col}:`;
  const { at, hint } = error;
  const help = [...(at === undefined ? [] : [`${place(at)} here`]), ...(hint === undefined ? [] : [`hint: ${hint}`])];
  if (first === undefined) return [error.error, ...help].join("\n");
  return [`${place(first)} ${error.error}`, ...outer.map(place), ...help].join("\n");
}
