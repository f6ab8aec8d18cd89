// A checked and compiled script, and its calls of other scripts.

import type { Offset } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { Code } from "./code.ts";

/** A call that runs another script. */
export interface Reference {
  readonly script: string;
  readonly at: Offset;
  /** The called script; linking sets it. */
  target: Program | null;
}

/** A checked script, ready to run when its references are linked. */
export interface Program {
  readonly source: Source;
  /** Number of variable slots. */
  readonly slots: number;
  readonly references: readonly Reference[];
  /** Offset where the last statement starts. */
  readonly lastAt: Offset;
  /** Whether the script keeps state that outlives a point. Linking adds the state of the referenced scripts. */
  state: boolean;
  /** Whether the script waits for something, so that it runs asynchronously. Linking adds the referenced scripts. */
  waits: boolean;
  /** Names of the built-in functions that the script calls. Linking adds those of the referenced scripts. */
  readonly calls: Set<string>;
  readonly body: Code<unknown>;
}
