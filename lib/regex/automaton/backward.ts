// The backward table of tier 1 (state tables that are built while texts are read). It reads a text from its end
// and finds the positions at which a match starts. A state is the set of instructions that the backward program
// has reached, without an order of preference and without capture tags, so there are few states. A new thread
// (simulated run of the program) starts at every position, because a match may end anywhere. The smallest
// position that is found is the start of the leftmost match.

import { type Closure, ClosureMaker } from "./closure.ts";
import { type Kind, kind, kindOf, placesAhead, seenBefore, seenBehind } from "./context.ts";
import type { Program } from "./program.ts";
import { type Resolution, Table } from "./table.ts";
import { entry } from "./table-layout.ts";
import type { TableMemory } from "./table-memory.ts";

interface State {
  readonly row: number;
  /** The instructions that the automaton has reached after the bytes read so far, in ascending order. */
  readonly items: Int32Array;
  readonly before: Kind;
  readonly places: number;
  readonly closures: (Closure | undefined)[];
}

/**
 * The threads (simulated runs of the automaton) that start at one position. When a text is read backward,
 * threads start at every position, because a match may end anywhere. The threads of a position depend only on
 * the bytes next to it, so they are computed once for each combination of the kinds of these bytes.
 */
interface Fresh {
  readonly closure: Closure;
  /**
   * For each column of the state table (a class of bytes): the instructions that the threads reach when they read a
   * byte of this class.
   */
  readonly reached: (readonly number[] | undefined)[];
}

export class Backward {
  readonly table: Table;
  private readonly program: Program;
  private readonly closures: ClosureMaker;
  private readonly ahead: Uint8Array;
  private states: State[] = [];
  /** Maps the hash of a state's instructions to all states with this hash, so that equal states are found. */
  private known = new Map<number, State[]>();
  private readonly reached: Reached;
  private readonly fresh: (Fresh | undefined)[] = [];

  constructor(program: Program, memory: TableMemory) {
    this.program = program;
    this.table = new Table(program, memory, true);
    this.closures = new ClosureMaker(program);
    this.ahead = placesAhead(program);
    this.reached = new Reached(program.ops.length);
  }

  /** Returns the table entry for the state in which the backward reading begins, at the end of the text. */
  begin(): number {
    return this.table.leadingTo(this.stateFor(new Int32Array(0), kind.edge).row);
  }

  resolve(row: number, column: number): Resolution {
    const { table } = this;
    if (table.isSpent) return "spent";
    if (table.isFull) {
      this.forget();
      table.flush();
      return "flushed";
    }
    const before = this.closures.work;
    this.fill(this.states[table.stateOf(row)] as State, column);
    table.work += this.closures.work - before;
    return "resolved";
  }

  free(): void {
    this.forget();
    this.table.free();
  }

  private forget(): void {
    this.states = [];
    this.known = new Map();
  }

  private fill(state: State, column: number): void {
    const { table } = this;
    const byte = table.sample(column);
    const behind = seenBehind(kindOf(byte), state.places);
    const own = this.closureOf(state, behind);
    const fresh = this.freshWays(state.before, behind);
    const matches = own.match !== null || fresh?.closure.match != null;
    if (byte < 0) {
      table.setEntry(state.row, column, matches ? table.addRecord(state.row, 1, []) : entry.dead);
      return;
    }
    this.reached.clear();
    if (fresh !== null) for (const to of this.freshReached(fresh, column, byte)) this.reached.add(to);
    for (const { pc } of own.ways) {
      const to = this.closures.step(pc, byte);
      if (to >= 0) this.reached.add(to);
    }
    const next = this.stateFor(this.reached.sorted(), kindOf(byte));
    if (matches) table.setEntry(state.row, column, table.addRecord(table.leadingTo(next.row), 1, []));
    else if (next === state) table.addLoop(state.row, column);
    else table.setEntry(state.row, column, table.leadingTo(next.row));
  }

  private closureOf(state: State, behind: Kind): Closure {
    let closure = state.closures[behind];
    if (closure === undefined) {
      closure = this.closures.make(state.items, state.before, behind, false);
      state.closures[behind] = closure;
    }
    return closure;
  }

  /**
   * Returns the threads (simulated runs of the automaton) that start at a position between two bytes. `before` is the
   * kind of the byte that was read last, and `behind` the kind of the next byte; reading goes backward. Returns null
   * inside a character, where no match can end.
   */
  private freshWays(before: Kind, behind: Kind): Fresh | null {
    if (before === kind.tail) return null;
    const key = before * 8 + behind;
    let fresh = this.fresh[key];
    if (fresh === undefined) {
      fresh = { closure: this.closures.make([this.program.start], before, behind, false), reached: [] };
      this.fresh[key] = fresh;
    }
    return fresh;
  }

  private freshReached({ closure, reached }: Fresh, column: number, byte: number): readonly number[] {
    let its = reached[column];
    if (its === undefined) {
      its = closure.ways.map(({ pc }) => this.closures.step(pc, byte)).filter((to) => to >= 0);
      reached[column] = its;
    }
    return its;
  }

  private stateFor(items: Int32Array, last: Kind): State {
    let places = this.ahead[this.program.start] as number;
    for (const pc of items) places |= this.ahead[pc] as number;
    const before = last === kind.tail ? last : seenBefore(last, places);
    const alike = hashOf(items, before);
    const known = this.known.get(alike) ?? [];
    let state = known.find((other) => other.before === before && areEqual(other.items, items));
    if (state === undefined) {
      state = { row: this.table.addRow(), items, before, places, closures: [] };
      this.states.push(state);
      known.push(state);
      this.known.set(alike, known);
    }
    return state;
  }
}

/** A set of instructions that can be emptied in constant time (the sparse set of Briggs and Torczon). */
class Reached {
  private readonly members: Int32Array;
  private readonly placeOf: Int32Array;
  private count = 0;

  constructor(size: number) {
    this.members = new Int32Array(size);
    this.placeOf = new Int32Array(size);
  }

  clear(): void {
    this.count = 0;
  }

  add(pc: number): void {
    const place = this.placeOf[pc] as number;
    if (place < this.count && this.members[place] === pc) return;
    this.placeOf[pc] = this.count;
    this.members[this.count++] = pc;
  }

  sorted(): Int32Array {
    return this.members.slice(0, this.count).sort();
  }
}

function hashOf(items: Int32Array, before: Kind): number {
  let hash = before + 1;
  for (const item of items) hash = Math.imul(hash ^ item, 0x01000193);
  return hash;
}

function areEqual(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
