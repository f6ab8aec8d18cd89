// Decodes the blocks of Zstandard data (RFC 8878, sections 3.1.1.2 to 4.2). Every block is written directly into
// the memory for the complete output. This memory also serves as the window, that is, the earlier output that
// copies refer to. So no window is allocated or moved, and memory and time depend only on the sizes of the input
// and the output.

import {
  BackwardBits,
  corrupt,
  type PrefixTable,
  readLiterals,
  readPrefixTable,
  readStateTable,
  type StateTable,
  stateTable,
} from "./zstd-tables.ts";

/** Largest decompressed size of one block, in bytes. */
export const mostOfBlock = 128 * 1024;
export const blockType = { raw: 0, run: 1, compressed: 2 } as const;

/**
 * Returns a table of length codes (RFC 8878, 3.1.1.3.2.1). Each code stands for a range of lengths. For each
 * code, the table has the shortest length of the range and the number of extra bits that select a length in the
 * range.
 */
function codes(bits: readonly number[], lowest: number) {
  let value = lowest;
  const base = bits.map((width) => {
    const own = value;
    value += 1 << width;
    return own;
  });
  return { bits: Uint8Array.from(bits), base: Int32Array.from(base) };
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);
const literalCodes = codes([...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 0);
const matchCodes = codes([...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 3);

/**
 * Describes one of the three kinds of tables for sequences (a sequence is some literal bytes, followed by a copy
 * of earlier output). Contains the limits that RFC 8878 sets for this kind, and the predefined table, which a
 * block may use without describing a table (RFC 8878, 3.1.1.3.2.2).
 */
interface Kind {
  readonly mostLog: number;
  readonly mostSymbol: number;
  readonly usual: StateTable;
}

const ones = (count: number): number[] => new Array<number>(count).fill(1);
const literalCounts = [
  ...[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
];
const offsetCounts = [...ones(6), 2, 2, 2, ...ones(15), -1, -1, -1, -1, -1];
const matchCounts = [1, 4, 3, 2, 2, 2, 2, 2, 2, ...ones(37), -1, -1, -1, -1, -1, -1, -1];

const kinds: readonly [literals: Kind, offsets: Kind, matches: Kind] = [
  { mostLog: 9, mostSymbol: 35, usual: stateTable(literalCounts, 6) },
  { mostLog: 8, mostSymbol: 31, usual: stateTable(offsetCounts, 5) },
  { mostLog: 9, mostSymbol: 52, usual: stateTable(matchCounts, 6) },
];

/**
 * Largest accepted offset code. An offset with a larger code would refer to a position before the start of the
 * output, because no output is long enough for it.
 */
const mostOffsetCode = 29;

/**
 * Copies longer than this number of bytes use JavaScript's `copyWithin`. Shorter copies use a loop, because each
 * call of `copyWithin` takes some time to start.
 */
const longCopy = 64;

const noStates = { log: 0, bits: new Uint8Array(1), next: new Uint16Array(1) };

/** Decodes the blocks of Zstandard frames into one output. The frames are decoded one after the other. */
export class ZstdBlocks {
  /** Offset in the output at which the next byte is written. */
  at = 0;
  private readonly output: Uint8Array;
  /** Creates the error that is thrown when a block does not fit into the output. */
  private readonly full: () => Error;
  private readonly literals = new Uint8Array(mostOfBlock);
  /** Offset in the output at which the current Zstandard frame begins. */
  private start = 0;
  private prefixes: PrefixTable | null = null;
  private tables: (StateTable | null)[] = [];
  private recent: [number, number, number] = [1, 4, 8];

  constructor(output: Uint8Array, full: () => Error) {
    this.output = output;
    this.full = full;
  }

  beginFrame(): void {
    this.start = this.at;
    this.prefixes = null;
    this.tables = [null, null, null];
    this.recent = [1, 4, 8];
  }

  /**
   * Decodes one block. `from`: the offset of the block's content in `data`. `size`: the size from the block's
   * header.
   */
  decode(data: Uint8Array, type: number, from: number, size: number): void {
    const { output } = this;
    if (type === blockType.compressed) {
      this.decodeSequences(data, from, from + size);
      return;
    }
    if (this.at + size > output.length) throw this.full();
    if (type === blockType.raw) output.set(data.subarray(from, from + size), this.at);
    else if (type === blockType.run) output.fill(data[from]!, this.at, this.at + size);
    else corrupt();
    this.at += size;
  }

  private decodeSequences(data: Uint8Array, start: number, end: number): void {
    const { literals, next } = this.readLiterals(data, start, end);
    let at = next;
    let left = data[at++]!;
    if (next >= end) corrupt();
    if (left === 255) {
      left = data[at]! + (data[at + 1]! << 8) + 0x7f00;
      at += 2;
    } else if (left >= 128) left = ((left - 128) << 8) + data[at++]!;
    if (left === 0) {
      this.append(literals, 0);
      return;
    }
    const modes = data[at++]!;
    if ((modes & 3) !== 0) corrupt();
    for (const [index, kind] of kinds.entries())
      at = this.readTable(data, at, end, (modes >> (6 - 2 * index)) & 3, index, kind);
    this.runSequences(new BackwardBits(data, at, end), left, literals);
  }

  /**
   * Reads one of the three tables for sequences (literal bytes, followed by a copy of earlier output) from its
   * description in the block, and stores the table. Returns the offset after the description.
   */
  private readTable(data: Uint8Array, at: number, end: number, mode: number, index: number, kind: Kind): number {
    switch (mode) {
      case 0:
        this.tables[index] = kind.usual;
        return at;
      case 1:
        if (at >= end || data[at]! > kind.mostSymbol) corrupt();
        this.tables[index] = { ...noStates, symbols: data.slice(at, at + 1) };
        return at + 1;
      case 2: {
        const { table, next } = readStateTable(data, at, end, kind.mostLog, kind.mostSymbol);
        this.tables[index] = table;
        return next;
      }
      default:
        if (this.tables[index] === null) corrupt();
        return at;
    }
  }

  /** Reads the literals (bytes that are no copies of earlier output) of a block (RFC 8878, 3.1.1.3.1). */
  private readLiterals(data: Uint8Array, start: number, end: number) {
    const [b0, b1, b2] = [data[start]!, data[start + 1]!, data[start + 2]!];
    const type = b0 & 3;
    const format = (b0 >> 2) & 3;
    if (type < 2) {
      const size =
        (format & 1) === 0 ? b0 >> 3 : format === 1 ? (b0 >> 4) | (b1 << 4) : (b0 >> 4) | (b1 << 4) | (b2 << 12);
      const from = start + ((format & 1) === 0 ? 1 : format === 1 ? 2 : 3);
      const next = from + (type === 0 ? size : 1);
      if (size > mostOfBlock || next > end) corrupt();
      if (type === 0) return { literals: data.subarray(from, next), next };
      return { literals: this.literals.subarray(0, size).fill(data[from]!), next };
    }
    const [b3, b4] = [data[start + 3]!, data[start + 4]!];
    const width = format < 2 ? 10 : format === 2 ? 14 : 18;
    const size = ((b0 >> 4) | (b1 << 4) | (b2 << 12)) & ((1 << width) - 1);
    const packed =
      width === 10 ? (b1 >> 6) | (b2 << 2) : width === 14 ? (b2 >> 2) | (b3 << 6) : (b2 >> 6) | (b3 << 2) | (b4 << 10);
    let from = start + (format < 2 ? 3 : format + 2);
    const next = from + packed;
    if (size > mostOfBlock || next > end) corrupt();
    if (type === 2) {
      const read = readPrefixTable(data, from, next);
      this.prefixes = read.table;
      from = read.next;
    }
    const { prefixes } = this;
    if (prefixes === null) corrupt();
    const literals = this.literals.subarray(0, size);
    if (format === 0) readLiterals(prefixes, new BackwardBits(data, from, next), literals);
    else {
      const part = (size + 3) >> 2;
      let streamAt = from + 6;
      for (let stream = 0; stream < 4; stream++) {
        const length = data[from + 2 * stream]! | (data[from + 2 * stream + 1]! << 8);
        const streamEnd = stream === 3 ? next : streamAt + length;
        if (streamEnd > next || part * 3 > size) corrupt();
        const target = literals.subarray(stream * part, stream === 3 ? size : (stream + 1) * part);
        readLiterals(prefixes, new BackwardBits(data, streamAt, streamEnd), target);
        streamAt = streamEnd;
      }
    }
    return { literals, next };
  }

  /**
   * Executes the sequences of a block (RFC 8878, 3.1.1.4): writes literal bytes and copies of earlier output. This
   * loop produces most of the output, so for speed it keeps all its state in local variables.
   */
  private runSequences(stream: BackwardBits, count: number, literals: Uint8Array): void {
    const { output } = this;
    const [literalTable, offsetTable, matchTable] = this.tables as [StateTable, StateTable, StateTable];
    let [recent, second, third] = this.recent;
    let { at } = this;
    const end = at + mostOfBlock;
    let literalState = stream.read(literalTable.log);
    let offsetState = stream.read(offsetTable.log);
    let matchState = stream.read(matchTable.log);
    let taken = 0;
    for (let left = count; left > 0; left--) {
      const offsetCode = offsetTable.symbols[offsetState]!;
      if (offsetCode > mostOffsetCode) corrupt();
      const value = (1 << offsetCode) + stream.read(offsetCode);
      const matchCode = matchTable.symbols[matchState]!;
      const length = matchCodes.base[matchCode]! + stream.read(matchCodes.bits[matchCode]!);
      const literalCode = literalTable.symbols[literalState]!;
      const fresh = literalCodes.base[literalCode]! + stream.read(literalCodes.bits[literalCode]!);
      if (left > 1) {
        literalState = literalTable.next[literalState]! + stream.read(literalTable.bits[literalState]!);
        matchState = matchTable.next[matchState]! + stream.read(matchTable.bits[matchState]!);
        offsetState = offsetTable.next[offsetState]! + stream.read(offsetTable.bits[offsetState]!);
      }
      // A copy may use one of the last three distances again (RFC 8878, 3.1.1.5).
      let offset = recent;
      if (value > 3) {
        offset = value - 3;
        third = second;
        second = recent;
      } else {
        const index = fresh > 0 ? value - 1 : value;
        if (index > 0) {
          offset = index === 1 ? second : index === 2 ? third : recent - 1;
          if (index > 1) third = second;
          second = recent;
        }
      }
      recent = offset;
      const copyAt = at + fresh;
      const next = copyAt + length;
      if (taken + fresh > literals.length || next > end || offset === 0 || offset > copyAt - this.start) corrupt();
      if (next > output.length) throw this.full();
      if (fresh > longCopy) output.set(literals.subarray(taken, taken + fresh), at);
      else for (let index = 0; index < fresh; index++) output[at + index] = literals[taken + index]!;
      taken += fresh;
      if (length > longCopy && offset >= length) output.copyWithin(copyAt, copyAt - offset, next - offset);
      else for (let index = copyAt; index < next; index++) output[index] = output[index - offset]!;
      at = next;
    }
    if (stream.left !== 0 || at + literals.length - taken > end) corrupt();
    this.recent = [recent, second, third];
    this.at = at;
    this.append(literals, taken);
  }

  private append(literals: Uint8Array, from: number): void {
    const { output, at } = this;
    const next = at + literals.length - from;
    if (next > output.length) throw this.full();
    output.set(literals.subarray(from), at);
    this.at = next;
  }
}
