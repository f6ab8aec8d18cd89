// A script that was checked and compiled, and its calls of other scripts.

import type { Offset } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { Code } from "./code.ts";

/** A call that runs another script. */
export interface Reference {
  readonly script: string;
  readonly at: Offset;
  /** Set by linking. */
  target: Program | null;
}

/** A script that was checked, ready to run once its references are linked. */
export interface Program {
  readonly source: Source;
  /** The number of variable slots. */
  readonly slots: number;
  readonly references: readonly Reference[];
  /** Where the last statement starts. */
  readonly lastAt: Offset;
  /** The script keeps state that outlives a point. Linking adds the state of the referenced scripts. */
  state: boolean;
  /** The script waits for something: it runs asynchronously. Linking adds the waits of the referenced scripts. */
  waits: boolean;
  /** Names of the built-in functions it calls. Linking adds those of the referenced scripts. */
  readonly calls: Set<string>;
  readonly body: Code<unknown>;
}
