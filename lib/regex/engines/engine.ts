// The interface of the regular expression engines: a search over bytes. Tier 0 is a simulation of the automaton
// (pike.ts), tier 1 reads tables of its states (table-engine.ts).

import type { WasmModule } from "../../wasm/module.ts";

/**
 * An engine for one expression. The text to search is `bytes[start, end)`; the engine ignores the bytes around it. All
 * offsets are indexes into `bytes`. The search position `from` must lie between characters: it may be `start`, `end` or
 * an offset that a search returned.
 */
export interface Engine {
  /** Number of slots that `exec` writes: two for each group, its start and its end; group 0 is the whole match. */
  readonly slots: number;
  /**
   * Finds the leftmost-first match that starts at `from` or later, and writes its slots (start and end of each group);
   * both are -1 for a group that took no part in the match. Returns whether there is a match.
   */
  exec(bytes: Uint8Array, start: number, end: number, from: number, slots: Int32Array): boolean;
  /** Frees the memory of the tables; a later search builds the tables again. */
  free(): void;
  /** Returns whether there is a match that starts at `from` or later. */
  test(bytes: Uint8Array, start: number, end: number, from: number): boolean;
}

/**
 * An engine whose tables are in a WebAssembly module's memory, and which can search many lines in one call of the
 * module.
 */
export interface ModuleEngine extends Engine {
  readonly module: WasmModule;
  /**
   * Searches lines in the memory of the WebAssembly module. At the address `lines` lie two words for each line: its
   * start and end as offsets from `base`. The slots (start and end of each group) of line i are written at
   * `out + i * slots * 4`, also as offsets from `base`; -1 in the first slot means that the line does not match.
   */
  execLines(base: number, lines: number, count: number, out: number): void;
  /**
   * Searches a text in the memory of the WebAssembly module. Returns the address of the slots (start and end of each
   * group), which are offsets from `address`. Returns 0 when there is no match, and -1 when the caller must use `exec`
   * instead.
   */
  searchAt(address: number, length: number): number;
  /**
   * Address of the machine (the record that holds the state of a search). WebAssembly code that has this address can
   * search without calling this class. The address is 0 while all searches must go through this class: before the class
   * has decided whether to generate code for the expression, and after the state tables have reached their limits.
   */
  readonly machineAt: number;
  /** Address at which a search by other WebAssembly code writes the slots (start and end of each group). */
  readonly slotsAt: number;
  /** Counts a search that WebAssembly code made without calling this class. */
  countOne(): void;
}

export function isInModule(engine: Engine): engine is ModuleEngine {
  return "execLines" in engine;
}
