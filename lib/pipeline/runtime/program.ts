// A checked and compiled script, and its references to other scripts.

import type { Offset } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { Code } from "./code.ts";
import type { ProbedStatement } from "./instrumentation.ts";

/** A call in a script that runs another script. */
export interface Reference {
  readonly script: string;
  readonly at: Offset;
  /**
   * The program of the called script; null until the scripts are linked (connected with the scripts that they call).
   */
  target: Program | null;
}

/** A checked script, which can run when its references to other scripts are linked. */
export interface Program {
  readonly source: Source;
  /** Number of slots (indexes of variables) that a run needs. */
  readonly slots: number;
  readonly references: readonly Reference[];
  /** Offset in the source text where the last statement starts. */
  readonly lastAt: Offset;
  /**
   * Whether the script keeps state from one point to the next. After linking, this is also true when a script that it
   * calls keeps state.
   */
  state: boolean;
  /**
   * Whether the script waits for an external answer, such as an HTTP answer, and therefore runs asynchronously. After
   * linking, this is also true when a script that it calls waits.
   */
  waits: boolean;
  /**
   * Names of the built-in functions that the script calls. Linking adds the functions that are called by other scripts
   * which this script runs.
   */
  readonly calls: Set<string>;
  /**
   * The statements that report events to a probe (receiver of run events); empty unless the script was compiled with
   * the option `probes`.
   */
  readonly statements: readonly ProbedStatement[];
  readonly body: Code<unknown>;
}
