// Tier 2: a WebAssembly function from the part of a forward table that texts have visited. States become code: the way on is a
// branch that the processor predicts, not a load that waits for the one before; registers are locals; states lie in the order
// of the most frequent ways, so that most jumps go to what follows. Bytes that lead a state back to itself and stretches that
// most texts go are compared 16 at a time. The function reads line after line of a batch. At anything rare it writes registers,
// place and state back and the table goes on from there.

import { type ByteRange, rangesOf, stopMask } from "./byte-set.ts";
import { kindOf } from "./context.ts";
import { type Stretch, stretchAt } from "./stretch.ts";
import { answer, machine, near, register } from "./table-layout.ts";
import { type Effect, type State, type Table, type Visited, visitedPart, type Way } from "./visited.ts";
import { code, FunctionWriter, type Label, simd } from "./wasm-writer.ts";

export interface Source extends Table {
  readonly slots: number;
  /** Places behind the first one to try, one after the other, before the kernel searches for the place. */
  readonly tries: number;
  /** Address of the registers. */
  readonly registers: number;
  /** Puts bytes into memory that stays, gives the address. */
  readonly keep: (bytes: Uint8Array) => number;
}

export interface Generated {
  /**
   * A module of one function: (machine, at, end, base, out, row, lines, left) -> answer. It searches `left` lines, the first
   * one from `at` in the state of `row`; `lines` is the address of its bounds. It stops at a line that does not match or is to
   * be read on by the table.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the texts must be known to be valid UTF-8. */
  readonly wide: boolean;
}

const MAX_WAYS = 12;

/** A state is read 16 bytes at a time when so many bytes, on average, lead it back to itself. */
const SKIP_WORTH = 0.4;

/** A stretch is worth its code when one text in so many goes it. */
const STRETCH_WORTH = 50;

// Parameters, then locals: vectors, then numbers. Registers hold addresses.
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

/** Null when nothing was visited. */
export function generate(source: Source): Generated | null {
  const visited = visitedPart(source);
  if (visited.states.length === 0) return null;
  return { bytes: new Generator(source, visited).run(), wide: visited.wide };
}

class Generator {
  private readonly source: Source;
  private readonly visited: Visited;
  private readonly out = new FunctionWriter();
  /** Local of each register that a move sets. */
  private readonly locals = new Map<number, number>();
  /** Address by content. */
  private readonly kept = new Map<string, number>();
  /** By state: how many of the texts counted enter it outside of stretches, a guess. */
  private readonly entered: Float64Array;
  private labels: readonly Label[] = [];
  private dispatch: Label = 0;
  private leave: Label = 0;
  private miss: Label = 0;
  private next: Label = 0;

  constructor(source: Source, visited: Visited) {
    this.source = source;
    this.visited = visited;
    this.entered = Float64Array.from(visited.states, (state) => {
      const back = skipSet(state) === null ? 0 : (selfWay(state)?.count ?? 0);
      return state.ways.reduce((sum, { count }) => sum + count, 0) - back;
    });
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
    return out.module(PARAMETERS, VECTORS, FIRST_REGISTER - PARAMETERS - VECTORS + this.locals.size);
  }

  /** Behind a match: on to the next line. */
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

  /** No match begins at START: on to the next place, when it is close by and this one was soon done with. */
  private nextStart(attempt: Label): void {
    const { out } = this;
    const indexes = beginsByByte(this.source, this.visited);
    if (indexes === null) return;
    const far = out.begin(code.block);
    out.get(AT).get(START).put(code.sub).const(near.read).put(code.geU).brIf(far);
    out.get(START).get(FROM).put(code.sub).const(this.source.tries).put(code.geU).brIf(far);
    out.get(START).get(END).put(code.geU).brIf(far);
    out
      .get(START)
      .load8()
      .load8(this.keep(indexes))
      .tee(STATE)
      .const(indexes[0x80] as number)
      .put(code.eq)
      .brIf(far);
    out.get(START).const(1).put(code.add).set(AT);
    out.br(attempt);
    out.end();
  }

  /** Writes what the table needs to go on. */
  private writeBack(): void {
    const { out } = this;
    for (const [its, local] of [[register.start, START], ...this.locals] as const) {
      out.const(this.source.registers + its * 4);
      out.get(local).get(BASE).put(code.sub).store();
    }
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
    const skip = skipSet(state);
    const stretch = this.stretch(state, skip);
    const ways = remaining(state, skip);
    const loops = stretch?.next === state.row || ways.some(({ next }) => next === state.row);
    const self = loops ? out.begin(code.loop) : null;
    if (skip !== null) this.skip(skip);
    if (stretch !== null) this.goStretch(stretch, state, self);
    out.get(AT).get(END).put(code.geU).begin(code.if);
    if (skip !== null) out.get(END).set(AT);
    if (state.atEnd === null) this.bail(state);
    else this.take(state.atEnd, state, self);
    out.end();
    if (ways.length > 0) out.get(AT).load8().set(BYTE);
    const map = this.mapOf(ways);
    ways.forEach((way, number) => {
      this.test(way.set, map, number + 1);
      out.begin(code.if);
      this.take(way, state, self);
      out.end();
    });
    this.bail(state);
    if (loops) out.end();
  }

  /** Passes the bytes of a set; may stop behind the text's end. */
  private skip(set: Uint8Array): void {
    const { out } = this;
    const keep = (bytes: Uint8Array): number => this.keep(bytes);
    const stopped = out.begin(code.block);
    stopMask(out, set, AT, VECTOR, keep);
    out.tee(BYTE).brIf(stopped);
    const more = out.begin(code.loop);
    out.get(AT).const(16).put(code.add).tee(AT).get(END).put(code.ltU).begin(code.if);
    stopMask(out, set, AT, VECTOR, keep);
    out.tee(BYTE).put(code.eqz).brIf(more);
    out.put(code.else).const(1).set(BYTE);
    out.end().end().end();
    out.get(AT).get(BYTE).put(code.ctz).put(code.add).set(AT);
  }

  /** The stretch to try at a state, when enough texts come there. */
  private stretch(state: State, skip: Uint8Array | null): Stretch | null {
    const { entered, visited } = this;
    const its = entered[state.index] as number;
    if (its * STRETCH_WORTH < (entered[0] as number)) return null;
    const stretch = stretchAt(state, skip, visited, (other) => skipSet(other) !== null);
    for (const [row, share] of stretch?.within ?? []) {
      const { index } = visited.byRow.get(row) as State;
      entered[index] = (entered[index] as number) - its * share;
    }
    return stretch;
  }

  private goStretch({ steps, next }: Stretch, state: State, self: Label | null): void {
    const { out } = this;
    const other = out.begin(code.block);
    // AT may lie behind the end.
    out.get(END).get(AT).put(code.sub).const(steps.length).put(code.ltS).brIf(other);
    const lows = new Uint8Array(16);
    const widths = new Uint8Array(16).fill(0xff);
    steps.forEach(({ lo, hi }, i) => {
      lows[i] = lo;
      widths[i] = hi - lo;
    });
    out.get(AT).loadVector().vectorAt(this.keep(lows)).simd(simd.sub);
    out.vectorAt(this.keep(widths)).simd(simd.leU).simd(simd.bitmask).const(0xffff).put(code.ne).brIf(other);
    steps.forEach(({ moves }, i) => {
      this.move(moves, i);
    });
    out.get(AT).const(steps.length).put(code.add).set(AT);
    this.goTo(next, state, self);
    out.end();
  }

  private take({ next, accept, moves }: Effect, state: State, self: Label | null): void {
    const { out } = this;
    if (accept !== 0) {
      this.accept(accept);
      if (next !== 0) out.const(answer.yes).set(FOUND);
    }
    if (next === 0) {
      if (accept === 0) out.get(FOUND).put(code.eqz).brIf(this.miss);
      out.br(this.next);
      return;
    }
    this.move(moves, 0);
    out.get(AT).const(1).put(code.add).set(AT);
    this.goTo(next, state, self);
  }

  private goTo(row: number, state: State, self: Label | null): void {
    const { index } = this.visited.byRow.get(row) as State;
    if (row === state.row) this.out.br(self as Label);
    else if (index > state.index) this.out.br(this.labels[index] as Label);
    else this.out.const(index).set(STATE).br(this.dispatch);
  }

  /** Back to the table, in this state. */
  private bail({ row }: State): void {
    this.out.const(row).set(ROW).br(this.leave);
  }

  /** `ahead`: how far behind AT the place is. */
  private move(moves: readonly number[], ahead: number): void {
    const { out } = this;
    for (const move of moves) {
      const from = move & 0xffff;
      if (from !== register.here) out.get(this.local(from));
      else if (ahead === 0) out.get(AT);
      else out.get(AT).const(ahead).put(code.add);
      out.set(this.local(move >>> 16));
    }
  }

  private accept(map: number): void {
    const { out } = this;
    const { words, slots } = this.source;
    for (let slot = 0; slot < slots; slot++) {
      const source = words[(map >> 2) + slot] as number;
      const from = source >>> 16;
      const distance = (source << 16) >> 16;
      out.get(OUT);
      if (from === register.never) out.const(-1);
      else {
        out.get(from === register.end ? AT : from === register.start ? START : this.local(from));
        out.get(BASE).put(code.sub);
        if (distance !== 0) out.const(distance).put(code.add);
      }
      out.store(slot * 4);
    }
  }

  private local(its: number): number {
    let local = this.locals.get(its);
    if (local === undefined) {
      local = FIRST_REGISTER + this.locals.size;
      this.locals.set(its, local);
    }
    return local;
  }

  private keep(bytes: Uint8Array): number {
    const key = bytes.join();
    let address = this.kept.get(key);
    if (address === undefined) {
      address = this.source.keep(bytes);
      this.kept.set(key, address);
    }
    return address;
  }

  /** Address of a map from byte to the way's number, for the ways whose bytes make more than one range. */
  private mapOf(ways: readonly Way[]): number {
    if (ways.every(({ set }) => rangesOf(set).length === 1)) return 0;
    const bytes = new Uint8Array(256);
    ways.forEach(({ set }, number) => {
      set.forEach((has, byte) => {
        if (has === 1) bytes[byte] = number + 1;
      });
    });
    return this.keep(bytes);
  }

  private test(set: Uint8Array, map: number, number: number): void {
    const { out } = this;
    const ranges = rangesOf(set);
    const { lo, hi } = ranges[0] as ByteRange;
    out.get(BYTE);
    if (ranges.length > 1) out.load8(map).const(number).put(code.eq);
    else if (lo === hi) out.const(lo).put(code.eq);
    else
      out
        .const(lo)
        .put(code.sub)
        .const(hi - lo + 1)
        .put(code.ltU);
  }
}

/**
 * By the byte before a place: index of the state to begin in, that of byte 0x80 where the kernel has to decide. Null when there
 * is none.
 */
function beginsByByte({ begins }: Source, { byRow, states }: Visited): Uint8Array | null {
  const unknown = states.length;
  if (unknown > 255) return null;
  const indexes = begins.map((entry) => byRow.get(entry & ~3)?.index ?? unknown);
  if (indexes.slice(1).every((index) => index === unknown)) return null;
  return Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? (indexes[kindOf(byte)] as number) : unknown));
}

function selfWay({ row, ways }: State): Way | undefined {
  return ways.find(({ next, accept, moves }) => next === row && accept === 0 && moves.length === 0);
}

/** The ASCII bytes to pass 16 at a time, null when that is not worth while. */
function skipSet(state: State): Uint8Array | null {
  const self = selfWay(state);
  if (self === undefined) return null;
  const others = state.ways.reduce((sum, { count }) => sum + count, 0) - self.count;
  const set = self.set.map((has, byte) => (byte < 0x80 ? has : 0));
  return self.count > others * SKIP_WORTH && set.includes(1) ? set : null;
}

/** The ways left when the bytes of `skip` are passed, the most frequent first. */
function remaining({ ways, weights }: State, skip: Uint8Array | null): Way[] {
  return ways
    .map((way) => {
      const set = way.set.map((has, byte) => (skip?.[byte] === 1 ? 0 : has));
      return { ...way, set, count: set.reduce((sum, has, byte) => sum + has * (weights[byte] as number), 0) };
    })
    .filter(({ set, count }) => count > 0 && set.includes(1))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_WAYS);
}
