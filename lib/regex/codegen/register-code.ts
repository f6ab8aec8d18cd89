// Generates code for registers: they are locals that hold addresses. They are copied when bytes are passed, and stored
// as offsets when a match is accepted.

import { register } from "../automaton/table-layout.ts";
import { code, type FunctionWriter } from "./wasm-writer.ts";

/** Locals that the code uses: the current place, the start of the match, the address of offset 0, the address of the slots. */
export interface RegisterLocals {
  readonly at: number;
  readonly start: number;
  readonly base: number;
  readonly out: number;
}

export class RegisterCode {
  private readonly out: FunctionWriter;
  private readonly common: RegisterLocals;
  private readonly first: number;
  /** The local of each register that a move sets. */
  private readonly locals = new Map<number, number>();

  /** Makes a generator; registers take locals from `first` on. */
  constructor(out: FunctionWriter, common: RegisterLocals, first: number) {
    this.out = out;
    this.common = common;
    this.first = first;
  }

  /** Number of locals taken. */
  get count(): number {
    return this.locals.size;
  }

  /** Emits moves; `ahead` is the distance in bytes from the local of the place to the current place. */
  move(moves: readonly number[], ahead: number): void {
    const { out } = this;
    for (const move of moves) {
      const from = move & 0xffff;
      out.get(from === register.here ? this.common.at : this.local(from));
      if (from === register.here && ahead > 0) out.const(ahead).put(code.add);
      out.set(this.local(move >>> 16));
    }
  }

  /** Emits code that stores the slots of an accept map. */
  accept(map: Int32Array): void {
    const { out } = this;
    const { at, start, base } = this.common;
    map.forEach((source, slot) => {
      const from = source >>> 16;
      const distance = (source << 16) >> 16;
      out.get(this.common.out);
      if (from === register.never) out.const(-1);
      else {
        out.get(from === register.end ? at : from === register.start ? start : this.local(from));
        out.get(base).put(code.sub);
        if (distance !== 0) out.const(distance).put(code.add);
      }
      out.store(slot * 4);
    });
  }

  /** Emits code that writes all registers to the kernel's memory. */
  writeBack(address: number): void {
    const { out } = this;
    const { start, base } = this.common;
    for (const [its, local] of [[register.start, start], ...this.locals] as const) {
      out.const(address + its * 4);
      out.get(local).get(base).put(code.sub).store();
    }
  }

  private local(its: number): number {
    let local = this.locals.get(its);
    if (local === undefined) {
      local = this.first + this.locals.size;
      this.locals.set(its, local);
    }
    return local;
  }
}
