// Generates WebAssembly code that examines bytes: it finds out which of several sets a byte is in, finds the first of
// 16 bytes outside a set, and tests whether 16 bytes lie within bounds. The constants that this code needs (vectors and
// maps) are stored in memory, each only once.

import { code, type FunctionWriter, simd } from "./wasm-writer.ts";

interface ByteRange {
  readonly lo: number;
  readonly hi: number;
}

/**
 * Local variables that the generated code uses: the current address in the text, the end of the text, a byte or mask,
 * and a vector.
 */
export interface ByteLocals {
  readonly at: number;
  readonly end: number;
  readonly byte: number;
  readonly vector: number;
}

/** Number of WebAssembly instructions that `lookUp` generates for its two table look-ups. */
const LOOK_UPS = 9;

export class ByteCode {
  private readonly out: FunctionWriter;
  private readonly locals: ByteLocals;
  private readonly put: (bytes: Uint8Array) => number;
  /** Maps the content of each constant (vector or map) that is stored in memory to its address. */
  private readonly kept = new Map<string, number>();

  /**
   * Makes a generator of code that examines bytes; `put` stores bytes in memory permanently and returns their address.
   */
  constructor(out: FunctionWriter, locals: ByteLocals, put: (bytes: Uint8Array) => number) {
    this.out = out;
    this.locals = locals;
    this.put = put;
  }

  /** Returns the address of a constant in memory. The first call for a constant stores it there. */
  keep(bytes: Uint8Array): number {
    const key = bytes.join();
    let address = this.kept.get(key);
    if (address === undefined) {
      address = this.put(bytes);
      this.kept.set(key, address);
    }
    return address;
  }

  /**
   * Generates code that loads the byte at the current address. Returns one function for each set. Each of these
   * functions generates code that tests whether the byte is in the set, and leaves the answer on the stack.
   */
  tests(sets: readonly Uint8Array[]): (() => void)[] {
    const { out } = this;
    const { at, byte } = this.locals;
    if (sets.length > 0) out.get(at).load8().set(byte);
    const ranges = sets.map(rangesOf);
    const map = ranges.every((its) => its.length === 1) ? 0 : this.keep(mapOf(sets));
    return ranges.map((its, number) => () => {
      const { lo, hi } = its[0] as ByteRange;
      out.get(byte);
      if (its.length > 1) out.load8(map).const(number + 1);
      else if (lo === hi) out.const(lo);
      else out.const(lo).put(code.sub);
      if (its.length > 1 || lo === hi) out.put(code.eq);
      else out.const(hi - lo + 1).put(code.ltU);
    });
  }

  /**
   * Generates code that moves the current address past all bytes of an ASCII set. The address may end up after the end
   * of the text.
   */
  pass(set: Uint8Array): void {
    const { out } = this;
    const { at, end, byte } = this.locals;
    const stopped = out.begin(code.block);
    this.stopMask(set);
    out.tee(byte).brIf(stopped);
    const more = out.begin(code.loop);
    out.get(at).const(16).put(code.add).tee(at).get(end).put(code.ltU).begin(code.if);
    this.stopMask(set);
    out.tee(byte).put(code.eqz).brIf(more);
    out.put(code.else).const(1).set(byte);
    out.end().end().end();
    out.get(at).get(byte).put(code.ctz).put(code.add).set(at);
  }

  /**
   * Generates code that compares the next bytes with `bounds`: one pair of bounds for each byte, at most 16. The code
   * leaves on the stack whether any byte is outside its bounds.
   */
  outside(bounds: readonly ByteRange[]): void {
    const lows = new Uint8Array(16);
    const widths = new Uint8Array(16).fill(0xff);
    bounds.forEach(({ lo, hi }, i) => {
      lows[i] = lo;
      widths[i] = hi - lo;
    });
    this.out.get(this.locals.at).loadVector().vectorAt(this.keep(lows)).simd(simd.sub);
    this.out.vectorAt(this.keep(widths)).simd(simd.leU).simd(simd.bitmask).const(0xffff).put(code.ne);
  }

  /**
   * Generates code that examines the next 16 bytes and leaves a mask on the stack: bit i is set when byte i is not in
   * the set.
   */
  private stopMask(set: Uint8Array): void {
    const { out } = this;
    const { at, vector } = this.locals;
    const inside = rangesOf(set);
    const beyond = rangesOf(set.subarray(0, 0x80).map((has) => 1 - has));
    const [within, without] = [cost(inside) + 1, cost(beyond)];
    out.get(at).loadVector().set(vector);
    if (Math.min(within, without) >= LOOK_UPS) {
      this.lookUp(set);
      out.simd(simd.bitmask);
    } else if (without <= within) {
      // Bytes that are not ASCII need no comparison, because their highest bit already marks them in the mask.
      out.get(vector);
      for (const range of beyond) {
        this.compare(range);
        out.simd(simd.or);
      }
      out.simd(simd.bitmask);
    } else {
      inside.forEach((range, number) => {
        this.compare(range);
        if (number > 0) out.simd(simd.or);
      });
      out.simd(simd.bitmask).const(0xffff).put(code.xor);
    }
  }

  private compare({ lo, hi }: ByteRange): void {
    this.out.get(this.locals.vector).vectorAt(this.all(lo));
    if (lo === hi) this.out.simd(simd.eq);
    else
      this.out
        .simd(simd.sub)
        .vectorAt(this.all(hi - lo))
        .simd(simd.leU);
  }

  /**
   * Generates two table look-ups for each of 16 bytes: one by the low four bits of the byte and one by its high four
   * bits (Langdale and Lemire, simdjson). Bit h of byte i in the first table is set when the set contains the byte
   * whose low four bits are i and whose high four bits are h.
   */
  private lookUp(set: Uint8Array): void {
    const { out } = this;
    const { vector } = this.locals;
    const low = new Uint8Array(16);
    for (let byte = 0; byte < 0x80; byte++)
      if (set[byte] === 1) low[byte & 15] = (low[byte & 15] as number) | (1 << (byte >> 4));
    const high = Uint8Array.from({ length: 16 }, (_, half) => (half < 8 ? 1 << half : 0));
    out.vectorAt(this.keep(low)).get(vector).vectorAt(this.all(15)).simd(simd.and).simd(simd.swizzle);
    out.vectorAt(this.keep(high)).get(vector).const(4).simd(simd.shrU).simd(simd.swizzle);
    out.simd(simd.and).vectorAt(this.all(0)).simd(simd.eq);
  }

  private all(byte: number): number {
    return this.keep(new Uint8Array(16).fill(byte));
  }
}

function rangesOf(set: Uint8Array): ByteRange[] {
  const ranges: { lo: number; hi: number }[] = [];
  set.forEach((has, byte) => {
    if (has === 0) return;
    const last = ranges.at(-1);
    if (last?.hi === byte - 1) last.hi = byte;
    else ranges.push({ lo: byte, hi: byte });
  });
  return ranges;
}

/** Returns the number of WebAssembly instructions that it takes to compare a byte with the ranges. */
function cost(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { lo, hi }) => sum + (lo === hi ? 2 : 4), 0);
}

/**
 * Returns a number for each byte: 1 when the first set contains the byte, 2 for the second set, and so on; 0 when no
 * set contains the byte.
 */
function mapOf(sets: readonly Uint8Array[]): Uint8Array {
  const map = new Uint8Array(256);
  sets.forEach((set, number) => {
    set.forEach((has, byte) => {
      if (has === 1) map[byte] = number + 1;
    });
  });
  return map;
}
