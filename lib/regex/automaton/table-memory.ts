// The memory for the state tables: memory in JavaScript, or pages of the WebAssembly module's memory, which its search
// function can read. Addresses are in bytes and aligned to 16; `words[address >> 2]` is the first word at an address.

import { pageSize, type WasmModule } from "../../wasm/module.ts";

export interface TableMemory {
  /**
   * A JavaScript view of the table memory. It is replaced when the memory grows, so it must be read again after each
   * `take`.
   */
  readonly words: Int32Array;
  /** Allocates a number of words, which are 0, and returns their address. */
  take(words: number): number;
  /** Frees all table memory that was taken. */
  free(): void;
  /** Number of bytes of the table memory that are in use. */
  readonly size: number;
}

export class OwnMemory implements TableMemory {
  words = new Int32Array(1024);
  private used = 4;

  take(words: number): number {
    const at = this.used;
    this.used += (words + 3) & ~3;
    if (this.used > this.words.length) {
      const larger = new Int32Array(Math.max(this.words.length * 2, this.used));
      larger.set(this.words);
      this.words = larger;
    }
    return at << 2;
  }

  free(): void {
    this.words = new Int32Array(1024);
    this.used = 4;
  }

  get size(): number {
    return this.used << 2;
  }
}

/** Table memory in pages of the WebAssembly module's memory; memory that was taken never moves. */
export class LinearMemory implements TableMemory {
  private readonly module: WasmModule;
  private readonly runs: { readonly address: number; readonly pages: number }[] = [];
  private at = 0;
  private end = 0;
  private taken = 0;

  constructor(module: WasmModule) {
    this.module = module;
  }

  get words(): Int32Array {
    return this.module.i32;
  }

  take(words: number): number {
    const bytes = ((words + 3) & ~3) << 2;
    if (this.at + bytes > this.end) {
      const pages = Math.ceil(bytes / pageSize);
      const address = this.module.takePages(pages);
      this.runs.push({ address, pages });
      this.at = address;
      this.end = address + pages * pageSize;
    }
    const address = this.at;
    this.at += bytes;
    this.taken += bytes;
    this.words.fill(0, address >>> 2, (address + bytes) >>> 2);
    return address;
  }

  free(): void {
    for (const { address, pages } of this.runs) this.module.givePages(address, pages);
    this.runs.length = 0;
    this.at = this.end = this.taken = 0;
  }

  get size(): number {
    return this.taken;
  }
}
