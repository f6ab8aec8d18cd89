// When an expression's searches are worth generated code: counts what texts do, has the code made, watches how often it leaves a
// text to the table, and has better code made when that is often.

import type { WasmModule } from "../../wasm/module.ts";
import { Profile } from "../automaton/profile.ts";
import type { Table } from "../automaton/table.ts";
import { machine as word } from "../automaton/table-layout.ts";
import type { TableMemory } from "../automaton/table-memory.ts";
import { generate } from "../codegen/generate.ts";

/** Searches before code is generated, and those of them whose ways are counted for it. */
const WARM = 1000;
const COUNTED = 200;

/** When code leaves one text in so many to the table, better code is made after as many searches again, a few times. */
const LEAVES_MANY = 10;
const MAX_MADE = 4;

export class TierTwo {
  /** How often code was made since the rows were. */
  made = 0;
  private readonly module: WasmModule;
  private readonly table: Table;
  private readonly memory: TableMemory;
  private readonly slots: number;
  private readonly profile: Profile;
  /** Address of the machine that runs the code. */
  private machine = 0;
  /** Index of the function, 0 without one. */
  private code = 0;
  /** Searches since the rows were made, or since code was. */
  private searches = 0;
  /** Code is made or cannot be; what it leaves to the table is watched. */
  private watches = false;

  /** `table` is the forward one; what the code needs is put into `memory`. */
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

  /** The machine has new rows, none of them known to code. */
  begin(machine: number): void {
    this.forget();
    this.machine = machine;
    this.set(word.code, 0);
  }

  /** Code and counts speak of rows: they go when those go. */
  forget(): void {
    this.remove();
    this.profile.clear();
    this.made = 0;
    this.watches = false;
    this.searches = 0;
  }

  /** A text was searched from `from` on and matched at `found`, -1 for not. */
  count(base: number, start: number, end: number, from: number, found: number): void {
    this.searches++;
    if (this.counts) this.profile.add(this.begins, base, start, end, from, found);
    if (this.searches >= WARM) this.improve();
  }

  /** Code is made or cannot be: searches need not be counted by what they do. */
  get isSettled(): boolean {
    return this.watches;
  }

  /** A text was searched by the machine alone, while that is so. */
  countOne(): void {
    if (++this.searches >= WARM) this.improve();
  }

  /** Lines were searched, as `KernelEngine.execLines` is given them. */
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

  /** Makes code when enough texts were counted; counts again when code leaves many. */
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

  /** Address of the first entries. */
  private get begins(): number {
    return this.machine + word.begins * 4;
  }

  private set(which: number, value: number): void {
    this.module.i32[(this.machine >> 2) + which] = value;
  }
}
