// Runs some of the turns (iterations) of a `for` loop over a JSON map: the turns that only copy a member of the
// map to the point. The WebAssembly module runs several such turns by one call.

import { Cursor } from "../../../point/batch/cursor.ts";
import type { ListTurns } from "../list-turns.ts";
import { keyBytes } from "../memory.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";
import { IndexedMap } from "./indexed-map.ts";

/**
 * A `for` loop over a map. Most of its turns (iterations) only copy a member of the map to the point's key of the same
 * name.
 */
export interface CopyLoop {
  /** Slot (index into the run's array of variables) of the variable that holds the map. */
  readonly slot: number;
  /** Names of the members whose turn (iteration of the loop) may do something else than copy the member. */
  readonly others: ReadonlySet<string>;
  /** Number of steps that a turn (iteration of the loop) takes when it copies a short value. */
  readonly steps: number;
}

/**
 * Smallest length of a member's name for which the script is charged steps for reading the name. JavaScript runs
 * the turns (iterations) of such members.
 */
const longName = 64;
/**
 * Upper bounds for one turn (iteration of the loop): the number of steps and the number of bytes that it takes,
 * without the steps and bytes for the value of the member.
 */
const mostSteps = 8;
const mostBytes = 16;

/**
 * Copies members to the point, beginning with the member of the next turn (iteration of the loop), and skips the turns
 * of the copied members. Stops before a turn that may do something else, or that JavaScript has to run.
 */
export function copyTurns(run: Run, { slot, others, steps }: CopyLoop, map: Value, turns: ListTurns): void {
  const { point, memory } = run;
  if (!(map instanceof IndexedMap) || run.locals[slot] !== map || !(point instanceof Cursor)) return;
  const { names } = map;
  if (names === null || run.pendingTags !== null) return;
  const from = turns.at;
  let to = from;
  while (to < names.length && names[to]!.length < longName && !others.has(names[to]!)) to++;
  if (to === from) return;
  if (map.untouchedRecord(point.batch) === 0) return;
  const { textLength } = map;
  // Writing a list or map as JSON text takes one step for every eight characters. The written text is at most six times
  // as long as the text that was read, because `<` becomes `\u003c`. So writing takes fewer steps than `textLength`.
  if (run.steps < names.length * mostSteps + textLength) return;
  if (!memory.hasRoomForCopies(textLength + names.length * mostBytes)) return;
  const answer = map.copyMembers(point, from, to);
  const copied = answer & 0xff;
  run.steps -= copied * steps + (answer >>> 8);
  const { module } = point.batch;
  let kept = module.u32[module.scratch >>> 2]!;
  for (let at = from; at < from + copied; at++) kept += keyBytes + names[at]!.length;
  if (kept > 0) memory.keep(kept);
  turns.at = from + copied;
}
