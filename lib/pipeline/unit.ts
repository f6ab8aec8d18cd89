// What is known about one script while it is checked and compiled.

import type { PatternSource } from "../grok/patterns.ts";
import { shortenedText } from "../point/shown-text.ts";
import type { EngineMaker } from "../regex/regex.ts";
import type { Offset } from "./ast.ts";
import type { Code } from "./code.ts";
import { LimitFailure, type PlError, ScriptFailure } from "./errors.ts";
import type { Declaration } from "./functions/declare.ts";
import { type HelpAt, helpIn } from "./help.ts";
import { Variables } from "./scope.ts";
import type { Source } from "./source.ts";

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
  /** Keeps state that outlives a point. Linking adds what the referenced scripts do. */
  state: boolean;
  /** Has to wait for something: runs asynchronously. Linking adds what the referenced scripts do. */
  waits: boolean;
  /** Names of the built-in functions it calls. Linking adds those of the referenced scripts. */
  readonly calls: Set<string>;
  readonly body: Code<unknown>;
}

export class Unit {
  readonly source: Source;
  readonly functions: ReadonlyMap<string, Declaration>;
  readonly library: PatternSource | null;
  readonly engine: EngineMaker;
  readonly variables = new Variables();
  readonly references: Reference[] = [];
  readonly warnings: PlError[] = [];
  /** Loops around the statement at hand. */
  loops = 0;
  /** Calls around the expression at hand. */
  calls = 0;
  state = false;
  waits = false;
  /** Names of the functions that are called. */
  readonly called = new Set<string>();
  /** Where the mistakes of statements are gathered; null: the first one ends the check. */
  mistakes: PlError[] | null = null;
  /** Statements tell the run's probe of themselves. */
  probes = false;

  constructor(
    source: Source,
    functions: ReadonlyMap<string, Declaration>,
    library: PatternSource | null,
    engine: EngineMaker,
  ) {
    this.source = source;
    this.engine = engine;
    this.functions = functions;
    this.library = library;
  }

  failure(message: string, at: Offset, help: HelpAt = {}): ScriptFailure {
    return new ScriptFailure(message, [this.source.position(at)], helpIn(this.source, help));
  }

  /** The failure of a run that has used up a limit. */
  overrun(message: string, at: Offset): LimitFailure {
    return new LimitFailure(message, [this.source.position(at)]);
  }

  warn(message: string, at: Offset): void {
    this.warnings.push({ pos_chain: [this.source.position(at)], error: shortenedText(message) });
  }
}
