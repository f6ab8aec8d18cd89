// What an automaton can reach without consuming, in order of preference: the work shared by both directions of tier 1.

import { holds, type Kind } from "./context.ts";
import { op, type Program } from "./program.ts";

/** Tags passed on a way, the last one first. */
export interface Passed {
  readonly tag: number;
  readonly before: Passed | null;
}

/** A way to an instruction that consumes a byte. */
export interface Way {
  readonly pc: number;
  /** Index of the item that it began at. */
  readonly item: number;
  readonly passed: Passed | null;
}

export interface Closure {
  readonly ways: readonly Way[];
  /** The way to a match; ways of less preference are cut. */
  readonly match: Omit<Way, "pc"> | null;
}

export class ClosureMaker {
  /** Instructions visited and ranges of bytes compared. */
  work = 0;
  private readonly program: Program;
  private readonly seen: Int32Array;
  private stamp = 0;

  constructor(program: Program) {
    this.program = program;
    this.seen = new Int32Array(program.ops.length);
  }

  /** `cut` false: a match cuts nothing, as for sets without order. */
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

  /** Where the instruction leads with this byte, -1 for nowhere. */
  step(pc: number, byte: number): number {
    const { steps, a, b } = this.program;
    const stop = b[pc] as number;
    for (let i = a[pc] as number; i < stop; i += 3) {
      this.work++;
      if (byte >= (steps[i] as number) && byte <= (steps[i + 1] as number)) return steps[i + 2] as number;
    }
    return -1;
  }
}
