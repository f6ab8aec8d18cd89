// Computes closures: the instructions that an automaton can reach without consuming a byte, in order of
// preference. The two state tables of an engine, for searching forward and for searching backward, are built
// from closures.

import { holds, type Kind } from "./context.ts";
import { op, type Program } from "./program.ts";

/** A capture tag on a path through the program, and the tags before it on this path, as a linked list. */
export interface Passed {
  readonly tag: number;
  readonly before: Passed | null;
}

/** A path through the program. It ends at the instruction `pc`, which consumes a byte. */
export interface Way {
  readonly pc: number;
  /** Index of the instruction at which the path starts, in the state's list of instructions. */
  readonly item: number;
  readonly passed: Passed | null;
}

export interface Closure {
  readonly ways: readonly Way[];
  /**
   * The path to a match; null when no match can be reached. When `make` was called with `cut` and there is a path
   * to a match, `ways` contains only the paths that are preferred to this path.
   */
  readonly match: Omit<Way, "pc"> | null;
}

export class ClosureMaker {
  /**
   * Work done so far: the number of visited instructions plus the number of compared byte ranges. The engine
   * limits this work.
   */
  work = 0;
  private readonly program: Program;
  private readonly seen: Int32Array;
  private stamp = 0;

  constructor(program: Program) {
    this.program = program;
    this.seen = new Int32Array(program.ops.length);
  }

  /**
   * Returns the closure of the instructions `items`, that is, all instructions that can be reached from them without
   * consuming a byte, at a position between two bytes. `before` is the kind of the byte that was read last, and
   * `behind` the kind of the next byte. When `cut` is true, paths that are less preferred than a match are left out.
   * `cut` is false for sets of instructions without an order of preference.
   */
  make(items: ArrayLike<number>, before: Kind, behind: Kind, cut: boolean): Closure {
    const { ops, a, b } = this.program;
    const { seen } = this;
    const stamp = ++this.stamp;
    const ways: Way[] = [];
    const pending: { readonly pc: number; readonly passed: Passed | null }[] = [];
    let match: Closure["match"] = null;
    for (let item = 0; item < items.length; item++) {
      pending.push({ pc: items[item] as number, passed: null });
      for (let way = pending.pop(); way !== undefined; way = pending.pop()) {
        let { pc, passed } = way;
        while (seen[pc] !== stamp) {
          seen[pc] = stamp;
          this.work++;
          const code = ops[pc];
          if (code === op.bytes) {
            ways.push({ pc, item, passed });
            break;
          }
          if (code === op.match) {
            match = { item, passed };
            if (cut) return { ways, match };
            break;
          }
          if (code === op.split) pending.push({ pc: b[pc] as number, passed });
          else if (code === op.tag) passed = { tag: b[pc] as number, before: passed };
          else if (!holds(b[pc] as number, before, behind)) break;
          pc = a[pc] as number;
        }
      }
    }
    return { ways, match };
  }

  /** Returns the instruction that follows when the instruction at `pc` consumes the byte; -1 when there is none. */
  step(pc: number, byte: number): number {
    const { steps, a, b } = this.program;
    const stop = b[pc] as number;
    for (let i = a[pc] as number; i < stop; i += 3) {
      this.work++;
      // The ranges are sorted. When one range begins above the byte, all further ranges do so, too, and the search can
      // stop.
      if (byte < (steps[i] as number)) return -1;
      if (byte <= (steps[i + 1] as number)) return steps[i + 2] as number;
    }
    return -1;
  }
}
