// Runs the turns of a `for` loop over a JSON map in which the loop only copies the member to the point. The WebAssembly
// module runs several such turns by one call.

import { Cursor } from "../../../point/batch/cursor.ts";
import type { ListTurns } from "../list-turns.ts";
import { keyBytes } from "../memory.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";
import { IndexedMap } from "./indexed-map.ts";

/** A loop of which most turns only copy a member of the map to the key of the same name. */
export interface CopyLoop {
  /** Slot (index into the run's array of variables) of the variable that holds the map. */
  readonly slot: number;
  /** Names of the members for which a turn may do something else. */
  readonly others: ReadonlySet<string>;
  /** Number of steps of a turn that copies a short value. */
  readonly steps: number;
}

/** Length from which the name of a member takes steps. */
const longName = 64;
/** Upper bounds of the steps and of the bytes that a turn takes, besides those for the value. */
const mostSteps = 8;
const mostBytes = 16;

/** Copies members to the point from the next turn on, and skips their turns, until a turn may do something else. */
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
  // Writing a list or map as JSON text takes a step for eight characters, and the written text is at most six times as
  // long as the text that was read (`<` becomes `\u003c`).
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
