// Tier 1 in JavaScript: reads bytes with the help of state tables. A search first tries the start position itself,
// where most lines match, then some positions after it. If these fail, the backward table finds where the leftmost
// match starts, and the forward table reads this match. Each pass reads the text at most once. Invalid UTF-8, and
// expressions whose tables exceed their limits, are left to tier 0 (simulation).

import { Backward } from "../automaton/backward.ts";
import { kindOf } from "../automaton/context.ts";
import { Forward } from "../automaton/forward.ts";
import type { Program } from "../automaton/program.ts";
import { entry, near, record, register, registers, row } from "../automaton/table-layout.ts";
import { OwnMemory, type TableMemory } from "../automaton/table-memory.ts";
import { isValidUtf8 } from "../automaton/utf8.ts";
import { indexOfBytes } from "../syntax/literals.ts";
import type { Engine } from "./engine.ts";
import { Pike } from "./pike.ts";

/** The compiled programs of an expression, and facts about it that make searches faster. */
export interface Compiled {
  readonly forward: Program;
  readonly backward: Program;
  /** A byte sequence that every match contains; may be empty. */
  readonly literal: Uint8Array;
  /** Whether every match begins with the literal. */
  readonly startsWithLiteral: boolean;
  /** Whether a match can start only at the start of the text. */
  readonly atEdge: boolean;
}

/** The result of reading a text with a table: no match, a match, or the table cannot be used. */
export type Outcome = "no" | "yes" | "spent";

// Local copies of table constants, for the loop that reads a match. The loop would be slower if it read the constants
// from their objects.
const [SPECIAL, MISSING, DEAD, ENTRIES] = [entry.special, entry.missing, entry.dead, row.entries] as const;
const [NEXT, ACCEPT, COUNT, MOVES] = [record.next, record.accept, record.count, record.moves] as const;
const [HERE, END] = [register.here, register.end] as const;

/**
 * A sample byte of each kind of byte that assertions distinguish (lib/regex/automaton/context.ts); -1 is the start of
 * the text.
 */
const SAMPLES = [-1, 0x0a, 0x61, 0x20];

export class TableEngine implements Engine {
  readonly slots: number;
  readonly pike: Pike;
  /** Number of entries of the state tables that the searches of this engine have followed so far. */
  private followed = 0;
  private readonly compiled: Compiled;
  private readonly forwardMemory: TableMemory = new OwnMemory();
  private readonly backwardMemory: TableMemory = new OwnMemory();
  private readonly forward: Forward;
  private readonly backward: Backward;
  private readonly registers = new Int32Array(registers);
  private readonly unused: Int32Array;
  /** Start of the leftmost match, found by the last backward pass. */
  private leftmost = 0;
  /** Offset in the text at which the last forward pass ended. */
  stopped = 0;
  private spent = false;
  private first: Uint8Array | null = null;
  /**
   * Entries of the forward state table with which reading begins: one for each kind of byte before the start
   * position. When the rows of the table are removed (a flush), these entries become invalid.
   */
  private begins: (number | undefined)[] = [];
  private beginsOf = -1;

  constructor(compiled: Compiled) {
    this.compiled = compiled;
    this.pike = new Pike(compiled.forward);
    this.slots = compiled.forward.slots.length;
    this.forward = new Forward(compiled.forward, this.forwardMemory);
    this.backward = new Backward(compiled.backward, this.backwardMemory);
    this.registers[register.never] = -1;
    this.unused = new Int32Array(this.slots);
  }

  /**
   * Returns the work done so far: state table entries followed, instructions visited while building tables, and steps
   * of tier 0 (simulation).
   */
  get steps(): number {
    return this.followed + this.forward.table.work + this.backward.table.work + this.pike.steps;
  }

  /** Returns the sizes of the current tables, and the tier in use: 0 (simulation) or 1 (state tables). */
  get statistics(): { readonly states: number; readonly bytes: number; readonly tier: 0 | 1 } {
    const [ahead, back] = [this.forward.table, this.backward.table];
    return { states: ahead.states + back.states, bytes: ahead.size + back.size, tier: this.spent ? 0 : 1 };
  }

  free(): void {
    this.forward.free();
    this.backward.free();
    this.begins = [];
  }

  test(bytes: Uint8Array, start: number, end: number, from: number): boolean {
    return this.exec(bytes, start, end, from, this.unused);
  }

  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean {
    if (!this.spent && isValidUtf8(bytes, from, end)) {
      const outcome = this.search(bytes, start, end, from, slots);
      if (outcome !== "spent") return outcome === "yes";
      this.retire();
    }
    return this.pike.exec(bytes, start, end, from, slots);
  }

  private search(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): Outcome {
    const { literal, atEdge } = this.compiled;
    const here: Outcome = this.matchAt(bytes, start, end, from, slots);
    if (here !== "no") return here;
    if (atEdge || indexOfBytes(bytes, literal, from, end) < 0) return "no";
    let at = from;
    while (this.stopped - at <= near.read) {
      do at++;
      while (at < end && ((bytes[at] as number) & 0xc0) === 0x80);
      if (at > end || at - from > near.bytes) break;
      const there = this.matchAt(bytes, start, end, at, slots);
      if (there !== "no") return there;
    }
    const found = this.findStart(bytes, start, end, from, null);
    return found === "yes" ? this.matchAt(bytes, start, end, this.leftmost, slots) : found;
  }

  private firstEntry(before: number): number {
    const { table } = this.forward;
    if (this.beginsOf !== table.flushes) {
      this.begins = [];
      this.beginsOf = table.flushes;
    }
    const kind = kindOf(before);
    this.begins[kind] ??= this.forward.begin(before);
    return this.begins[kind];
  }

  /**
   * Returns for each byte 1 when a match can start with it, else 0; null when the tables cannot be used. The array must
   * not be changed.
   */
  firstBytes(): Uint8Array | null {
    if (this.spent) return null;
    if (this.first !== null) return this.first;
    const { table } = this.forward;
    const first = new Uint8Array(256);
    for (const before of SAMPLES)
      for (let column = 0; column < table.endColumn; column++) {
        const next = this.entryOf(before, column);
        if (next === null) {
          this.retire();
          return null;
        }
        if (next === entry.dead) continue;
        // A byte that continues a UTF-8 character cannot start a match, so it is not marked.
        for (let byte = 0; byte < 256; byte++)
          if (table.classes.of[byte] === column && (byte & 0xc0) !== 0x80) first[byte] = 1;
      }
    this.first = first;
    return first;
  }

  /**
   * Returns an entry of the forward state table: the entry in the given column, in the row of the state in which
   * reading begins after the byte `before`. Returns null when the table has reached its limits.
   */
  private entryOf(before: number, column: number): number | null {
    for (;;) {
      const state = this.firstEntry(before) & ~3;
      const next = this.forwardMemory.words[(state >> 2) + row.entries + column] as number;
      if (next !== entry.missing) return next;
      if (this.forward.resolve(state, column) === "spent") return null;
    }
  }

  /**
   * Returns one bit for each position of a text, which is set when a match starts at the position. The text must
   * be valid UTF-8. Returns null when the tables cannot be used.
   */
  starts(bytes: Uint8Array): Uint8Array | null {
    if (this.spent) return null;
    const bits = new Uint8Array((bytes.length >> 3) + 1);
    if (this.findStart(bytes, 0, bytes.length, 0, bits) !== "spent") return bits;
    this.retire();
    return null;
  }

  /** Switches to tier 0 (simulation) for all later searches. */
  private retire(): void {
    this.spent = true;
    this.free();
  }

  /** Tries to match only at position `from`, in a text that is valid UTF-8. */
  matchAt(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): Outcome {
    const { table } = this.forward;
    const { of } = table.classes;
    const { registers } = this;
    let next = this.firstEntry(from > start ? (bytes[from - 1] as number) : -1);
    let { words } = this.forwardMemory;
    let matched: Outcome = "no";
    registers[register.start] = from;
    for (let at = from; ; at++) {
      // Follows table entries that only lead to another row. This loop reads most bytes of a match.
      const began = at;
      let its = next >> 2;
      for (; at < end; at++) {
        next = words[its + ENTRIES + (of[bytes[at] as number] as number)] as number;
        if ((next & SPECIAL) !== 0) break;
        its = next >> 2;
      }
      if (at === end) next = words[its + ENTRIES + table.endColumn] as number;
      this.followed += at + 1 - began;
      if (next === MISSING) {
        const column = at < end ? (of[bytes[at] as number] as number) : table.endColumn;
        const resolution = this.forward.resolve(its << 2, column);
        if (resolution === "spent") return "spent";
        words = this.forwardMemory.words;
        if (resolution === "flushed") return this.matchAt(bytes, start, end, from, slots);
        next = words[its + ENTRIES + column] as number;
      }
      if (next === DEAD) {
        this.stopped = at;
        return matched;
      }
      if ((next & SPECIAL) !== 0) {
        const special = next >> 2;
        const accept = words[special + ACCEPT] as number;
        if (accept !== 0) {
          registers[END] = at;
          matched = "yes";
          for (let i = 0, from = accept >> 2; i < this.slots; i++, from++) {
            const source = words[from] as number;
            const offset = registers[source >>> 16] as number;
            slots[i] = offset < 0 ? -1 : offset + ((source << 16) >> 16);
          }
        }
        const stop = special + MOVES + (words[special + COUNT] as number);
        for (let i = special + MOVES; i < stop; i++) {
          const move = words[i] as number;
          const source = move & 0xffff;
          registers[move >>> 16] = source === HERE ? at : (registers[source] as number);
        }
        next = words[special + NEXT] as number;
        if (next === 0) {
          this.stopped = at;
          return matched;
        }
      }
    }
  }

  /**
   * Reads the text backward from its end to `from`. Stores the start of the leftmost match in `leftmost`, and marks the
   * start of every match in `bits`.
   */
  private findStart(bytes: Uint8Array, start: number, end: number, from: number, bits: Uint8Array | null): Outcome {
    const { table } = this.backward;
    const { of } = table.classes;
    let next = this.backward.begin();
    let { words } = this.backwardMemory;
    let found: Outcome = "no";
    this.followed += end - from + 1;
    for (let at = end; ; at--) {
      const state = next & ~3;
      const column = at > start ? (of[bytes[at - 1] as number] as number) : table.endColumn;
      next = words[(state >> 2) + row.entries + column] as number;
      if (next === entry.missing) {
        const resolution = this.backward.resolve(state, column);
        if (resolution === "spent") return "spent";
        words = this.backwardMemory.words;
        if (resolution === "flushed") return this.findStart(bytes, start, end, from, bits);
        next = words[(state >> 2) + row.entries + column] as number;
      }
      if ((next & entry.special) !== 0 && next !== entry.dead) {
        const its = next >> 2;
        if ((words[its + record.accept] as number) !== 0) {
          this.leftmost = at;
          if (bits !== null) bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
          found = "yes";
        }
        next = words[its + record.next] as number;
      }
      if (at === from) return found;
    }
  }
}
