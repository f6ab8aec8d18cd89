// Tier 2: a WebAssembly function from the part of a forward table that texts have visited. States become code: the way on is a
// branch that the processor predicts, not a load that waits for the one before; registers are locals; states lie in the order
// of the most frequent ways, so that most jumps go to what follows. At anything rare the function writes registers, place and
// state back and the table goes on from there.

import type { ByteClasses } from "./context.ts";
import { answer, machine, record, register, row, skipWorth, entry as special } from "./table-layout.ts";
import { code, FunctionWriter, simd } from "./wasm-writer.ts";

/** How often each way was taken: by row, by column. */
export type Profile = ReadonlyMap<number, Int32Array>;

export interface Visited {
  readonly words: Int32Array;
  readonly classes: ByteClasses;
  readonly endColumn: number;
  readonly profile: Profile;
  /** First entries, by kind of the byte before. */
  readonly begins: readonly number[];
  readonly slots: number;
  /** Address of the registers. */
  readonly registers: number;
  /** Puts 256 bytes into memory that stays, gives the address. */
  readonly keep: (bytes: Uint8Array) => number;
}

const MAX_STATES = 400;
const MAX_BRANCHES = 8;

// Parameters, then locals: vectors, then numbers.
const MACHINE = 0;
const AT = 1;
const END = 2;
const BASE = 3;
const OUT = 4;
const ROW = 5;
const PARAMETERS = 6;
const INSIDE = 6;
const VECTORS = 1;
const STATE = 7;
const BYTE = 8;
const FOUND = 9;
const START = 10;
const FIRST_REGISTER = 11;

interface Branch {
  readonly entry: number;
  readonly set: Uint8Array;
  readonly count: number;
}

/** The module's bytes, null when nothing was visited. The function: (machine, at, end, base, out, row) -> answer. */
export function generate(visited: Visited): Uint8Array<ArrayBuffer> | null {
  const order = orderOf(visited);
  return order.length === 0 ? null : new Generator(visited, order).run();
}

/** Rows in reverse postorder, the most frequent way last to be left: it then comes next. */
function orderOf({ profile, begins, words }: Visited): number[] {
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
      const next = targetOf(words, words[(address >> 2) + row.entries + column] as number);
      if (next !== 0) visit(next);
    }
    postorder.push(address);
  };
  for (const begin of begins) visit(begin & ~3);
  return postorder.reverse();
}

/** The row that an entry leads to, 0 for none. */
function targetOf(words: Int32Array, entry: number): number {
  if (entry === special.missing || entry === special.dead) return 0;
  const next = (entry & special.special) === 0 ? entry : (words[(entry >> 2) + record.next] as number);
  return next & ~3;
}

class Generator {
  private readonly visited: Visited;
  private readonly order: readonly number[];
  private readonly indexOf: ReadonlyMap<number, number>;
  private readonly out = new FunctionWriter();
  /** Local of each register that a move sets. */
  private readonly locals = new Map<number, number>();
  private readonly maps = new Map<string, number>();

  constructor(visited: Visited, order: readonly number[]) {
    this.visited = visited;
    this.order = order;
    this.indexOf = new Map(order.map((address, index) => [address, index]));
  }

  run(): Uint8Array<ArrayBuffer> {
    const { out, order } = this;
    out.put(code.get, AT).put(code.get, BASE).put(code.sub).put(code.set, START);
    out.begin(code.block);
    this.enter();
    out.begin(code.loop);
    for (let i = 0; i < order.length; i++) out.begin(code.block);
    out.put(code.get, STATE).brTable([...order.keys(), 0]);
    order.forEach((address, index) => {
      out.put(code.end);
      this.state(address, index);
    });
    out.put(code.end).put(code.end);
    this.leave();
    return out.module(PARAMETERS, VECTORS, FIRST_REGISTER - PARAMETERS - VECTORS + this.locals.size);
  }

  /** Sets the state of the row that was asked for; a row without code is left at once. */
  private enter(): void {
    const { out } = this;
    out.begin(code.block);
    for (const begin of new Set(this.visited.begins.map((entry) => entry & ~3))) {
      const index = this.indexOf.get(begin);
      if (index === undefined) continue;
      out.const(index).put(code.set, STATE);
      out.put(code.get, ROW).const(begin).put(code.eq).put(code.brIf, 0);
    }
    out.put(code.br, 1).put(code.end);
  }

  /** Writes back what the table needs to go on. */
  private leave(): void {
    const { out } = this;
    for (const [register, local] of this.locals)
      out
        .const(this.visited.registers + register * 4)
        .put(code.get, local)
        .store();
    out
      .put(code.get, MACHINE)
      .put(code.get, AT)
      .store(machine.at * 4);
    out
      .put(code.get, MACHINE)
      .put(code.get, ROW)
      .store(machine.row * 4);
    out
      .put(code.get, MACHINE)
      .put(code.get, FOUND)
      .store(machine.found * 4);
    out.const(answer.left);
  }

  private state(address: number, index: number): void {
    const { out } = this;
    const { words, endColumn } = this.visited;
    const at = (address >> 2) + row.entries;
    out.begin(code.loop);
    this.skip(address);
    out.put(code.get, AT).put(code.get, END).put(code.geU).begin(code.if);
    this.finish(words[at + endColumn] as number, address, index);
    out.put(code.end);
    const branches = this.branches(address);
    if (branches.length > 0) out.put(code.get, AT).load8().put(code.set, BYTE);
    const map = this.mapOf(branches);
    branches.forEach((branch, number) => {
      this.test(branch.set, map, number + 1);
      out.begin(code.if);
      this.take(branch.entry, index);
      out.put(code.end);
    });
    this.bail(address, index, 0);
    out.put(code.end);
  }

  /** Passes bytes that lead back to the state, 16 at a time, when the table has found that worth while. */
  private skip(address: number): void {
    const { out } = this;
    const bytes = new Uint8Array(16);
    let count = 0;
    for (let i = 0; i < 16; i++) {
      const word = this.visited.words[(address >> 2) + row.skip + (i >> 2)] as number;
      bytes[i] = (word >> (8 * (i & 3))) & 0xff;
      for (let bits = bytes[i] as number; bits > 0; bits &= bits - 1) count++;
    }
    if (count < skipWorth) return;
    out.begin(code.loop);
    out.vector(bytes);
    out.put(code.get, AT).simd(simd.load, 0, 0).put(code.tee, INSIDE);
    out.vector(new Uint8Array(16).fill(0x0f)).simd(simd.and).simd(simd.swizzle);
    out.vector([1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.put(code.get, INSIDE).const(4).simd(simd.shrU).simd(simd.swizzle);
    out.simd(simd.and).put(code.tee, INSIDE).simd(simd.allTrue).begin(code.if);
    out.put(code.get, AT).const(16).put(code.add).put(code.tee, AT).put(code.get, END).put(code.ltU).put(code.brIf, 1);
    out.put(code.else);
    out.put(code.get, AT).put(code.get, INSIDE).vector(new Uint8Array(16)).simd(simd.eq).simd(simd.bitmask);
    out.put(code.ctz).put(code.add).put(code.set, AT);
    out.put(code.end).put(code.end);
    out.put(code.get, END).put(code.get, AT).put(code.ltU).begin(code.if);
    out.put(code.get, END).put(code.set, AT).put(code.end);
  }

  /** At the text's end. */
  private finish(entry: number, address: number, index: number): void {
    if (entry === special.missing) this.bail(address, index, 1);
    else if (entry === special.dead) this.die();
    else {
      this.accept(entry >> 2);
      this.out.const(answer.yes).put(code.return);
    }
  }

  private die(): void {
    this.out
      .put(code.get, MACHINE)
      .put(code.get, AT)
      .store(machine.at * 4);
    this.out.put(code.get, FOUND).put(code.return);
  }

  /** Follows an entry; we stand within an `if` in the state's loop. */
  private take(entry: number, index: number): void {
    const { out } = this;
    const { words } = this.visited;
    if (entry === special.dead) {
      this.die();
      return;
    }
    if ((entry & special.special) !== 0) {
      const its = entry >> 2;
      if ((words[its + record.accept] as number) !== 0) {
        this.accept(its);
        out.const(answer.yes).put(code.set, FOUND);
      }
      if ((words[its + record.next] as number) === 0) {
        out.put(code.get, FOUND).put(code.return);
        return;
      }
      const stop = its + record.moves + (words[its + record.count] as number);
      for (let i = its + record.moves; i < stop; i++) {
        const move = words[i] as number;
        this.read(move & 0xffff);
        out.put(code.set, this.local(move >>> 16));
      }
    }
    out.put(code.get, AT).const(1).put(code.add).put(code.set, AT);
    const next = this.indexOf.get(targetOf(words, entry)) as number;
    // Around us: the `if`, the state's loop, the blocks of the states behind this one, the loop of all.
    if (next === index) out.put(code.br, 1);
    else if (next > index) out.put(code.br, 1 + next - index);
    else {
      out.const(next).put(code.set, STATE);
      out.put(code.br, 1 + this.order.length - index);
    }
  }

  /** Back to the table, in the state of `address`; `inside`: levels within the state's loop. */
  private bail(address: number, index: number, inside: number): void {
    this.out.const(address).put(code.set, ROW);
    this.out.put(code.br, inside + 1 + this.order.length - index);
  }

  private accept(its: number): void {
    const { out } = this;
    const { words, slots } = this.visited;
    const map = (words[its + record.accept] as number) >> 2;
    for (let slot = 0; slot < slots; slot++) {
      const source = words[map + slot] as number;
      const from = source >>> 16;
      out.put(code.get, OUT);
      this.read(from);
      const distance = (source << 16) >> 16;
      if (distance !== 0 && from !== register.never) out.const(distance).put(code.add);
      out.store(slot * 4);
    }
  }

  private read(from: number): void {
    const { out } = this;
    if (from === register.here || from === register.end) out.put(code.get, AT).put(code.get, BASE).put(code.sub);
    else if (from === register.start) out.put(code.get, START);
    else if (from === register.never) out.const(-1);
    else out.put(code.get, this.local(from));
  }

  private local(register: number): number {
    let local = this.locals.get(register);
    if (local === undefined) {
      local = FIRST_REGISTER + this.locals.size;
      this.locals.set(register, local);
    }
    return local;
  }

  /** The state's ways to states that have code, the most frequent first. */
  private branches(address: number): Branch[] {
    const { words, classes, endColumn, profile } = this.visited;
    const counts = profile.get(address) as Int32Array;
    const byEntry = new Map<number, { set: Uint8Array; count: number }>();
    const columnEntry: number[] = [];
    for (let column = 0; column < endColumn; column++) {
      const entry = words[(address >> 2) + row.entries + column] as number;
      const way = (entry & special.special) === 0 ? entry & ~3 : entry;
      columnEntry.push(way);
      const next = targetOf(words, entry);
      if (entry === special.missing || (next !== 0 && !this.indexOf.has(next))) continue;
      const branch = byEntry.get(way) ?? { set: new Uint8Array(256), count: 0 };
      branch.count += counts[column] as number;
      byEntry.set(way, branch);
    }
    for (let byte = 0; byte < 256; byte++) {
      const branch = byEntry.get(columnEntry[classes.of[byte] as number] as number);
      if (branch !== undefined) branch.set[byte] = 1;
    }
    return [...byEntry]
      .map(([entry, { set, count }]) => ({ entry, set, count }))
      .filter(({ count }) => count > 0)
      .sort((x, y) => y.count - x.count)
      .slice(0, MAX_BRANCHES);
  }

  /** Address of a map from byte to branch number, for the branches whose bytes make more than one range. */
  private mapOf(branches: readonly Branch[]): number {
    if (branches.every(({ set }) => rangeOf(set) !== null)) return 0;
    const bytes = new Uint8Array(256);
    branches.forEach(({ set }, number) => {
      set.forEach((has, byte) => {
        if (has === 1) bytes[byte] = number + 1;
      });
    });
    const key = bytes.join();
    let address = this.maps.get(key);
    if (address === undefined) {
      address = this.visited.keep(bytes);
      this.maps.set(key, address);
    }
    return address;
  }

  private test(set: Uint8Array, map: number, number: number): void {
    const { out } = this;
    const range = rangeOf(set);
    if (range === null) out.put(code.get, BYTE).load8(map).const(number).put(code.eq);
    else if (range.lo === range.hi) out.put(code.get, BYTE).const(range.lo).put(code.eq);
    else {
      out.put(code.get, BYTE).const(range.lo).put(code.sub);
      out.const(range.hi - range.lo + 1).put(code.ltU);
    }
  }
}

/** The bounds of a set without gaps, else null. */
function rangeOf(set: Uint8Array): { readonly lo: number; readonly hi: number } | null {
  const lo = set.indexOf(1);
  const hi = set.lastIndexOf(1);
  return set.subarray(lo, hi + 1).includes(0) ? null : { lo, hi };
}
