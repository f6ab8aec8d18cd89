// Compiles a parsed expression into the programs that the engines run.

import { compileProgram } from "./automaton/program.ts";
import type { Compiled } from "./engines/table-engine.ts";
import { matchStart, requiredLiteral, startsAtEdge } from "./syntax/literals.ts";
import type { Parsed } from "./syntax/tree.ts";

/**
 * Compiles an expression. When `captures` is false, only the offsets of the whole match are found, not those of groups.
 */
export function compile({ root, names }: Parsed, captures = true): Compiled {
  const literal = requiredLiteral(root);
  return {
    forward: compileProgram(root, names.length, { captures }),
    backward: compileProgram(root, names.length, { captures: false, backward: true }),
    literal,
    startsWithLiteral: literal.length > 0 && startsWith(matchStart(root), literal),
    atEdge: startsAtEdge(root),
  };
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
