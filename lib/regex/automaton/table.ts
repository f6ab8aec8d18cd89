// The rows of a state table that is built while texts are read (lazily), forward or backward: entries, records, skip
// sets, and limits (table-layout.ts explains these words).

import { type ByteClasses, byteClasses } from "./context.ts";
import type { Program } from "./program.ts";
import { entry, record, row, skipWorth } from "./table-layout.ts";
import type { TableMemory } from "./table-memory.ts";

const MAX_STATES = 2000;
const MAX_BYTES = 1 << 20;
/**
 * Largest number of instructions that are visited to build the states of one automaton; visiting them takes some 50 ms.
 * Expressions for log formats need at most 20,000.
 */
const MAX_WORK = 500_000;
const MAX_FLUSHES = 2;

/**
 * Results of `resolve`, which computes a missing table entry. `resolved`: the entry was filled in. `flushed`: all rows
 * were removed, so the text must be read again. `spent`: the state table has reached its limits and cannot be used any
 * more.
 */
export type Resolution = "resolved" | "flushed" | "spent";

export class Table {
  readonly classes: ByteClasses;
  /** The column of the state table for the end of the text. */
  readonly endColumn: number;
  flushes = 0;
  /** Work done so far: number of instructions visited while states were built. */
  work = 0;
  private readonly memory: TableMemory;
  /** The address of each state's row, by the number of the state. */
  private rows: number[] = [];
  private skipCounts: number[] = [];

  constructor(program: Program, memory: TableMemory, tails: boolean) {
    this.memory = memory;
    this.classes = byteClasses(program, tails);
    this.endColumn = this.classes.count;
  }

  get states(): number {
    return this.rows.length;
  }

  get size(): number {
    return this.memory.size;
  }

  get isFull(): boolean {
    return this.rows.length >= MAX_STATES || this.memory.size > MAX_BYTES;
  }

  get isSpent(): boolean {
    return this.work > MAX_WORK || (this.isFull && this.flushes >= MAX_FLUSHES);
  }

  flush(): void {
    this.flushes++;
    this.rows = [];
    this.skipCounts = [];
    this.memory.free();
  }

  free(): void {
    this.rows = [];
    this.skipCounts = [];
    this.memory.free();
  }

  /** Returns one byte of the byte class to which the column belongs; -1 for the column of the end of the text. */
  sample(column: number): number {
    return column === this.endColumn ? -1 : (this.classes.sample[column] as number);
  }

  addRow(): number {
    const address = this.memory.take(row.entries + this.endColumn + 1);
    const at = address >>> 2;
    const { words } = this.memory;
    words[at + row.state] = this.rows.length;
    words.fill(entry.missing, at + row.entries, at + row.entries + this.endColumn + 1);
    this.rows.push(address);
    this.skipCounts.push(0);
    return address;
  }

  stateOf(address: number): number {
    return this.memory.words[(address >>> 2) + row.state] as number;
  }

  setEntry(address: number, column: number, value: number): void {
    this.memory.words[(address >>> 2) + row.entries + column] = value;
  }

  /**
   * Returns a table entry that leads to the row at an address. Such an entry is enough for a transition that moves no
   * registers and stores no match.
   */
  leadingTo(address: number): number {
    return (this.skipCounts[this.stateOf(address)] as number) >= skipWorth ? address | entry.skips : address;
  }

  addRecord(next: number, accept: number, moves: readonly number[]): number {
    const address = this.memory.take(record.moves + moves.length);
    const at = address >>> 2;
    const { words } = this.memory;
    words[at + record.next] = next;
    words[at + record.accept] = accept;
    words[at + record.count] = moves.length;
    words.set(moves, at + record.moves);
    return address | entry.special;
  }

  addWords(values: readonly number[]): number {
    const address = this.memory.take(values.length);
    this.memory.words.set(values, address >>> 2);
    return address;
  }

  /**
   * Sets an entry of a row so that it leads back to the same row. Adds the ASCII bytes of the column to the row's skip
   * set (the bytes that lead back to the same state).
   */
  addLoop(address: number, column: number): void {
    const state = this.stateOf(address);
    const { words } = this.memory;
    const at = address >>> 2;
    let count = this.skipCounts[state] as number;
    for (let byte = 0; byte < 0x80; byte++) {
      if (this.classes.of[byte] !== column) continue;
      const low = byte & 15;
      words[at + (low >> 2)] = (words[at + (low >> 2)] as number) | (1 << ((byte >> 4) + 8 * (low & 3)));
      count++;
    }
    this.skipCounts[state] = count;
    this.setEntry(address, column, address);
    if (count < skipWorth) return;
    for (let i = at + row.entries; i <= at + row.entries + this.endColumn; i++)
      if (words[i] === address) words[i] = address | entry.skips;
  }
}
