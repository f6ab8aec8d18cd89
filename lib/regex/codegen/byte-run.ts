// Finds byte runs. A byte run is a sequence of byte ranges that begins at a state of the automaton: nearly all
// texts that reach this state continue with bytes of these ranges, and so reach one other state. An example is
// `:59:07 +0100] "` in a log line. The generated code checks with one vector comparison whether a text contains
// the run at the current position.

import type { Effect, State, Visited } from "./visited.ts";

export interface Step {
  /** Lowest and highest value of one byte in the run (a sequence of byte ranges), both inclusive. */
  readonly lo: number;
  readonly hi: number;
  readonly moves: readonly number[];
}

export interface ByteRun {
  readonly steps: readonly Step[];
  /** Address, in the state table, of the row of the state that the run (the byte sequence) leads to. */
  readonly next: number;
  /** Estimated share of texts that contain the run, among the texts that reach its first state. */
  readonly share: number;
  /**
   * Maps each state inside the run, given by the address of its row in the state table, to an estimated share:
   * among the texts that reach the first state of the run, the share that follows the run through this state.
   */
  readonly within: ReadonlyMap<number, number>;
}

const MOST = 16;
const LEAST = 3;
const LEAST_SHARE = 0.8;
/** Largest number of byte ranges that are tried in the search for the best byte run that begins at a state. */
const MAX_TRIES = 200;
/** Largest number of states in which the automaton may be, for different texts, at the same position of a byte run. */
const MAX_AT_ONCE = 4;

/**
 * Maps each state, given by the address of its row in the state table, to the share of the texts for which the
 * automaton is in this state.
 */
type Shares = ReadonlyMap<number, number>;

/**
 * Returns the best byte run that starts at a state; null when no run is worth its code. Texts whose next byte is in
 * `passed` are not considered, because other code skips these bytes.
 */
export function byteRunAt(
  state: State,
  passed: Uint8Array | null,
  { byRow }: Visited,
  stops: (state: State) => boolean,
): ByteRun | null {
  let best: ByteRun | null = null;
  let tries = 0;
  const steps: Step[] = [];
  const path: Shares[] = [];

  function offer(next: number, share: number): void {
    if (steps.length < LEAST) return;
    if (best !== null && best.share * best.steps.length >= share * steps.length) return;
    const within = new Map<number, number>();
    for (const shares of path) for (const [row, its] of shares) within.set(row, (within.get(row) ?? 0) + its);
    best = { steps: [...steps], next, share, within };
  }

  function search(shares: Shares, share: number): void {
    const [first, ...others] = [...shares.keys()];
    if (others.length === 0) offer(first as number, share);
    if (steps.length === MOST || ++tries > MAX_TRIES) return;
    const states = [...shares.keys()].map((row) => byRow.get(row) as State);
    if (steps.length > 0 && states.some(stops)) return;
    for (const range of ranges(states, shares, steps.length === 0 ? passed : null)) {
      if (share * range.share < LEAST_SHARE) continue;
      steps.push(range);
      path.push(range.shares);
      search(range.shares, share * range.share);
      steps.pop();
      path.pop();
    }
  }

  search(new Map([[state.row, 1]]), 1);
  if (best !== null) (best as ByteRun & { within: Map<number, number> }).within.delete((best as ByteRun).next);
  return best;
}

interface Range extends Step {
  readonly share: number;
  readonly shares: Shares;
}

/**
 * A range of byte values for a list of states. In each of the states, all bytes of the range take the same
 * transition. The transitions of different states may lead to different states, but they all change the
 * registers in the same way.
 */
interface Segment extends Step {
  readonly movesKey: string;
  /**
   * For each state of the list: the row (in the state table) of the state to which its transition leads, and
   * the share of the texts in this state whose next byte is in the range.
   */
  readonly ways: readonly { readonly next: number; readonly share: number }[];
}

/**
 * Returns up to two candidates for the next byte of the run. The first is the most frequent range of bytes whose
 * transitions have the same effect in all respects. The second is the most frequent range of bytes whose transitions
 * may lead to different states, but move registers in the same way.
 */
function ranges(states: readonly State[], shares: Shares, passed: Uint8Array | null): Range[] {
  const segments = segmentsOf(states, passed);
  const found: Range[] = [];
  for (const alike of [sameWay, sameMoves]) {
    let most: Range | null = null;
    for (let from = 0, to = 1; from < segments.length; from = to++) {
      while (to < segments.length && alike(segments[to - 1] as Segment, segments[to] as Segment)) to++;
      const range = join(segments.slice(from, to), states, shares);
      if (range.shares.size <= MAX_AT_ONCE && (most === null || range.share > most.share)) most = range;
    }
    if (most !== null && !found.some(({ lo, hi }) => lo === most.lo && hi === most.hi)) found.push(most);
  }
  return found;
}

function sameMoves(a: Segment, b: Segment): boolean {
  return a.hi + 1 === b.lo && a.movesKey === b.movesKey;
}

function sameWay(a: Segment, b: Segment): boolean {
  return sameMoves(a, b) && a.ways.every(({ next }, i) => next === b.ways[i]?.next);
}

function segmentsOf(states: readonly State[], passed: Uint8Array | null): Segment[] {
  const cuts = new Set<number>();
  for (const { runs } of states)
    for (const { lo, hi } of runs) {
      cuts.add(lo);
      cuts.add(hi + 1);
    }
  const bounds = [...cuts].sort((a, b) => a - b);
  const totals = states.map(({ weights }) =>
    weights.reduce((sum, its, byte) => sum + (isIn(passed, byte) ? 0 : its), 0),
  );
  const segments: Segment[] = [];
  for (let i = 1; i < bounds.length; i++) {
    const [lo, hi] = [bounds[i - 1] as number, (bounds[i] as number) - 1];
    const its = states.map(({ runs }) => runs.find((run) => run.lo <= lo && run.hi >= hi)?.way);
    const [way] = its;
    if (way === undefined || its.some((other) => other === undefined || other.next === 0 || other.accept !== 0))
      continue;
    if (its.some((other) => other?.movesKey !== way.movesKey) || isIn(passed, lo)) continue;
    const ways = states.map(({ weights }, number) => {
      let weight = 0;
      for (let byte = lo; byte <= hi; byte++) weight += weights[byte] as number;
      return { next: (its[number] as Effect).next, share: weight / (totals[number] || 1) };
    });
    segments.push({ lo, hi, moves: way.moves, movesKey: way.movesKey, ways });
  }
  return segments;
}

/**
 * Returns whether the byte is in the set `passed` (bytes that other code skips). Testing one byte of a range is enough,
 * because `passed` contains all or none of the bytes of a transition.
 */
function isIn(passed: Uint8Array | null, byte: number): boolean {
  return passed !== null && passed[byte] === 1;
}

function join(segments: readonly Segment[], states: readonly State[], shares: Shares): Range {
  let all = 0;
  const next = new Map<number, number>();
  for (const { ways } of segments)
    ways.forEach((way, number) => {
      const share = way.share * (shares.get((states[number] as State).row) as number);
      all += share;
      next.set(way.next, (next.get(way.next) ?? 0) + share);
    });
  for (const [row, share] of next) next.set(row, share / (all || 1));
  const { lo, moves } = segments[0] as Segment;
  return { lo, hi: (segments.at(-1) as Segment).hi, moves, share: all, shares: next };
}
