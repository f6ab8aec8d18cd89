// Finds divisions by a literal zero. They are an error in the statement; their result is not a missing value
// (docs/reference/query.md#names-texts-and-numbers).

import type { Offset } from "./ast.ts";

/** Returns the offset of the first literal zero that is a divisor. */
export function divisionByZero(tree: unknown): Offset | undefined {
  if (typeof tree !== "object" || tree === null) return undefined;
  const { type, op, r } = tree as { type?: string; op?: string; r?: { type: string; value: unknown; at: Offset } };
  if (type === "bin" && (op === "/" || op === "%") && r?.type === "num" && Number(r.value) === 0) return r.at;
  for (const part of Object.values(tree)) {
    const found = divisionByZero(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
