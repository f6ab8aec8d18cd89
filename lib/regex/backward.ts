// Tier 1, backward: reads a text from its end and tells at which positions a match starts. Its states are sets of instructions
// of the mirrored program, without order and tags, so they are few; a new way begins at every position, since a match may end
// anywhere. The smallest such position is where the leftmost match starts.

import { type Closure, ClosureMaker } from "./closure.ts";
import { type Kind, kind, kindOf, placesAhead, seenBefore, seenBehind } from "./context.ts";
import type { Program } from "./program.ts";
import { type Resolution, Table } from "./table.ts";
import { entry } from "./table-layout.ts";
import type { TableMemory } from "./table-memory.ts";

interface State {
  readonly row: number;
  /** What the last byte reached, in ascending order. */
  readonly items: Int32Array;
  readonly before: Kind;
  readonly places: number;
  readonly closures: (Closure | undefined)[];
}

export class Backward {
  readonly table: Table;
  private readonly program: Program;
  private readonly closures: ClosureMaker;
  private readonly ahead: Uint8Array;
  private states: State[] = [];
  private known = new Map<string, State>();

  constructor(program: Program, memory: TableMemory) {
    this.program = program;
    this.table = new Table(program, memory, true);
    this.closures = new ClosureMaker(program);
    this.ahead = placesAhead(program);
  }

  /** The entry to begin with at the text's end. */
  begin(): number {
    return this.table.leadingTo(this.stateFor([], kind.edge).row);
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
    const closure = this.closureOf(state, kindOf(byte));
    if (byte < 0) {
      table.setEntry(state.row, column, closure.match === null ? entry.dead : table.addRecord(state.row, 1, []));
      return;
    }
    const reached = new Set<number>();
    for (const { pc } of closure.ways) {
      const to = this.closures.step(pc, byte);
      if (to >= 0) reached.add(to);
    }
    const next = this.stateFor(
      [...reached].sort((x, y) => x - y),
      kindOf(byte),
    );
    if (closure.match !== null) table.setEntry(state.row, column, table.addRecord(table.leadingTo(next.row), 1, []));
    else if (next === state) table.addLoop(state.row, column);
    else table.setEntry(state.row, column, table.leadingTo(next.row));
  }

  private closureOf(state: State, behind: Kind): Closure {
    const seen = seenBehind(behind, state.places);
    let closure = state.closures[seen];
    if (closure === undefined) {
      // Behind a byte that continues a character (read backward: before it) no match ends.
      const items = state.before === kind.tail ? state.items : [...state.items, this.program.start];
      closure = this.closures.make(items, state.before, seen, false);
      state.closures[seen] = closure;
    }
    return closure;
  }

  private stateFor(items: readonly number[], last: Kind): State {
    let places = this.ahead[this.program.start] as number;
    for (const pc of items) places |= this.ahead[pc] as number;
    const before = last === kind.tail ? last : seenBefore(last, places);
    const key = `${before};${items.join()}`;
    let state = this.known.get(key);
    if (state === undefined) {
      state = { row: this.table.addRow(), items: Int32Array.from(items), before, places, closures: [] };
      this.states.push(state);
      this.known.set(key, state);
    }
    return state;
  }
}
