// Decides when WebAssembly code is generated for an expression (tier 2). Counts the transitions that
// searches take, and has code generated from the counts. The generated code may stop within a text, and the
// state table then continues the search. If this happens in many texts, has better code generated.

import type { WasmModule } from "../../wasm/module.ts";
import { Profile } from "../automaton/profile.ts";
import type { Table } from "../automaton/table.ts";
import { machine as word } from "../automaton/table-layout.ts";
import type { TableMemory } from "../automaton/table-memory.ts";
import { generate } from "../codegen/generate.ts";

/** Number of searches after which code for an expression is generated. */
const WARM = 1000;
/**
 * Number of searches in which the transitions of the state table are counted: the last searches before code is
 * generated.
 */
const COUNTED = 200;

/**
 * The generated code may stop within a text; the state table then continues the search. When this happens in
 * more than one of LEAVES_MANY texts, transitions are counted again in COUNTED searches, and better code is
 * generated from these counts. Code is generated at most MAX_MADE times in all, until the rows of the state
 * table are built anew.
 */
const LEAVES_MANY = 10;
const MAX_MADE = 4;

export class TierTwo {
  /** How often code was generated since the rows of the state table were built. */
  made = 0;
  private readonly module: WasmModule;
  private readonly table: Table;
  private readonly memory: TableMemory;
  private readonly slots: number;
  private readonly profile: Profile;
  /** Address of the machine (the record that contains the state of a search) for which the code is generated. */
  private machine = 0;
  /** Index of the generated function in the WebAssembly table; 0 for none. */
  private code = 0;
  /** Number of searches since the rows of the state table were built or code was generated. */
  private searches = 0;
  /**
   * Whether code was generated or cannot be generated. From then on, transitions of the state table are no
   * longer counted. Instead, the texts are counted in which the generated code stops, so that the state table
   * has to continue the search.
   */
  private watches = false;

  /**
   * Makes the object that decides for one engine when code is generated. `table` is the engine's forward state table;
   * the data of the generated code is stored in `memory`.
   */
  constructor(module: WasmModule, table: Table, memory: TableMemory, slots: number, atEdge: boolean) {
    this.module = module;
    this.table = table;
    this.memory = memory;
    this.slots = slots;
    this.profile = new Profile(module, table, atEdge);
  }

  get runs(): boolean {
    return this.code > 0;
  }

  /**
   * Starts again with a new machine (the record that holds the state of a search), whose state table has new rows and
   * no generated code.
   */
  begin(machine: number): void {
    this.forget();
    this.machine = machine;
    this.set(word.code, 0);
  }

  /** Drops the generated code and the counts, because they refer to rows of the state table that no longer exist. */
  forget(): void {
    this.remove();
    this.profile.clear();
    this.made = 0;
    this.watches = false;
    this.searches = 0;
  }

  /**
   * Adds one search to the statistics by which the engine decides what code to generate. The search started at the
   * offset `from`, and its match begins at `found`, which is -1 when nothing matched.
   */
  count(base: number, start: number, end: number, from: number, found: number): void {
    this.searches++;
    if (this.counts) this.profile.add(this.begins, base, start, end, from, found);
    if (this.searches >= WARM) this.improve();
  }

  /** Whether code was generated or cannot be generated, so that transitions need not be counted any more. */
  get isDecided(): boolean {
    return this.watches;
  }

  /**
   * Counts a text that WebAssembly code searched without calling the engine. Called only when transitions are no longer
   * counted.
   */
  countOne(): void {
    if (++this.searches >= WARM) this.improve();
  }

  /** Counts lines that were searched; the parameters are those of `KernelEngine.execLines`. */
  countLines(base: number, lines: number, count: number, out: number): void {
    this.searches += count;
    if (this.counts) {
      const { i32 } = this.module;
      for (let line = Math.max(0, count - COUNTED); line < count; line++) {
        const [start, end] = [i32[(lines >> 2) + 2 * line] as number, i32[(lines >> 2) + 2 * line + 1] as number];
        this.profile.add(this.begins, base, start, end, start, i32[(out >> 2) + line * this.slots] as number);
      }
    }
    if (this.searches >= WARM) this.improve();
  }

  private get counts(): boolean {
    return !this.watches && this.searches > WARM - COUNTED;
  }

  /**
   * Called when `searches` has reached WARM. The first call generates code, if possible, from the transitions
   * that were counted. A later call checks how often the generated code stopped within a text, so that the
   * state table had to continue the search. If this happened in many of the texts that were searched since the
   * last call, transitions are counted again, and the next call generates better code.
   */
  private improve(): void {
    const lefts = (this.machine >> 2) + word.lefts;
    const many = (this.module.i32[lefts] as number) * LEAVES_MANY > this.searches;
    this.searches = 0;
    this.module.i32[lefts] = 0;
    if (!this.watches) {
      this.watches = true;
      if (this.module.generates) this.make();
    } else if (many && this.made < MAX_MADE) {
      this.watches = false;
      this.searches = WARM - COUNTED;
    }
  }

  private make(): void {
    const { module, memory, table, profile, slots, begins } = this;
    const code = generate({
      get words() {
        return module.i32;
      },
      classes: table.classes,
      endColumn: table.endColumn,
      profile: profile.ways,
      begins: [...module.i32.subarray(begins >> 2, (begins >> 2) + 5)],
      slots,
      tries: profile.tries,
      registers: module.exports.registersAddress(),
      keep: (bytes) => {
        const address = memory.take(bytes.length >> 2);
        module.u8.set(bytes, address);
        return address;
      },
    });
    if (code === null) return;
    this.remove();
    this.made++;
    this.code = module.addFunction(code.bytes);
    this.set(word.code, this.code);
    this.set(word.wide, code.wide ? 1 : 0);
  }

  private remove(): void {
    if (this.code === 0) return;
    this.module.removeFunction(this.code);
    this.code = 0;
  }

  /** Returns the address of the state table entries with which reading begins. */
  private get begins(): number {
    return this.machine + word.begins * 4;
  }

  private set(which: number, value: number): void {
    this.module.i32[(this.machine >> 2) + which] = value;
  }
}
