// Tier 1 (state tables) in WebAssembly: the kernel (the search function in assembly/regex/search.ts) reads texts in the
// module's memory, and this class builds the tables that the kernel asks for. There is one object for each pair of
// expression and module instance; `free` frees its memory pages.

import type { WasmModule } from "../../wasm/module.ts";
import { Backward } from "../automaton/backward.ts";
import { type ByteClasses, kind } from "../automaton/context.ts";
import { Forward } from "../automaton/forward.ts";
import { answer as said, machine as word } from "../automaton/table-layout.ts";
import { LinearMemory } from "../automaton/table-memory.ts";
import type { ModuleEngine } from "./engine.ts";
import { Pike } from "./pike.ts";
import type { Compiled } from "./table-engine.ts";
import { TierTwo } from "./tier-two.ts";

/** A sample byte of each kind of byte that may come before a position; -1 for the beginning of the text. */
const SAMPLES: Readonly<Record<number, number>> = {
  [kind.edge]: -1,
  [kind.newline]: 0x0a,
  [kind.word]: 0x61,
  [kind.other]: 0x20,
  [kind.tail]: 0x80,
};

/**
 * Largest number of lines that one call searches. Calls must be short, because a runtime switches to a better compiled
 * version of a function only when the function is called again.
 */
const AT_ONCE = 256;

/**
 * Number of bytes that must be readable after a text, because the search function in WebAssembly loads 16 bytes at a
 * time.
 */
const PADDING = 16;

export class KernelEngine implements ModuleEngine {
  readonly slots: number;
  /** Number of texts so far that only tier 0 (simulation) could search. */
  fallbacks = 0;
  readonly module: WasmModule;
  private readonly pike: Pike;
  private readonly compiled: Compiled;
  private readonly forward: Forward;
  private readonly backward: Backward;
  private readonly memory: LinearMemory;
  /**
   * All WebAssembly memory of the engine. The memory belongs to an object of its own, so that it can be freed after the
   * garbage collector has collected the engine.
   */
  readonly memories: LinearMemory[];
  /**
   * Address of the machine (the record that holds the state of a search); 0 before the first search and after `free`.
   */
  private machine = 0;
  /**
   * Address at which the search function in WebAssembly writes the slots (start and end of each group) of a single
   * search.
   */
  private out = 0;
  private readonly unused: Int32Array;
  private spent = false;
  private readonly tierTwo: TierTwo;

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
    this.tierTwo = new TierTwo(module, this.forward.table, own, this.slots, compiled.atEdge);
  }

  /** Allocates the WebAssembly memory that a search needs. */
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
    this.set(word.starts, compiled.startsWithLiteral ? 1 : 0);
    this.set(word.slots, this.slots);
    this.begin();
  }

  /** Frees the memory; the next search allocates it again. */
  free(): void {
    this.forward.free();
    this.backward.free();
    this.memory.free();
    this.machine = 0;
    this.tierTwo.forget();
  }

  /** Returns the sizes of the current tables, and how often code was generated from them. */
  get statistics(): {
    readonly states: number;
    readonly bytes: number;
    readonly tier: 0 | 1 | 2;
    readonly generated: number;
  } {
    const [ahead, back] = [this.forward.table, this.backward.table];
    return {
      states: ahead.states + back.states,
      bytes: ahead.size + back.size,
      tier: this.spent ? 0 : this.tierTwo.runs ? 2 : 1,
      generated: this.tierTwo.made,
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
    // A text in JavaScript's memory is first copied into the WebAssembly module's memory.
    const length = end - start;
    const address = this.module.buffer(length + PADDING);
    this.module.u8.set(bytes.subarray(start, end), address);
    return this.search(address - start, bytes, start, end, from, slots);
  }

  execLines(base: number, lines: number, count: number, out: number): void {
    if (this.machine === 0 && !this.spent) this.open();
    let line = 0;
    while (line < count && !this.spent) {
      const stop = Math.min(count, line + AT_ONCE);
      const answer = this.module.exports.searchLines(this.machine, base, lines, line, stop, out);
      if (answer === said.no) {
        line = stop;
        continue;
      }
      line = this.module.i32[(this.machine >> 2) + word.line] as number;
      if (answer === said.invalid) this.pikeLine(base, lines, line++, out);
      else if (!this.fillIn(answer)) this.retire();
    }
    if (!this.spent) this.tierTwo.countLines(base, lines, count, out);
    else while (line < count) this.pikeLine(base, lines, line++, out);
  }

  get machineAt(): number {
    return this.spent || !this.tierTwo.isDecided ? 0 : this.machine;
  }

  countOne(): void {
    this.tierTwo.countOne();
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
        this.tierTwo.count(address, 0, length, 0, this.module.i32[this.out >> 2] as number);
        return this.out;
      }
      if (answer === said.no) {
        this.tierTwo.count(address, 0, length, 0, -1);
        return 0;
      }
      if (answer === said.invalid) return -1;
      if (!this.fillIn(answer)) {
        this.retire();
        return -1;
      }
    }
  }

  /**
   * Searches a text in the WebAssembly module's memory. The text begins at the address `base + start` and ends
   * at the address `base + end`; the search begins at `base + from`. So `base` is the address for the index 0
   * of `bytes`, and the slots that the search writes are indexes of `bytes`, too.
   */
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
        this.tierTwo.count(base, start, end, from, -1);
        return false;
      }
      if (answer === said.yes) {
        this.tierTwo.count(base, start, end, from, module.i32[this.out >> 2] as number);
        const { i32 } = module;
        const out = this.out >> 2;
        for (let i = 0; i < this.slots; i++) slots[i] = i32[out + i] as number;
        return true;
      }
      if (answer !== said.invalid && this.fillIn(answer)) continue;
      if (answer !== said.invalid) this.retire();
      this.fallbacks++;
      // A JavaScript view of the WebAssembly memory becomes empty when the memory grows, so the view is renewed.
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

  /**
   * Builds the entry of the state table that the search function in WebAssembly needs to continue. Returns false when
   * the tables have reached their limits.
   */
  private fillIn(answer: number): boolean {
    const at = this.machine >> 2;
    const { i32 } = this.module;
    const [address, column] = [(i32[at + word.row] as number) >>> 0, i32[at + word.column] as number];
    const automaton = answer === said.forwardLacks ? this.forward : this.backward;
    const resolution = automaton.resolve(address, column);
    if (resolution === "flushed") this.begin();
    return resolution !== "spent";
  }

  /** Switches to tier 0 (simulation) for all later searches. */
  private retire(): void {
    this.spent = true;
    this.free();
  }

  /**
   * Sets the start entries of the forward and the backward state table, and restarts the search.
   */
  private begin(): void {
    this.tierTwo.begin(this.machine);
    for (const [its, sample] of Object.entries(SAMPLES))
      this.set(word.begins + Number(its), this.forward.begin(sample));
    this.set(word.last, this.backward.begin());
    this.set(word.phase, 0);
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
