// What every tier of the engine offers: one search over bytes. Tier 0 is pike.ts, tier 1 the tables (table-engine.ts).

import type { WasmModule } from "../../wasm/module.ts";

/**
 * A text is `bytes[start, end)`; what lies around it is not seen. All offsets are indexes into `bytes`.
 * `from` must be a boundary of characters: `start`, `end` or an offset that a search gave.
 */
export interface Engine {
  /** Words that `exec` writes: start and end by group, group 0 the whole match. */
  readonly slots: number;
  /** Finds the leftmost-first match that starts at `from` or later; a group that took no part has -1 twice. */
  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean;
  /** Gives the memory of the tables back; a later search makes them anew. */
  free(): void;
  /** Whether there is a match at `from` or later. */
  test(bytes: Uint8Array, start: number, end: number, from: number): boolean;
}

/** An engine whose tables lie in a module's memory, where it searches many lines in one call. */
export interface ModuleEngine extends Engine {
  readonly module: WasmModule;
  /**
   * Searches lines of the module's memory: `lines` is the address of two words for each, start and end counted from `base`. The
   * slots of line i, counted from `base`, go to `out + i * slots * 4`, -1 in the first one when the line does not match.
   */
  execLines(base: number, lines: number, count: number, out: number): void;
  /**
   * Searches a text where it lies in the module's memory: the address of the slots, counted from `address`; 0 when there is no match, -1
   * when `exec` has to be asked instead.
   */
  searchAt(address: number, length: number): number;
  /** The machine, for who lets the module search by itself, and where it puts the slots; 0 as long as searches must come through here. */
  readonly machineAt: number;
  readonly slotsAt: number;
  /** Tells of a search that the machine made by itself. */
  countOne(): void;
}

export function isInModule(engine: Engine): engine is ModuleEngine {
  return "execLines" in engine;
}
