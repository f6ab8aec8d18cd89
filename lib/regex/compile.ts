// From a parsed expression to what the engines run.

import { compileProgram } from "./automaton/program.ts";
import type { Compiled } from "./engines/table-engine.ts";
import { requiredLiteral, startsAtEdge } from "./syntax/literals.ts";
import type { Parsed } from "./syntax/tree.ts";

/** `captures` false: the groups are left out, only the whole match is told. */
export function compile({ root, names }: Parsed, captures = true): Compiled {
  return {
    forward: compileProgram(root, names.length, { captures }),
    backward: compileProgram(root, names.length, { captures: false, backward: true }),
    literal: requiredLiteral(root),
    atEdge: startsAtEdge(root),
  };
}
