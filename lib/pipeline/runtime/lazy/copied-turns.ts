// Runs some of the turns (iterations) of a `for` loop over a JSON map: the turns that only copy a member of the
// map to the point. The WebAssembly module runs several such turns by one call.

import type { Batch } from "../../../point/batch/batch.ts";
import { Cursor } from "../../../point/batch/cursor.ts";
import { keyBytes } from "../memory.ts";
import type { Run } from "../run.ts";
import type { MemberTurns } from "./indexed-map.ts";

/**
 * A `for` loop over a map. Most of its turns (iterations) only copy a member of the map to the point's key of the same
 * name.
 */
export class CopyLoop {
  /** Slot (index into the run's array of variables) of the variable that holds the map. */
  readonly slot: number;
  /** Number of steps that a turn (iteration of the loop) takes when it copies a short value. */
  readonly steps: number;
  /** Names of the members whose turn (iteration of the loop) may do something else than copy the member. */
  private readonly others: readonly string[];
  private batch: Batch | null = null;
  private laid: Stops = { address: 0, count: 0 };

  constructor(slot: number, steps: number, others: ReadonlySet<string>) {
    this.slot = slot;
    this.steps = steps;
    this.others = [...others];
  }

  /** Returns the names of the members at which the WebAssembly module has to stop, in the memory of `batch`. */
  stopsIn(batch: Batch): Stops {
    if (this.batch !== batch) {
      const ids = this.others.map((name) => batch.intern(name));
      const count = Math.max(...ids) + 1;
      const address = batch.take(count);
      const { u8 } = batch.module;
      u8.fill(0, address, address + count);
      for (const id of ids) u8[address + id] = 1;
      this.laid = { address, count };
      this.batch = batch;
    }
    return this.laid;
  }
}

/** Names in WebAssembly memory: one byte for each key with an id below `count`. The byte is 1 when the key is a name. */
export interface Stops {
  readonly address: number;
  readonly count: number;
}

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
export function copyTurns(run: Run, loop: CopyLoop, turns: MemberTurns): void {
  const { point, memory } = run;
  const { map } = turns;
  if (run.locals[loop.slot] !== map || !(point instanceof Cursor)) return;
  const { members } = map;
  if (turns.at >= members || run.pendingTags !== null || map.untouchedRecord(point.batch) === 0) return;
  const { textLength } = map;
  // Writing a list or map as JSON text takes one step for every eight characters. The written text is at most six times
  // as long as the text that was read, because `<` becomes `\u003c`. So writing takes fewer steps than `textLength`.
  if (run.steps < members * mostSteps + textLength) return;
  if (!memory.hasRoomForCopies(textLength + members * mostBytes)) return;
  const answer = map.copyMembers(point, turns.at, loop.stopsIn(point.batch));
  const copied = answer & 0xff;
  run.steps -= copied * loop.steps + (answer >>> 8);
  const { u32, scratch } = point.batch.module;
  const kept = copied * keyBytes + u32[scratch >>> 2]! + u32[(scratch >>> 2) + 1]!;
  if (kept > 0) memory.keep(kept);
  turns.at += copied;
}
