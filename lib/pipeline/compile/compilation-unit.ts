// The state of one script while it is checked and compiled.

import type { PatternSource } from "../../grok/patterns.ts";
import type { EngineMaker } from "../../regex/regex.ts";
import { shortenedText } from "../../text/shown-text.ts";
import type { Declaration } from "../functions/declare.ts";
import type { ProbedStatement } from "../runtime/instrumentation.ts";
import type { Reference } from "../runtime/program.ts";
import type { Offset } from "../syntax/ast.ts";
import { LimitFailure, type PlError, ScriptFailure } from "../syntax/errors.ts";
import { type HelpAt, helpIn } from "../syntax/hints.ts";
import type { Source } from "../syntax/source.ts";
import { Variables } from "./scope.ts";

export class CompilationUnit {
  readonly source: Source;
  readonly functions: ReadonlyMap<string, Declaration>;
  readonly library: PatternSource | null;
  readonly engine: EngineMaker;
  readonly variables = new Variables();
  readonly references: Reference[] = [];
  readonly warnings: PlError[] = [];
  /** Number of loops that surround the current statement. */
  loops = 0;
  /** Number of calls that surround the current expression. */
  calls = 0;
  state = false;
  waits = false;
  /** Names of the built-in functions that the script calls. */
  readonly called = new Set<string>();
  /** The errors found so far; null when the check stops at the first error and collects none. */
  mistakes: PlError[] | null = null;
  /** Whether the compiled statements report their start and end to the probe (a receiver of run events). */
  probes = false;
  /** The statements whose compiled code reports their start and end. */
  readonly statements: ProbedStatement[] = [];

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

  /** Returns the failure to throw for a run that has used up its step limit or its memory limit. */
  overrun(message: string, at: Offset): LimitFailure {
    return new LimitFailure(message, [this.source.position(at)]);
  }

  warn(message: string, at: Offset): void {
    this.warnings.push({ pos_chain: [this.source.position(at)], error: shortenedText(message) });
  }
}
