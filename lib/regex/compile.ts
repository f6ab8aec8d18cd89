// From a parsed expression to what the engines run.

import { requiredLiteral, startsAtEdge } from "./literals.ts";
import { compileProgram } from "./program.ts";
import type { Parsed } from "./syntax.ts";
import type { Compiled } from "./table-engine.ts";

/** `captures` false: the groups are left out, only the whole match is told. */
export function compile({ root, names }: Parsed, captures = true): Compiled {
  return {
    forward: compileProgram(root, names.length, { captures }),
    backward: compileProgram(root, names.length, { captures: false, backward: true }),
    literal: requiredLiteral(root),
    atEdge: startsAtEdge(root),
  };
}
