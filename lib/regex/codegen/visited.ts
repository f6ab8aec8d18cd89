// Reads from a forward state table those states that texts have visited, in the form that the code generator
// needs: each state with its transitions, the most frequent first. Table entries with the same effect count as
// one transition, even when they contain different addresses.

import { type ByteClasses, kindOf } from "../automaton/context.ts";
import { record, row, entry as special } from "../automaton/table-layout.ts";

/**
 * How often each transition was taken. The map is from the address of a state's row in the state table to an
 * array, which has one count for each column (class of bytes).
 */
export type Profile = ReadonlyMap<number, Int32Array>;

/** The forward state table, and the counts of its transitions, from which code is generated. */
export interface Table {
  readonly words: Int32Array;
  readonly classes: ByteClasses;
  readonly endColumn: number;
  readonly profile: Profile;
  /**
   * The start entries of the state table: one for each kind of byte before the start position. The entry for the
   * start of the text comes first.
   */
  readonly begins: readonly number[];
}

/** The effect of taking a transition: the next state, the register moves, and whether a match is stored. */
export interface Effect {
  /** Address of the next state's row in the state table; 0 when there is no next state. */
  readonly next: number;
  /** Address of the accept map, which says how to store a match; 0 when there is no match. */
  readonly accept: number;
  readonly moves: readonly number[];
  /**
   * A string that identifies the register moves of the transition: two transitions have the same string when their
   * moves are the same.
   */
  readonly movesKey: string;
}

export interface Way extends Effect {
  /** For each byte value: 1 when the byte takes this transition. */
  readonly set: Uint8Array;
  readonly count: number;
}

/** A range of byte values that take the same transition. */
export interface Run {
  readonly lo: number;
  readonly hi: number;
  readonly way: Way;
}

export interface State {
  readonly row: number;
  /** Index of the state in the list of all visited states. */
  readonly index: number;
  readonly ways: readonly Way[];
  /** The ranges of byte values with their transitions, in ascending order. */
  readonly runs: readonly Run[];
  /**
   * For each byte value: how often this byte was read next in this state. The number is an estimate where the state
   * table does not distinguish bytes.
   */
  readonly weights: Float64Array;
  /**
   * The effect of reaching the end of the text in this state; null when none of the searched texts has ended in this
   * state.
   */
  readonly atEnd: Effect | null;
}

export interface Visited {
  /**
   * The states, ordered so that a state's most frequent transition mostly leads to the state that follows in the list.
   */
  readonly states: readonly State[];
  readonly byRow: ReadonlyMap<number, State>;
  /**
   * Whether transitions for bytes that are not ASCII become code. Such code may be used only for texts that are known
   * to be valid UTF-8. Other code stops at the first byte that is not ASCII, so any later bytes may be invalid.
   */
  readonly wide: boolean;
}

const MAX_STATES = 400;
const MAX_WAYS = 12;

/**
 * Ratio above which the code for a state skips bytes 16 at a time. The ratio is the number of bytes that led
 * back to the state, divided by the number of all other bytes that were read in the state.
 */
const PASS_WORTH = 0.4;

/**
 * Transitions for bytes that are not ASCII become code when they are at least one in `WIDE` of the counted
 * transitions.
 */
const WIDE = 1000;

export function visitedPart(table: Table): Visited {
  const rows = orderOf(table);
  const included = new Set(rows);
  const wide = isWide(table);
  const states = rows.map((address, index) => stateOf(table, address, index, included, wide));
  return { states, byRow: new Map(states.map((state) => [state.row, state])), wide };
}

/**
 * Returns the state table rows of the visited states in reverse postorder. The most frequent transition is visited
 * last, so that its target comes next in the result.
 */
function orderOf({ profile, begins, words }: Table): number[] {
  const hot = [...profile]
    .map(([address, counts]) => ({ address, total: counts.reduce((sum, count) => sum + count, 0) }))
    .sort((a, b) => b.total - a.total)
    .slice(0, MAX_STATES);
  const included = new Set(hot.map(({ address }) => address));
  const seen = new Set<number>();
  const postorder: number[] = [];
  const visit = (address: number): void => {
    if (!included.has(address) || seen.has(address)) return;
    seen.add(address);
    const counts = profile.get(address) as Int32Array;
    const ways = Array.from(counts, (count, column) => ({ count, column })).filter(({ count }) => count > 0);
    ways.sort((a, b) => a.count - b.count);
    for (const { column } of ways) {
      const its = words[(address >> 2) + row.entries + column] as number;
      if (its !== special.missing) visit(effectOf(words, its).next);
    }
    postorder.push(address);
  };
  for (const begin of begins) visit(begin & ~3);
  return postorder.reverse();
}

function isWide({ profile, classes }: Table): boolean {
  let [all, wide] = [0, 0];
  for (const counts of profile.values())
    counts.forEach((count, column) => {
      all += count;
      if (column < classes.count && (classes.sample[column] as number) >= 0x80) wide += count;
    });
  return wide * WIDE > all;
}

function stateOf(
  { words, classes, endColumn, profile }: Table,
  address: number,
  index: number,
  included: ReadonlySet<number>,
  wide: boolean,
): State {
  const counts = profile.get(address) as Int32Array;
  const entries = (address >> 2) + row.entries;
  const ways = new Map<string, Way & { count: number }>();
  const weights = new Float64Array(256);
  const sizes = new Int32Array(classes.count);
  for (const column of classes.of) sizes[column] = (sizes[column] as number) + 1;
  const wayOf: (Way | undefined)[] = [];
  for (let column = 0; column < classes.count; column++) {
    const its = words[entries + column] as number;
    if (its === special.missing) continue;
    const effect = effectOf(words, its);
    if (effect.next !== 0 && !included.has(effect.next)) continue;
    const key = `${effect.next} ${effect.accept} ${effect.movesKey}`;
    const way = ways.get(key) ?? { ...effect, set: new Uint8Array(256), count: 0 };
    way.count += counts[column] as number;
    ways.set(key, way);
    wayOf[column] = way;
  }
  const runs: { lo: number; hi: number; way: Way }[] = [];
  for (let byte = 0; byte < (wide ? 256 : 128); byte++) {
    const column = classes.of[byte] as number;
    const way = wayOf[column];
    if (way === undefined) continue;
    way.set[byte] = 1;
    weights[byte] = (counts[column] as number) / (sizes[column] as number);
    const last = runs.at(-1);
    if (last?.way === way && last.hi === byte - 1) last.hi = byte;
    else runs.push({ lo: byte, hi: byte, way });
  }
  const end = words[entries + endColumn] as number;
  return {
    row: address,
    index,
    ways: [...ways.values()].filter(({ count, set }) => count > 0 && set.includes(1)).sort((x, y) => y.count - x.count),
    runs,
    weights,
    atEnd: end === special.missing ? null : effectOf(words, end),
  };
}

function effectOf(words: Int32Array, its: number): Effect {
  if (its === special.dead) return { next: 0, accept: 0, moves: [], movesKey: "" };
  if ((its & special.special) === 0) return { next: its & ~3, accept: 0, moves: [], movesKey: "" };
  const at = its >> 2;
  const start = at + record.moves;
  const moves = [...words.subarray(start, start + (words[at + record.count] as number))];
  return {
    next: (words[at + record.next] as number) & ~3,
    accept: words[at + record.accept] as number,
    moves,
    movesKey: moves.join(),
  };
}

function selfWay({ row, ways }: State): Way | undefined {
  return ways.find(({ next, accept, moves }) => next === row && accept === 0 && moves.length === 0);
}

/**
 * Returns the ASCII bytes that generated code should skip 16 at a time in a state; null when skipping is not worth its
 * cost.
 */
export function passedBytes(state: State): Uint8Array | null {
  const self = selfWay(state);
  if (self === undefined) return null;
  const others = state.ways.reduce((sum, { count }) => sum + count, 0) - self.count;
  const set = self.set.map((has, byte) => (byte < 0x80 ? has : 0));
  return self.count > others * PASS_WORTH && set.includes(1) ? set : null;
}

/**
 * Returns the transitions of a state, the most frequent first, without the bytes in the set `passed`, which other code
 * skips.
 */
export function waysLeft({ ways, weights }: State, passed: Uint8Array | null): Way[] {
  return ways
    .map((way) => {
      const set = way.set.map((has, byte) => (passed?.[byte] === 1 ? 0 : has));
      return { ...way, set, count: set.reduce((sum, has, byte) => sum + has * (weights[byte] as number), 0) };
    })
    .filter(({ set, count }) => count > 0 && set.includes(1))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_WAYS);
}

/**
 * Returns, for each value of the byte before a position, the index of the state in which reading begins at this
 * position. The number of states takes the place of the index when the caller must find the state itself: after
 * a byte from 0x80 on, and when no searched text has visited the state. Returns null when no searched text has
 * visited any of these states, or when there are more than 255 states.
 */
export function beginsByByte(begins: readonly number[], { byRow, states }: Visited): Uint8Array | null {
  const unknown = states.length;
  if (unknown > 255) return null;
  const indexes = begins.map((entry) => byRow.get(entry & ~3)?.index ?? unknown);
  if (indexes.slice(1).every((index) => index === unknown)) return null;
  return Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? (indexes[kindOf(byte)] as number) : unknown));
}
