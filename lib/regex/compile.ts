// Compiles a parsed expression into what the engines run.

import { compileProgram } from "./automaton/program.ts";
import type { Compiled } from "./engines/table-engine.ts";
import { requiredLiteral, startsAtEdge } from "./syntax/literals.ts";
import type { Parsed } from "./syntax/tree.ts";

/** Compiles an expression. With `captures` false only the whole match gets offsets. */
export function compile({ root, names }: Parsed, captures = true): Compiled {
  return {
    forward: compileProgram(root, names.length, { captures }),
    backward: compileProgram(root, names.length, { captures: false, backward: true }),
    literal: requiredLiteral(root),
    atEdge: startsAtEdge(root),
  };
}
