// Tier 2: generates a WebAssembly function that does the work of an expression's state table (tier 1). Only
// states that searched texts have visited become code. A transition becomes a branch, which the processor can
// predict; when the table is read instead, each load must wait for the previous load. The registers of the table
// become local variables. The code of a state is mostly followed by the code of its most frequent next state.
// The generated code compares 16 bytes at a time where bytes lead a state back to itself, and for byte runs that
// most texts contain. One call searches many lines. In rare cases the function writes registers, position and
// state to memory, and the search continues with the state table.

import { answer, machine, near } from "../automaton/table-layout.ts";
import { ByteCode } from "./byte-code.ts";
import { type ByteRun, byteRunAt } from "./byte-run.ts";
import { RegisterCode } from "./register-code.ts";
import {
  beginsByByte,
  type Effect,
  passedBytes,
  type State,
  type Table,
  type Visited,
  visitedPart,
  waysLeft,
} from "./visited.ts";
import { code, FunctionWriter, type Label } from "./wasm-writer.ts";

export interface Source extends Table {
  readonly slots: number;
  /**
   * Largest number of further start positions, after the first one, at which the generated code tries to
   * match. It tries them one by one. If it finds no match that begins at these positions, the kernel (the
   * search function in WebAssembly) searches for the start of the match.
   */
  readonly tries: number;
  /** Address in memory at which the kernel (the search function in WebAssembly) keeps the registers. */
  readonly registers: number;
  /** Stores bytes in memory permanently and returns their address. */
  readonly keep: (bytes: Uint8Array) => number;
}

export interface Generated {
  /**
   * The binary of a WebAssembly module with one function: (machine, at, end, base, out, row, lines, left) ->
   * answer. The function searches `left` lines for matches of the expression whose record (the machine) is at the
   * address `machine`. The memory at the address `lines` contains the start and end of each line. Reading begins
   * in the first line at the address `at`, in the state with the row `row`. The function stops at a line that does
   * not match, and at a line whose search the state table must continue. The result is one of the values of
   * `answer` (automaton/table-layout.ts).
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the function may be used only for texts that are known to be valid UTF-8. */
  readonly wide: boolean;
}

/**
 * A byte run is a sequence of bytes with which nearly all texts continue after a state. A byte run gets generated code
 * when at least one in `BYTE_RUN_WORTH` sample texts reaches that state.
 */
const BYTE_RUN_WORTH = 50;

// Indexes of the function's parameters, then of its local variables: first one for a vector, then those for integers.
// Local variables for registers hold addresses.
const MACHINE = 0;
const AT = 1;
const END = 2;
const BASE = 3;
const OUT = 4;
const ROW = 5;
const LINES = 6;
const LEFT = 7;
const PARAMETERS = 8;
const VECTOR = 8;
const VECTORS = 1;
const STATE = 9;
const BYTE = 10;
const FOUND = 11;
const START = 12;
const FROM = 13;
const FIRST_REGISTER = 14;

/**
 * Generates a function that searches with the expression, and returns it as a WebAssembly module. The function has code
 * only for the states that earlier searches have visited. Returns null when there are no such states.
 */
export function generate(source: Source): Generated | null {
  const visited = visitedPart(source);
  if (visited.states.length === 0) return null;
  return { bytes: new Generator(source, visited).run(), wide: visited.wide };
}

class Generator {
  private readonly source: Source;
  private readonly visited: Visited;
  private readonly out = new FunctionWriter();
  private readonly bytes: ByteCode;
  private readonly registers: RegisterCode;
  /**
   * For each state of the automaton: an estimate of how often its code would have run in the searches whose
   * transitions were counted. The code of a byte run takes the place of the code of the states between its bytes,
   * so the passes through these states are subtracted.
   */
  private readonly entered: Float64Array;
  private labels: readonly Label[] = [];
  private dispatch: Label = 0;
  private leave: Label = 0;
  private miss: Label = 0;
  private next: Label = 0;

  constructor(source: Source, visited: Visited) {
    this.source = source;
    this.visited = visited;
    this.registers = new RegisterCode(this.out, { at: AT, start: START, base: BASE, out: OUT }, FIRST_REGISTER);
    this.bytes = new ByteCode(this.out, { at: AT, end: END, byte: BYTE, vector: VECTOR }, source.keep);
    this.entered = Float64Array.from(visited.states, (state) =>
      waysLeft(state, passedBytes(state)).reduce((sum, { count }) => sum + count, 0),
    );
  }

  run(): Uint8Array<ArrayBuffer> {
    const { out } = this;
    const { states, byRow } = this.visited;
    const unknown = states.length;
    const rows = this.source.begins.map((entry) => entry & ~3);
    const known = out.begin(code.block);
    for (const row of new Set(rows)) {
      out.const(byRow.get(row)?.index ?? unknown).set(STATE);
      out.get(ROW).const(row).put(code.eq).brIf(known);
    }
    out.const(unknown).set(STATE);
    out.end();
    const line = out.begin(code.loop);
    out.get(AT).set(FROM);
    const attempt = out.begin(code.loop);
    out.get(AT).set(START).const(answer.no).set(FOUND);
    this.miss = out.begin(code.block);
    this.leave = out.begin(code.block);
    this.next = out.begin(code.block);
    this.dispatch = out.begin(code.loop);
    const labels = [unknown, ...states.map(({ index }) => unknown - 1 - index)].map(() => out.begin(code.block));
    this.labels = labels.reverse();
    out.get(STATE).brTable(this.labels);
    for (const state of states) {
      out.end();
      this.state(state);
    }
    out.end().br(this.leave);
    out.end().end();
    this.nextLine(line, rows[0] as number);
    out.end();
    this.writeBack();
    out.end();
    if (this.source.tries > 0) this.nextStart(attempt);
    this.store(machine.at, AT);
    this.store(machine.left, LEFT);
    this.store(machine.leftmost, START);
    out.const(answer.no).put(code.return);
    out.end().end().const(answer.no);
    return out.module(PARAMETERS, VECTORS, FIRST_REGISTER - PARAMETERS - VECTORS + this.registers.count);
  }

  /** Generates the code that goes on to the next line after a match. */
  private nextLine(line: Label, row: number): void {
    const { out } = this;
    out.get(LEFT).const(1).put(code.sub).tee(LEFT).put(code.eqz).begin(code.if);
    out.const(answer.yes).put(code.return);
    out.end();
    out
      .get(OUT)
      .const(this.source.slots * 4)
      .put(code.add)
      .set(OUT);
    out.get(LINES).const(8).put(code.add).tee(LINES).load().get(BASE).put(code.add).set(AT);
    out.get(LINES).load(4).get(BASE).put(code.add).set(END);
    out.const(row).set(ROW);
    out.const(this.visited.byRow.get(row)?.index ?? this.visited.states.length).set(STATE);
    out.br(line);
  }

  /**
   * Generates the code that runs when no match begins at the start position. The generated code tries the next start
   * position when that position is close to the first one and the failed try was short.
   */
  private nextStart(attempt: Label): void {
    const { out } = this;
    const indexes = beginsByByte(this.source.begins, this.visited);
    if (indexes === null) return;
    const far = out.begin(code.block);
    out.get(AT).get(START).put(code.sub).const(near.read).put(code.geU).brIf(far);
    out.get(START).get(FROM).put(code.sub).const(this.source.tries).put(code.geU).brIf(far);
    out.get(START).get(END).put(code.geU).brIf(far);
    out
      .get(START)
      .load8()
      .load8(this.bytes.keep(indexes))
      .tee(STATE)
      .const(indexes[0x80] as number)
      .put(code.eq)
      .brIf(far);
    out.get(START).const(1).put(code.add).set(AT);
    out.br(attempt);
    out.end();
  }

  /**
   * Generates code that writes registers, position and state to memory, so that the search can continue with the state
   * table.
   */
  private writeBack(): void {
    const { out } = this;
    this.registers.writeBack(this.source.registers);
    this.store(machine.at, AT);
    this.store(machine.row, ROW);
    this.store(machine.found, FOUND);
    this.store(machine.leftmost, START);
    this.store(machine.left, LEFT);
    out.const(answer.left).put(code.return);
  }

  private store(word: number, local: number): void {
    this.out
      .get(MACHINE)
      .get(local)
      .store(word * 4);
  }

  private state(state: State): void {
    const { out } = this;
    const passed = passedBytes(state);
    const byteRun = this.byteRun(state, passed);
    const ways = waysLeft(state, passed);
    const loops = byteRun?.next === state.row || ways.some(({ next }) => next === state.row);
    const self = loops ? out.begin(code.loop) : null;
    if (passed !== null) this.bytes.pass(passed);
    if (byteRun !== null) this.checkByteRun(byteRun, state, self);
    out.get(AT).get(END).put(code.geU).begin(code.if);
    if (passed !== null) out.get(END).set(AT);
    if (state.atEnd === null) this.bail(state);
    else this.take(state.atEnd, state, self);
    out.end();
    const tests = this.bytes.tests(ways.map(({ set }) => set));
    ways.forEach((way, number) => {
      tests[number]?.();
      out.begin(code.if);
      this.take(way, state, self);
      out.end();
    });
    this.bail(state);
    if (loops) out.end();
  }

  /**
   * Returns the byte run (bytes with which nearly all texts continue) that the generated code checks at a state.
   * Returns null when the state has no byte run, or when too few sample texts reach the state for the check to be
   * worthwhile.
   */
  private byteRun(state: State, passed: Uint8Array | null): ByteRun | null {
    const { entered, visited } = this;
    const its = entered[state.index] as number;
    if (its * BYTE_RUN_WORTH < (entered[0] as number)) return null;
    const byteRun = byteRunAt(state, passed, visited, (other) => passedBytes(other) !== null);
    for (const [row, share] of byteRun?.within ?? []) {
      const { index } = visited.byRow.get(row) as State;
      entered[index] = (entered[index] as number) - its * share;
    }
    return byteRun;
  }

  private checkByteRun({ steps, next }: ByteRun, state: State, self: Label | null): void {
    const { out } = this;
    const other = out.begin(code.block);
    // AT (the current address) may lie after END (the end of the text), so the result of the subtraction may be
    // negative.
    out.get(END).get(AT).put(code.sub).const(steps.length).put(code.ltS).brIf(other);
    this.bytes.outside(steps);
    out.brIf(other);
    steps.forEach(({ moves }, i) => {
      this.registers.move(moves, i);
    });
    out.get(AT).const(steps.length).put(code.add).set(AT);
    this.goTo(next, state, self);
    out.end();
  }

  private take({ next, accept, moves }: Effect, state: State, self: Label | null): void {
    const { out } = this;
    if (accept !== 0) {
      const { words, slots } = this.source;
      this.registers.accept(words.subarray(accept >> 2, (accept >> 2) + slots));
      if (next !== 0) out.const(answer.yes).set(FOUND);
    }
    if (next === 0) {
      if (accept === 0) out.get(FOUND).put(code.eqz).brIf(this.miss);
      out.br(this.next);
      return;
    }
    this.registers.move(moves, 0);
    out.get(AT).const(1).put(code.add).set(AT);
    this.goTo(next, state, self);
  }

  private goTo(row: number, state: State, self: Label | null): void {
    const { index } = this.visited.byRow.get(row) as State;
    if (row === state.row) this.out.br(self as Label);
    else if (index > state.index) this.out.br(this.labels[index] as Label);
    else this.out.const(index).set(STATE).br(this.dispatch);
  }

  /**
   * Generates code that returns from the function and reports the row of the state. The state table then continues
   * the search in this state.
   */
  private bail({ row }: State): void {
    this.out.const(row).set(ROW).br(this.leave);
  }
}
