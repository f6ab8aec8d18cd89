// Runs some of the turns (iterations) of a `for` loop over a JSON map: the turns that only copy a member of the
// map to the point. The WebAssembly module runs several such turns by one call.

import type { Batch } from "../../../point/batch/batch.ts";
import { Cursor } from "../../../point/batch/cursor.ts";
import { keyBytes } from "../memory.ts";
import {
  COPIED_COUNT,
  COPIED_KEPT,
  COPIED_NAMES,
  COPIED_STORED,
  MARK_SHORT,
  MARK_STOP,
  MARK_STORED,
} from "../operation-layout.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";
import type { MemberTurns } from "./indexed-map.ts";

/** A turn (iteration) of a loop that only stores the member of the map in a variable. */
export interface StoreTurn {
  /** Slot (index into the run's array of variables) of the variable. */
  readonly slot: number;
  /** Whether the turn may do something else when the member is a map. */
  readonly unlessMap: boolean;
}

/**
 * A `for` loop over a map. Most of its turns (iterations) only copy a member of the map to the point's key of the same
 * name.
 */
export class CopyLoop {
  /** Slot (index into the run's array of variables) of the variable that holds the map. */
  readonly slot: number;
  /** Number of steps that a turn (iteration of the loop) takes when it copies or stores a short value. */
  readonly steps: number;
  /** Slots (indexes into the run's array of variables) of the variables in which turns store members. */
  readonly stored: readonly number[];
  private readonly others: ReadonlyMap<string, StoreTurn | null>;
  private batch: Batch | null = null;
  private laid: Marks = { address: 0, count: 0 };

  /**
   * `others` has the names of the members whose turn (iteration of the loop) does not copy the member. The value of a
   * name is null when only JavaScript can run its turn.
   */
  constructor(slot: number, steps: number, others: ReadonlyMap<string, StoreTurn | null>) {
    this.slot = slot;
    this.steps = steps;
    this.others = others;
    const slots = [...others.values()].flatMap((store) => (store === null ? [] : [store.slot]));
    this.stored = [...new Set(slots)].slice(0, mostStored);
  }

  /** Returns the marks of the members whose turn does not copy the member, in the memory of `batch`. */
  marksIn(batch: Batch): Marks {
    if (this.batch !== batch) {
      const marks = [...this.others].map(([name, store]) => ({ id: batch.intern(name), mark: this.markOf(store) }));
      const count = Math.max(...marks.map(({ id }) => id)) + 1;
      const address = batch.take(count);
      const { u8 } = batch.module;
      u8.fill(0, address, address + count);
      for (const { id, mark } of marks) u8[address + id] = mark;
      this.laid = { address, count };
      this.batch = batch;
    }
    return this.laid;
  }

  private markOf(store: StoreTurn | null): number {
    const variable = store === null ? -1 : this.stored.indexOf(store.slot);
    return variable < 0 ? MARK_STOP : MARK_STORED * (variable + 1) + (store!.unlessMap ? MARK_SHORT : 0);
  }
}

/**
 * Marks of keys in WebAssembly memory: one byte for each key with an id below `count` (MARK_STOP and its neighbours in
 * assembly/script/layout.ts).
 */
export interface Marks {
  readonly address: number;
  readonly count: number;
}

/** Largest number of variables in which the turns of one loop store members. */
const mostStored = 16;

/**
 * Upper bounds for one turn (iteration of the loop): the number of steps and the number of bytes that it takes,
 * without the steps and bytes for the value of the member.
 */
const mostSteps = 8;
const mostBytes = 16;

/**
 * Copies members to the point, beginning with the member of the next turn (iteration of the loop), and skips the turns
 * of the copied members. A turn that only stores the member in a variable is run, too. Stops before a turn that may do
 * something else, or that JavaScript has to run.
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
  const { module } = point.batch;
  const marks = loop.marksIn(point.batch);
  const counts = module.scratch;
  const places = (counts + COPIED_STORED) >>> 2;
  const { stored } = loop;
  for (let at = 0; at < stored.length; at++) module.u32[places + at] = 0;
  const answer = map.copyMembers(point, turns.at, marks);
  const ran = answer & 0xff;
  run.steps -= ran * loop.steps + (answer >>> 8);
  const { u32 } = module;
  const texts = u32[(counts + COPIED_KEPT) >>> 2]! + u32[(counts + COPIED_NAMES) >>> 2]!;
  const kept = texts + u32[(counts + COPIED_COUNT) >>> 2]! * keyBytes;
  for (let at = 0; at < stored.length; at++) {
    const place = u32[places + at]!;
    if (place > 0) store(run, stored[at]!, map.valueAt(turns.at + place - 1));
  }
  turns.at += ran;
  if (kept > 0) memory.keep(kept);
}

/**
 * Assigns a value to a variable of the scope around the loop. When the variable does not exist yet, the assignment
 * would make a variable inside the loop, which no other statement reads; so nothing is done.
 */
function store(run: Run, slot: number, value: Value): void {
  if (run.locals[slot] !== undefined) run.locals[slot] = value;
}
