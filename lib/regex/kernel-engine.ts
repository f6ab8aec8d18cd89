// Tier 1 in the module: the kernel (assembly/regex/search.ts) reads texts where they lie in linear memory; this class makes the
// tables that it asks for. One per expression and instance; `free` gives its pages back.

import type { WasmModule } from "../wasm/module.ts";
import { Backward } from "./backward.ts";
import { type ByteClasses, kind, kindOf } from "./context.ts";
import type { Engine } from "./engine.ts";
import { Forward } from "./forward.ts";
import { generate } from "./generate.ts";
import { Pike } from "./pike.ts";
import type { Compiled } from "./table-engine.ts";
import { entry, record, row, answer as said, machine as word } from "./table-layout.ts";
import { LinearMemory } from "./table-memory.ts";

/** A byte of each kind that may stand before a position, -1 for the edge of the text. */
const SAMPLES: Readonly<Record<number, number>> = {
  [kind.edge]: -1,
  [kind.newline]: 0x0a,
  [kind.word]: 0x61,
  [kind.other]: 0x20,
  [kind.tail]: 0x80,
};

/** Searches before code is generated, and those of them whose ways are counted for it. */
const WARM = 1000;
const COUNTED = 200;

/** The kernel loads 16 bytes at a time. */
const PADDING = 16;

export class KernelEngine implements Engine {
  readonly slots: number;
  /** How often a text went to tier 0. */
  fallbacks = 0;
  readonly module: WasmModule;
  private readonly pike: Pike;
  private readonly compiled: Compiled;
  private readonly forward: Forward;
  private readonly backward: Backward;
  private readonly memory: LinearMemory;
  /** All memory that is the engine's, for who frees it when the engine is lost. */
  readonly memories: LinearMemory[];
  /** Address of the machine; 0 before the first search and when the memory was given back. */
  private machine = 0;
  /** Where the kernel puts the slots of a single search. */
  private out = 0;
  private readonly unused: Int32Array;
  private spent = false;
  /** Searches since the tables were made. */
  private searches = 0;
  private profile = new Map<number, Int32Array>();
  /** Index of the generated function, 0 without one. */
  private generated = 0;

  constructor(compiled: Compiled, module: WasmModule) {
    this.module = module;
    this.compiled = compiled;
    this.pike = new Pike(compiled.forward);
    this.slots = compiled.forward.slots.length;
    this.unused = new Int32Array(this.slots);
    const [ahead, back, own] = [new LinearMemory(module), new LinearMemory(module), new LinearMemory(module)];
    this.forward = new Forward(compiled.forward, ahead);
    this.backward = new Backward(compiled.backward, back);
    this.memory = own;
    this.memories = [ahead, back, own];
  }

  /** Takes the memory that a search needs. */
  private open(): void {
    const { compiled, module } = this;
    this.machine = this.memory.take(word.words);
    this.out = this.memory.take(this.slots);
    const literal = this.memory.take((compiled.literal.length >> 2) + 1);
    const forwardMap = this.classMap(this.forward.table.classes);
    const backwardMap = this.classMap(this.backward.table.classes);
    module.u8.set(compiled.literal, literal);
    this.set(word.forward, forwardMap);
    this.set(word.forwardEnd, this.forward.table.endColumn * 4);
    this.set(word.backward, backwardMap);
    this.set(word.backwardEnd, this.backward.table.endColumn * 4);
    this.set(word.atEdge, compiled.atEdge ? 1 : 0);
    this.set(word.literal, literal);
    this.set(word.literalLength, compiled.literal.length);
    this.set(word.slots, this.slots);
    this.begin();
  }

  /** Gives the memory back; the next search takes it anew. */
  free(): void {
    this.forward.free();
    this.backward.free();
    this.memory.free();
    this.machine = 0;
    this.dropGenerated();
  }

  /** What the tables hold now. */
  get statistics(): { readonly states: number; readonly bytes: number; readonly tier: 0 | 1 | 2 } {
    const [ahead, back] = [this.forward.table, this.backward.table];
    return {
      states: ahead.states + back.states,
      bytes: ahead.size + back.size,
      tier: this.spent ? 0 : this.generated > 0 ? 2 : 1,
    };
  }

  test(bytes: Uint8Array, start: number, end: number, from: number): boolean {
    return this.exec(bytes, start, end, from, this.unused);
  }

  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean {
    if (this.spent) return this.pike.exec(bytes, start, end, from, slots);
    if (this.machine === 0) {
      const inModule = bytes.buffer === this.module.exports.memory.buffer;
      const { byteOffset, length } = bytes;
      this.open();
      if (inModule) return this.exec(this.module.u8.subarray(byteOffset, byteOffset + length), start, end, from, slots);
    }
    if (bytes.buffer === this.module.exports.memory.buffer)
      return this.search(bytes.byteOffset, bytes, start, end, from, slots);
    // Texts that JavaScript owns are copied in.
    const length = end - start;
    const address = this.module.buffer(length + PADDING);
    this.module.u8.set(bytes.subarray(start, end), address);
    return this.search(address - start, bytes, start, end, from, slots);
  }

  /**
   * Searches lines of the module's memory: `lines` is the address of two words for each, start and end counted from `base`. The
   * slots of line i, counted from `base`, go to `out + i * slots * 4`, -1 in the first one when the line does not match.
   */
  execLines(base: number, lines: number, count: number, out: number): void {
    if (this.machine === 0 && !this.spent) this.open();
    let line = 0;
    while (line < count && !this.spent) {
      const answer = this.module.exports.searchLines(this.machine, base, lines, line, count, out);
      if (answer === said.no) break;
      line = this.module.i32[(this.machine >> 2) + word.line] as number;
      if (answer === said.invalid) this.pikeLine(base, lines, line++, out);
      else if (!this.fillIn(answer)) this.retire();
    }
    if (!this.spent) this.countLines(base, lines, count, out);
    else while (line < count) this.pikeLine(base, lines, line++, out);
  }

  get machineAt(): number {
    return this.spent || this.searches < WARM ? 0 : this.machine;
  }

  get slotsAt(): number {
    return this.out;
  }

  searchAt(address: number, length: number): number {
    if (this.spent) return -1;
    if (this.machine === 0) this.open();
    const { exports } = this.module;
    const end = address + length;
    for (;;) {
      const answer = exports.searchText(this.machine, address, address, end, address, this.out);
      if (answer === said.yes) {
        if (this.searches < WARM) {
          this.searches++;
          this.count(address, 0, length, this.module.i32[this.out >> 2] as number);
        }
        return this.out;
      }
      if (answer === said.no) {
        if (this.searches < WARM) {
          this.searches++;
          this.count(address, 0, length, 0);
        }
        return 0;
      }
      if (answer === said.invalid) return -1;
      if (!this.fillIn(answer)) {
        this.retire();
        return -1;
      }
    }
  }

  /** `base` is the address of offset 0 of `bytes`. */
  private search(
    base: number,
    bytes: Uint8Array,
    start: number,
    end: number,
    from: number,
    slots: Int32Array,
  ): boolean {
    const { module } = this;
    for (;;) {
      const answer = module.exports.searchText(this.machine, base, base + start, base + end, base + from, this.out);
      if (answer === said.no) {
        if (++this.searches <= WARM) this.count(base, start, end, from);
        return false;
      }
      if (answer === said.yes) {
        if (++this.searches <= WARM) this.count(base, start, end, module.i32[this.out >> 2] as number);
        const { i32 } = module;
        const out = this.out >> 2;
        for (let i = 0; i < this.slots; i++) slots[i] = i32[out + i] as number;
        return true;
      }
      if (answer !== said.invalid && this.fillIn(answer)) continue;
      if (answer !== said.invalid) this.retire();
      this.fallbacks++;
      // Growing memory has put an older view out of use.
      const view = bytes.length > 0 || end === start ? bytes : module.u8.subarray(base);
      return this.pike.exec(view, start, end, from, slots);
    }
  }

  private pikeLine(base: number, lines: number, line: number, out: number): void {
    const { u8, i32 } = this.module;
    const at = (lines >> 2) + 2 * line;
    const [start, end] = [i32[at] as number, i32[at + 1] as number];
    const text = u8.subarray(base, base + end);
    this.fallbacks++;
    const target = i32.subarray((out >> 2) + line * this.slots, (out >> 2) + (line + 1) * this.slots);
    if (!this.pike.exec(text, start, end, start, target)) target[0] = -1;
  }

  /** Makes the entry that the kernel waits for; false when the tables are spent. */
  private fillIn(answer: number): boolean {
    const at = this.machine >> 2;
    const { i32 } = this.module;
    const [address, column] = [(i32[at + word.row] as number) >>> 0, i32[at + word.column] as number];
    const automaton = answer === said.forwardLacks ? this.forward : this.backward;
    const resolution = automaton.resolve(address, column);
    if (resolution === "flushed") {
      this.begin();
      this.searches = 0;
    }
    return resolution !== "spent";
  }

  /** Tier 0 from now on. */
  private retire(): void {
    this.spent = true;
    this.free();
  }

  /** Sets the first entries of both directions and lets the kernel begin anew. */
  private begin(): void {
    this.dropGenerated();
    for (const [its, sample] of Object.entries(SAMPLES))
      this.set(word.begins + Number(its), this.forward.begin(sample));
    this.set(word.last, this.backward.begin());
    this.set(word.phase, 0);
  }

  private countLines(base: number, lines: number, count: number, out: number): void {
    if (this.searches >= WARM) return;
    const { i32 } = this.module;
    this.searches = Math.max(this.searches + count, WARM - COUNTED);
    for (let line = Math.max(0, count - COUNTED); line < count; line++) {
      const [start, end] = [i32[(lines >> 2) + 2 * line] as number, i32[(lines >> 2) + 2 * line + 1] as number];
      const found = i32[(out >> 2) + line * this.slots] as number;
      this.addWays(base, start, end, found < 0 ? start : found);
    }
    if (this.searches >= WARM) this.generate();
  }

  private count(base: number, start: number, end: number, from: number): void {
    if (this.searches > WARM - COUNTED) this.addWays(base, start, end, from);
    if (this.searches === WARM) this.generate();
  }

  /** Reads a text that was searched once more with the table and counts the ways taken. */
  private addWays(base: number, start: number, end: number, from: number): void {
    const { u8, i32 } = this.module;
    const { of } = this.forward.table.classes;
    const { endColumn } = this.forward.table;
    const before = from > start ? kindOf(u8[base + from - 1] as number) : kind.edge;
    let next = i32[(this.machine >> 2) + word.begins + before] as number;
    for (let at = base + from; ; at++) {
      const address = next & ~3;
      const column = at < base + end ? (of[u8[at] as number] as number) : endColumn;
      let counts = this.profile.get(address);
      if (counts === undefined) {
        counts = new Int32Array(endColumn + 1);
        this.profile.set(address, counts);
      }
      counts[column] = (counts[column] as number) + 1;
      next = i32[(address >> 2) + row.entries + column] as number;
      if (next === entry.missing || next === entry.dead) return;
      if ((next & entry.special) !== 0) next = i32[(next >> 2) + record.next] as number;
      if (next === 0) return;
    }
  }

  /** Tier 2, where the host allows it. */
  private generate(): void {
    const { module, machine, slots, profile } = this;
    const { classes, endColumn } = this.forward.table;
    const at = (machine >> 2) + word.begins;
    const bytes = module.generates
      ? generate({
          get words() {
            return module.i32;
          },
          classes,
          endColumn,
          profile,
          begins: [...module.i32.subarray(at, at + 5)],
          slots,
          registers: module.exports.registersAddress(),
          keep: (map) => {
            const address = this.memory.take(64);
            module.u8.set(map, address);
            return address;
          },
        })
      : null;
    this.profile = new Map();
    if (bytes === null) return;
    this.generated = module.addFunction(bytes);
    this.set(word.code, this.generated);
  }

  /** Code speaks of rows: it goes when they go. */
  private dropGenerated(): void {
    this.profile = new Map();
    if (this.generated === 0) return;
    this.module.removeFunction(this.generated);
    this.generated = 0;
    if (this.machine !== 0) this.set(word.code, 0);
  }

  private classMap(classes: ByteClasses): number {
    const address = this.memory.take(128);
    const words = this.module.i32;
    for (let byte = 0; byte < 256; byte += 2) {
      const [even, odd] = [classes.of[byte] as number, classes.of[byte + 1] as number];
      words[(address + byte * 2) >> 2] = (even * 4) | ((odd * 4) << 16);
    }
    return address;
  }

  private set(which: number, value: number): void {
    this.module.i32[(this.machine >> 2) + which] = value;
  }
}
