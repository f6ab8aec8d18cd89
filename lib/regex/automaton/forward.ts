// Tier 1, forward: a tagged automaton with one byte of look-ahead, made state by state as texts ask for them (Laurikari's
// construction; "A closer look at TDFA", arXiv 2206.01398). It matches at a given start only, so that no way begins later than
// another. A state is the list of instructions reached by the last byte, in order of preference, each with the registers that
// hold its tags. What is passed without consuming is followed only when the next byte is known: ways that the byte ends cost
// neither states nor registers.

import { type Closure, ClosureMaker, type Passed, type Way } from "./closure.ts";
import { type Kind, kind, kindOf, placesAhead, seenBefore, seenBehind } from "./context.ts";
import type { Program } from "./program.ts";
import { FIRST_TAG, MATCH_END, MATCH_START } from "./slots.ts";
import { type Resolution, Table } from "./table.ts";
import { entry, register, registers } from "./table-layout.ts";
import type { TableMemory } from "./table-memory.ts";

/** Registers by tag, `register.never` for a tag that was not passed. */
type Registers = Int32Array;

interface State {
  readonly row: number;
  readonly items: Int32Array;
  /** By item: index into `vectors`. */
  readonly vectorOf: Int32Array;
  readonly vectors: readonly Registers[];
  readonly before: Kind;
  /** Kinds of places that may be asked for before the next byte. */
  readonly places: number;
  readonly closures: (Closure | undefined)[];
  accepts: boolean | null;
}

interface Move {
  readonly to: number;
  readonly from: number;
}

/** Time that a vector and a move take, in visits of an instruction. */
const VECTOR_WORK = 16;
const MOVE_WORK = 16;

/** Stands in a vector for the position itself, before registers are given out. */
const HERE = register.here;

export class Forward {
  readonly table: Table;
  private readonly program: Program;
  private readonly closures: ClosureMaker;
  private readonly ahead: Uint8Array;
  private states: State[] = [];
  private known = new Map<string, State>();
  private accepts = new Map<string, number>();
  /** Registers that would be needed are more than there are. */
  private overflow = false;

  constructor(program: Program, memory: TableMemory) {
    this.program = program;
    this.table = new Table(program, memory, false);
    this.closures = new ClosureMaker(program);
    this.ahead = placesAhead(program);
  }

  /** The entry to begin with, behind the byte `before`, -1 at the text's start. */
  begin(before: number): number {
    const never = new Int32Array(this.program.tags).fill(register.never);
    const its = kindOf(before);
    return this.table.leadingTo(this.stateFor([this.program.start], [0], [never], its).row);
  }

  /** Fills in a missing entry. */
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
    // A match that the next state's way out stores again, wherever it leads, is not stored here.
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

  /** Whether every way out of the state passes a match, whatever comes next. */
  private alwaysAccepts(state: State): boolean {
    if (state.accepts === null) {
      const kinds = [kind.edge, kind.newline, kind.word, kind.other];
      state.accepts = kinds.every((behind) => this.closureOf(state, behind).match !== null);
    }
    return state.accepts;
  }

  /** The tags' values behind a way, HERE for those that it passed. */
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
   * Gives each tag's values registers in the order in which they occur: its first value always has the same register, so that
   * equal states are found equal and most transitions move nothing.
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
 * Orders moves that are meant to happen at once, in time linear in their number: none overwrites what a later one reads; cycles
 * go through the spare register. Every register is written by one move at most.
 */
function inOrder(moves: readonly Move[]): number[] {
  const result: number[] = [];
  /** By register: the moves left that read it, and the one left that writes it. */
  const readers = new Map<number, number>();
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
  // The moves left are cycles: every register of theirs is read once.
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
