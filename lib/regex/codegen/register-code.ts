// Generates the code for registers. In the generated code, registers are local variables that contain addresses.
// The code that reads bytes copies registers; the code that accepts a match stores them as offsets.

import { register } from "../automaton/table-layout.ts";
import { code, type FunctionWriter } from "./wasm-writer.ts";

/**
 * Local variables that the generated code uses: the current address in the text, the start of the match, the address
 * from which offsets are counted, and the address of the slots (start and end of each group).
 */
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
  /** Maps each register that a move sets to the local variable that replaces the register in the generated code. */
  private readonly locals = new Map<number, number>();

  /** Makes a generator of code for registers; the local variables for registers are numbered from `first` on. */
  constructor(out: FunctionWriter, common: RegisterLocals, first: number) {
    this.out = out;
    this.common = common;
    this.first = first;
  }

  /** Number of local variables that registers use. */
  get count(): number {
    return this.locals.size;
  }

  /**
   * Generates the moves between registers. The current position in the text is the address in the local variable
   * `at`, plus `ahead` bytes.
   */
  move(moves: readonly number[], ahead: number): void {
    const { out } = this;
    for (const move of moves) {
      const from = move & 0xffff;
      out.get(from === register.here ? this.common.at : this.local(from));
      if (from === register.here && ahead > 0) out.const(ahead).put(code.add);
      out.set(this.local(move >>> 16));
    }
  }

  /**
   * Generates code that stores the slots (start and end of each group) of a match. The accept map says from which
   * register each slot is computed.
   */
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

  /**
   * Generates code that writes all registers to memory, where the kernel (the search function in WebAssembly) reads
   * them.
   */
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
