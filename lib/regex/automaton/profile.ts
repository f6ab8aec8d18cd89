// Counts how often texts take each transition of a forward state table, so that the code generator can make the
// frequent transitions fast. For this count, some of the searched texts are read a second time.

import type { WasmModule } from "../../wasm/module.ts";
import { kind, kindOf } from "./context.ts";
import type { Table } from "./table.ts";
import { entry, record, row } from "./table-layout.ts";

/**
 * Largest distance in bytes between the first start position and a later start position at which a match is also
 * tried. The transitions of these later tries are counted, too.
 */
const TRIES = 4;
/**
 * A later start position is worth trying when more than one in `TRY_WORTH` counted texts has a match that begins
 * there.
 */
const TRY_WORTH = 20;
/** Largest number of bytes of a text that are read from one start position to count transitions. */
const MOST = 4096;

export class Profile {
  /**
   * How often each transition was taken. The map is from the address of a state's row in the state table to an
   * array, which has one count for each column (class of bytes).
   */
  ways = new Map<number, Int32Array>();
  /** Number of texts whose transitions were counted. */
  private texts = 0;
  /**
   * Counts of matches by their distance from the first start position: index i has the number of matches that
   * began i bytes after it.
   */
  private readonly foundAt = new Array<number>(TRIES + 1).fill(0);
  private readonly module: WasmModule;
  private readonly table: Table;
  private readonly atEdge: boolean;

  constructor(module: WasmModule, table: Table, atEdge: boolean) {
    this.module = module;
    this.table = table;
    this.atEdge = atEdge;
  }

  clear(): void {
    this.ways = new Map();
    this.texts = 0;
    this.foundAt.fill(0);
  }

  /** Returns the number of start positions after the first one that are worth trying. */
  get tries(): number {
    return this.foundAt.findLastIndex((times) => times * TRY_WORTH > this.texts);
  }

  /**
   * Counts the transitions that a search of one text takes. The search begins at the offset `from`: it tries a match at
   * the first few positions, and then reads the match that begins at `found` (-1 for no match). `begins` is the address
   * of the state table's start entries, and `base` the address from which offsets are counted.
   */
  add(begins: number, base: number, start: number, end: number, from: number, found: number): void {
    this.texts++;
    const last = this.atEdge ? from : Math.min(from + TRIES, end);
    for (let at = from; at <= last && at !== found; at++) this.addTry(begins, base, start, end, at);
    if (found < 0) return;
    this.addTry(begins, base, start, end, found);
    const behind = found - from;
    if (behind > 0 && behind <= TRIES) this.foundAt[behind] = (this.foundAt[behind] as number) + 1;
  }

  private addTry(begins: number, base: number, start: number, end: number, from: number): void {
    const { u8, i32 } = this.module;
    const { classes, endColumn } = this.table;
    const before = from > start ? kindOf(u8[base + from - 1] as number) : kind.edge;
    let next = i32[(begins >> 2) + before] as number;
    for (let at = from; at < from + MOST; at++) {
      const address = next & ~3;
      const column = at < end ? (classes.of[u8[base + at] as number] as number) : endColumn;
      let counts = this.ways.get(address);
      if (counts === undefined) {
        counts = new Int32Array(endColumn + 1);
        this.ways.set(address, counts);
      }
      counts[column] = (counts[column] as number) + 1;
      next = i32[(address >> 2) + row.entries + column] as number;
      if (next === entry.missing || next === entry.dead) return;
      if ((next & entry.special) !== 0) next = i32[(next >> 2) + record.next] as number;
      if (next === 0) return;
    }
  }
}
