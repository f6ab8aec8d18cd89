// The forward table of tier 1 (state tables): a tagged automaton with one byte of look-ahead, whose states are
// built when texts need them (Laurikari's construction; "A closer look at TDFA", arXiv 2206.01398). The
// automaton matches only at a given start, so all its threads (simulated runs) start at the same position. A
// state is the list of instructions that are reached after the last byte, in order of preference; each
// instruction has registers, which contain the offsets of its capture tags. Instructions that consume nothing
// are followed only when the next byte is known. So a thread that cannot continue with the next byte needs no
// state and no registers.

import { type Closure, ClosureMaker, type Passed, type Way } from "./closure.ts";
import { type Kind, kind, kindOf, placesAhead, seenBefore, seenBehind } from "./context.ts";
import type { Program } from "./program.ts";
import { FIRST_TAG, MATCH_END, MATCH_START } from "./slots.ts";
import { type Resolution, Table } from "./table.ts";
import { entry, register, registers } from "./table-layout.ts";
import type { TableMemory } from "./table-memory.ts";

/**
 * A register vector: for each capture tag, the number of the register that holds the tag's offset. `register.never`
 * stands for a tag that this thread (simulated run) did not pass.
 */
type Registers = Int32Array;

interface State {
  readonly row: number;
  readonly items: Int32Array;
  /** For each instruction of the state, the index of its register vector in the list `vectors`. */
  readonly vectorOf: Int32Array;
  readonly vectors: readonly Registers[];
  readonly before: Kind;
  /** Mask of the assertions (`^`, `\b` and so on) that may be checked before the next byte is read. */
  readonly places: number;
  readonly closures: (Closure | undefined)[];
  accepts: boolean | null;
}

interface Move {
  readonly to: number;
  readonly from: number;
}

/**
 * Amounts of work that are counted for a register vector and for a move between registers. A visited instruction
 * counts as 1.
 */
const VECTOR_WORK = 16;
const MOVE_WORK = 16;

/**
 * Number of a register that stands for the current position of the search. A capture tag has this value when its offset
 * is the current position and has not been copied to a register of its own yet.
 */
const HERE = register.here;

export class Forward {
  readonly table: Table;
  private readonly program: Program;
  private readonly closures: ClosureMaker;
  private readonly ahead: Uint8Array;
  private states: State[] = [];
  private known = new Map<string, State>();
  private accepts = new Map<string, number>();
  /** Whether a state needed more registers than the memory for registers can store. */
  private overflow = false;

  constructor(program: Program, memory: TableMemory) {
    this.program = program;
    this.table = new Table(program, memory, false);
    this.closures = new ClosureMaker(program);
    this.ahead = placesAhead(program);
  }

  /**
   * Returns the table entry for the state in which reading begins after the byte `before`; -1 stands for the start
   * of the text.
   */
  begin(before: number): number {
    const never = new Int32Array(this.program.tags).fill(register.never);
    const its = kindOf(before);
    return this.table.leadingTo(this.stateFor([this.program.start], [0], [never], its).row);
  }

  /** Computes an entry of the state table that is still missing. */
  resolve(row: number, column: number): Resolution {
    const { table } = this;
    if (table.isSpent || this.overflow) return "spent";
    if (table.isFull) {
      this.forget();
      table.flush();
      return "flushed";
    }
    const before = this.closures.work;
    this.fill(this.states[table.stateOf(row)] as State, column);
    table.work += this.closures.work - before;
    return this.overflow ? "spent" : "resolved";
  }

  free(): void {
    this.forget();
    this.table.free();
  }

  private forget(): void {
    this.states = [];
    this.known = new Map();
    this.accepts = new Map();
  }

  private fill(state: State, column: number): void {
    const { table } = this;
    const byte = table.sample(column);
    const { ways, match } = this.closureOf(state, kindOf(byte));
    const accept = match === null ? 0 : this.acceptMap(state, match.item, match.passed);
    const items: number[] = [];
    const vectorOf: number[] = [];
    const vectors: Registers[] = [];
    const taken = new Set<number>();
    const known = new Map<string, number>();
    if (byte >= 0) {
      let last: Omit<Way, "pc"> | undefined;
      let index = 0;
      for (const { pc, item, passed } of ways) {
        const to = this.closures.step(pc, byte);
        if (to < 0 || taken.has(to)) continue;
        taken.add(to);
        items.push(to);
        if (last?.item !== item || last.passed !== passed) {
          const vector = this.after(state, item, passed);
          const key = vector.join();
          index = known.get(key) ?? vectors.push(vector) - 1;
          known.set(key, index);
          last = { item, passed };
        }
        vectorOf.push(index);
      }
    }
    if (items.length === 0) {
      table.setEntry(state.row, column, accept === 0 ? entry.dead : table.addRecord(0, accept, []));
      return;
    }
    const { renamed, moves } = this.assign(vectors);
    table.work += 2 * items.length + vectors.length * (this.program.tags + VECTOR_WORK) + moves.length * MOVE_WORK;
    const next = this.stateFor(items, vectorOf, renamed, kindOf(byte));
    // When every transition out of the next state stores a match, that match at once replaces a match that ends at
    // this position. In this case the match at this position is not stored.
    const stored = accept !== 0 && !this.alwaysAccepts(next) ? accept : 0;
    if (stored !== 0 || moves.length > 0)
      table.setEntry(state.row, column, table.addRecord(table.leadingTo(next.row), stored, moves));
    else if (next === state) table.addLoop(state.row, column);
    else table.setEntry(state.row, column, table.leadingTo(next.row));
  }

  private closureOf(state: State, behind: Kind): Closure {
    const seen = seenBehind(behind, state.places);
    let closure = state.closures[seen];
    if (closure === undefined) {
      closure = this.closures.make(state.items, state.before, seen, true);
      state.closures[seen] = closure;
    }
    return closure;
  }

  /** Returns whether every transition out of the state stores a match, whatever the next byte is. */
  private alwaysAccepts(state: State): boolean {
    if (state.accepts === null) {
      const kinds = [kind.edge, kind.newline, kind.word, kind.other];
      state.accepts = kinds.every((behind) => this.closureOf(state, behind).match !== null);
    }
    return state.accepts;
  }

  /**
   * Returns the register vector at the end of a path through the program. It is the vector at the start of the path,
   * with HERE (the current position) for each capture tag on the path.
   */
  private after(state: State, item: number, passed: Passed | null): Registers {
    const values = (state.vectors[state.vectorOf[item] as number] as Registers).slice();
    for (let way = passed; way !== null; way = way.before) values[way.tag] = HERE;
    return values;
  }

  private acceptMap(state: State, item: number, passed: Passed | null): number {
    const values = this.after(state, item, passed);
    const words = this.program.slots.map(({ base, distance }) => {
      let from: number = register.never;
      if (base === MATCH_END) from = register.end;
      else if (base === MATCH_START) from = register.start;
      else if (base >= FIRST_TAG) from = values[base - FIRST_TAG] as number;
      return ((from === HERE ? register.end : from) << 16) | (distance & 0xffff);
    });
    const key = words.join();
    let address = this.accepts.get(key);
    if (address === undefined) {
      address = this.table.addWords(words);
      this.accepts.set(key, address);
    }
    return address;
  }

  /**
   * Assigns a register to each different value of a capture tag, in the order of the vectors. The first value of a
   * tag always gets the same register. For this reason, equal states can be recognized, and most transitions need
   * no moves between registers.
   */
  private assign(vectors: readonly Registers[]): { renamed: Registers[]; moves: number[] } {
    const { tags } = this.program;
    const renamed = vectors.map((vector) => new Int32Array(vector.length));
    const moves: Move[] = [];
    for (let tag = 0; tag < tags; tag++) {
      const versions = new Map<number, number>();
      vectors.forEach((vector, i) => {
        const value = vector[tag] as number;
        let its = value === register.never ? value : versions.get(value);
        if (its === undefined) {
          its = register.first + versions.size * tags + tag;
          versions.set(value, its);
          if (its !== value) moves.push({ to: its, from: value });
        }
        (renamed[i] as Registers)[tag] = its;
        if (its >= registers) this.overflow = true;
      });
    }
    return { renamed, moves: inOrder(moves) };
  }

  private stateFor(items: readonly number[], vectorOf: readonly number[], vectors: Registers[], last: Kind): State {
    let places = 0;
    for (const pc of items) places |= this.ahead[pc] as number;
    const before = seenBefore(last, places);
    const key = `${before};${items.join()};${vectorOf.join()};${vectors.join(";")}`;
    let state = this.known.get(key);
    if (state === undefined) {
      state = {
        row: this.table.addRow(),
        items: Int32Array.from(items),
        vectorOf: Int32Array.from(vectorOf),
        vectors,
        before,
        places,
        closures: [],
        accepts: null,
      };
      this.states.push(state);
      this.known.set(key, state);
    }
    return state;
  }
}

/**
 * Orders register moves that must all take effect at the same time, so that no move overwrites a register that a later
 * move reads. Each register is the target of at most one of the given moves. Moves that form a cycle use one additional
 * register, the spare register. The time is linear in the number of moves.
 */
function inOrder(moves: readonly Move[]): number[] {
  const result: number[] = [];
  /** For each register: the number of remaining register moves that read from it. */
  const readers = new Map<number, number>();
  /** For each register: the remaining register move that writes to it. */
  const writers = new Map<number, Move>();
  for (const move of moves) {
    if (move.from === HERE) continue;
    readers.set(move.from, (readers.get(move.from) ?? 0) + 1);
    writers.set(move.to, move);
  }
  const free = [...writers.values()].filter(({ to }) => !readers.has(to));
  for (const { to, from } of free) {
    result.push((to << 16) | from);
    writers.delete(to);
    const left = (readers.get(from) as number) - 1;
    readers.set(from, left);
    const writer = writers.get(from);
    if (left === 0 && writer !== undefined) free.push(writer);
  }
  // The remaining register moves form cycles, in which each register is read once. In each cycle, the spare register
  // keeps the value that is overwritten first.
  for (const first of writers.values()) {
    result.push((register.spare << 16) | first.to);
    let move: Move | undefined = first;
    while (move !== undefined) {
      writers.delete(move.to);
      const next = writers.get(move.from);
      result.push((move.to << 16) | (next === undefined ? register.spare : move.from));
      move = next;
    }
  }
  for (const { to, from } of moves) if (from === HERE) result.push((to << 16) | HERE);
  return result;
}
