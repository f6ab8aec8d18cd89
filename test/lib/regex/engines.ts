// Every tier of the engine, by name: what the suites hold to the same answers, and to linear time.

import type { Engine } from "../../../lib/regex/engine.ts";
import { Pike } from "../../../lib/regex/pike.ts";
import { compileProgram } from "../../../lib/regex/program.ts";
import { simulation } from "../../../lib/regex/regex.ts";
import type { Parsed } from "../../../lib/regex/syntax.ts";

export const engines: Readonly<Record<string, (parsed: Parsed) => Engine>> = { simulation };

export interface Counted {
  readonly engine: Engine;
  /** States visited and items of closures so far. */
  readonly steps: () => number;
}

export const counted: Readonly<Record<string, (parsed: Parsed) => Counted>> = {
  simulation({ root, names }) {
    const engine = new Pike(compileProgram(root, names.length, { captures: true }));
    return { engine, steps: () => engine.steps };
  },
};
