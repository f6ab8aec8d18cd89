// The interface of every tier of the engine: one search over bytes. Tier 0 is pike.ts, tier 1 the tables
// (table-engine.ts).

import type { WasmModule } from "../../wasm/module.ts";

/**
 * An engine for one expression. A text is `bytes[start, end)`; the engine ignores the bytes around it. All offsets are
 * indexes into `bytes`. `from` must be a boundary of characters: `start`, `end` or an offset that a search returned.
 */
export interface Engine {
  /** Number of words that `exec` writes: start and end of each group; group 0 is the whole match. */
  readonly slots: number;
  /**
   * Finds the leftmost-first match that starts at `from` or later, and writes its slots; a group that took no part gets
   * -1 twice. Returns whether there is a match.
   */
  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean;
  /** Frees the memory of the tables; a later search makes them again. */
  free(): void;
  /** Returns whether there is a match at `from` or later. */
  test(bytes: Uint8Array, start: number, end: number, from: number): boolean;
}

/** An engine with tables in a module's memory, where it searches many lines in one call. */
export interface ModuleEngine extends Engine {
  readonly module: WasmModule;
  /**
   * Searches lines in the module's memory. `lines` is the address of two words for each line, its start and end as
   * offsets from `base`. The slots of line i, as offsets from `base`, go to `out + i * slots * 4`; -1 in the first slot
   * means that the line does not match.
   */
  execLines(base: number, lines: number, count: number, out: number): void;
  /**
   * Searches a text in the module's memory. Returns the address of the slots, which count from `address`; 0 when there
   * is no match; -1 when the caller must use `exec` instead.
   */
  searchAt(address: number, length: number): number;
  /**
   * Address of the machine, for callers that let the module search by itself, and address of the slots that it writes;
   * 0 while searches must go through this class.
   */
  readonly machineAt: number;
  readonly slotsAt: number;
  /** Counts a search that the machine made by itself. */
  countOne(): void;
}

export function isInModule(engine: Engine): engine is ModuleEngine {
  return "execLines" in engine;
}
