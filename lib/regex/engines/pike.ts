// Tier 0: simulates all threads of the automaton side by side, in order of preference (Pike's machine, as in
// Go's regexp). For every expression, the time is linear in the length of the text and of the program. The other
// tiers fall back to tier 0 and must return the same results. An invalid byte is read as the three bytes of
// U+FFFD and counts as one byte. Programs that read characters instead of bytes are run in the same way,
// character by character.

import { isWordByte } from "../automaton/byte-class.ts";
import { fillSlots, op, type Program, place, target } from "../automaton/program.ts";
import { characterWidth, codePointAt } from "../automaton/utf8.ts";
import type { Engine } from "./engine.ts";

/** The UTF-8 bytes of U+FFFD, which are read in place of a byte that is not valid UTF-8. */
export const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);
const RESTORE = 0x40000000;

/**
 * The threads (simulated runs of the automaton) at one position of the text, in order of preference. Each thread
 * has an instruction, which consumes a byte or matches, a start position, and capture tags.
 */
class Threads {
  /** The instruction that each thread (simulated run of the automaton) has reached; it consumes a byte or matches. */
  readonly pcs: Int32Array;
  count = 0;
  positions: Int32Array;
  private readonly stride: number;
  // A sparse set of all instructions that were reached.
  private readonly dense: Int32Array;
  private readonly sparse: Int32Array;
  private reached = 0;

  constructor(size: number, stride: number) {
    this.pcs = new Int32Array(size);
    this.dense = new Int32Array(size);
    this.sparse = new Int32Array(size);
    this.stride = stride;
    this.positions = new Int32Array(stride * 16);
  }

  clear(): void {
    this.count = 0;
    this.reached = 0;
  }

  /** Adds an instruction to the set of reached instructions. Returns false when it had been added before. */
  reach(pc: number): boolean {
    const index = this.sparse[pc] as number;
    if (index < this.reached && this.dense[index] === pc) return false;
    this.sparse[pc] = this.reached;
    this.dense[this.reached++] = pc;
    return true;
  }

  push(pc: number, positions: Int32Array): void {
    const at = this.count * this.stride;
    if (at + this.stride > this.positions.length) {
      const larger = new Int32Array(this.positions.length * 2);
      larger.set(this.positions);
      this.positions = larger;
    }
    // Copies the start and the capture tags of the thread (simulated run of the automaton). These are only a few
    // numbers, so a loop is faster than `TypedArray.set`.
    for (let word = 0; word < this.stride; word++) this.positions[at + word] = positions[word] as number;
    this.pcs[this.count++] = pc;
  }
}

export class Pike implements Engine {
  /** Number of instructions of the program that the engine has visited so far, as a measure of its work. */
  steps = 0;
  readonly slots: number;
  private readonly program: Program;
  private readonly stride: number;
  private current: Threads;
  private next: Threads;
  /**
   * Start and capture tags of the thread (simulated run of the automaton) that is being followed; -1 for a tag that the
   * thread has not reached.
   */
  private readonly positions: Int32Array;
  private readonly none: Int32Array;
  private readonly found: Int32Array;
  private readonly stack: number[] = [];

  constructor(program: Program) {
    this.program = program;
    this.slots = program.slots.length;
    this.stride = program.tags + 1;
    this.current = new Threads(program.ops.length, this.stride);
    this.next = new Threads(program.ops.length, this.stride);
    this.positions = new Int32Array(this.stride);
    this.none = new Int32Array(this.stride).fill(-1);
    this.found = new Int32Array(this.slots);
  }

  /** Does nothing, because the engine has no memory outside of JavaScript's heap. */
  free(): void {}

  test(bytes: Uint8Array, start: number, end: number, from: number): boolean {
    return this.run(bytes, start, end, from, this.found, true);
  }

  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean {
    return this.run(bytes, start, end, from, slots, false);
  }

  private run(
    bytes: Uint8Array,
    start: number,
    end: number,
    from: number,
    slots: Int32Array,
    anyMatch: boolean,
  ): boolean {
    const { program } = this;
    let matched = false;
    this.current.clear();
    for (let at = from; ; ) {
      if (!matched) {
        this.positions.set(this.none);
        this.positions[0] = at;
        this.follow(this.current, program.start, bytes, start, end, at);
      }
      const width = at < end ? characterWidth(bytes, at, end) : 1;
      const after = at + (width === 0 ? 1 : width);
      const whole = at < end && program.sets.length > 0;
      const fed = whole ? 1 : width === 0 ? 3 : width;
      for (let i = 0; i < fed; i++) {
        this.next.clear();
        let unit = -1;
        if (whole) unit = codePointAt(bytes, at, width);
        else if (at < end) unit = width === 0 ? (REPLACEMENT[i] as number) : (bytes[at + i] as number);
        const { current } = this;
        for (let index = 0; index < current.count; index++) {
          const pc = current.pcs[index] as number;
          this.steps++;
          if (program.ops[pc] === op.match) {
            fillSlots(program, at, current.positions, index * this.stride, slots);
            matched = true;
            if (anyMatch) return true;
            break;
          }
          const to = target(program, pc, unit);
          if (to < 0) continue;
          const from = index * this.stride;
          for (let word = 0; word < this.stride; word++)
            this.positions[word] = current.positions[from + word] as number;
          // The threads read the bytes of one character one by one. A program has no assertion between two of these
          // bytes. So every assertion is checked at the position after the whole character.
          this.follow(this.next, to, bytes, start, end, after);
        }
        [this.current, this.next] = [this.next, this.current];
      }
      if (at === end || (matched && this.current.count === 0)) return matched;
      at = after;
    }
  }

  /**
   * Adds all instructions that can be reached from an instruction without consuming anything. An instruction that was
   * already reached at this position is not added again.
   */
  private follow(list: Threads, first: number, bytes: Uint8Array, start: number, end: number, at: number): void {
    const { ops, a, b } = this.program;
    const { stack, positions } = this;
    stack.push(first);
    while (stack.length > 0) {
      let pc = stack.pop() as number;
      if (pc >= RESTORE) {
        positions[pc - RESTORE] = stack.pop() as number;
        continue;
      }
      while (list.reach(pc)) {
        this.steps++;
        const code = ops[pc];
        if (code === op.split) {
          stack.push(b[pc] as number);
        } else if (code === op.tag) {
          const word = (b[pc] as number) + 1;
          stack.push(positions[word] as number, RESTORE + word);
          positions[word] = at;
        } else if (code === op.assert) {
          if (!holds(b[pc] as number, bytes, start, end, at)) break;
        } else {
          list.push(pc, positions);
          break;
        }
        pc = a[pc] as number;
      }
    }
  }
}

function isWord(bytes: Uint8Array, at: number, start: number, end: number): boolean {
  if (at < start || at >= end) return false;
  return isWordByte(bytes[at] as number);
}

/** Returns whether an assertion of the given kind (`^`, `\b` and so on) holds at the position. */
export function holds(kind: number, bytes: Uint8Array, start: number, end: number, at: number): boolean {
  switch (kind) {
    case place.textStart:
      return at === start;
    case place.textEnd:
      return at === end;
    case place.lineStart:
      return at === start || bytes[at - 1] === 0x0a;
    case place.lineEnd:
      return at === end || bytes[at] === 0x0a;
    default:
      return (isWord(bytes, at - 1, start, end) !== isWord(bytes, at, start, end)) === (kind === place.word);
  }
}
