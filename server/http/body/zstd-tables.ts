// Decodes the two entropy codes of Zstandard: finite state entropy (RFC 8878, section 4.1) and Huffman (section
// 4.2). Reads the descriptions of the decoding tables from a block, and decodes streams of bits with these
// tables.

/**
 * A decoding table of Zstandard's finite state entropy code. For each state, it contains the decoded symbol
 * (`symbols`) and two numbers from which the next state is computed: how many bits are read from the stream
 * (`bits`), and what is added to their value (`next`).
 */
export interface StateTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly next: Uint16Array;
}

/**
 * A Huffman decoding table. The index of an entry is the value of the next `log` bits in the stream. Each entry
 * contains the decoded symbol and the number of these bits that belong to the symbol's code.
 */
export interface PrefixTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

const log2 = (value: number): number => 31 - Math.clz32(value);

export function corrupt(): never {
  throw new Error("a zstd block is corrupt");
}

/**
 * A stream of bits that is read backward, from its end. The highest set bit of the last byte marks the place
 * where reading begins.
 */
export class BackwardBits {
  readonly data: Uint8Array;
  readonly start: number;
  /** Number of bits of the stream that have not been read yet. */
  left: number;

  constructor(data: Uint8Array, start: number, end: number) {
    if (end <= start || end > data.length || data[end - 1] === 0) corrupt();
    this.data = data;
    this.start = start;
    this.left = (end - start - 1) * 8 + log2(data[end - 1]!);
  }

  /** Reads the next `count` bits of the stream, at most 30. */
  read(count: number): number {
    if (count > 16) return (this.read(count - 16) << 16) | this.read(16);
    this.left -= count;
    if (this.left < 0) corrupt();
    return this.peek(this.left, count);
  }

  /**
   * Returns up to 16 bits at the position `from` without advancing the stream. Bits before the start of the stream
   * count as zeros.
   */
  peek(from: number, count: number): number {
    const { data } = this;
    if (from < 0) return ((data[this.start]! | (data[this.start + 1]! << 8)) << -from) & ((1 << count) - 1);
    const at = this.start + (from >> 3);
    return ((data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)) >>> (from & 7)) & ((1 << count) - 1);
  }
}

export function stateTable(counts: ArrayLike<number>, log: number): StateTable {
  const size = 1 << log;
  const table = { log, symbols: new Uint8Array(size), bits: new Uint8Array(size), next: new Uint16Array(size) };
  const { symbols, bits, next } = table;
  const seen = new Uint16Array(counts.length);
  let high = size;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    seen[symbol] = Math.abs(counts[symbol]!);
    if (counts[symbol] === -1) symbols[--high] = symbol;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    for (let left = counts[symbol]!; left > 0; left--) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  }
  for (let state = 0; state < size; state++) {
    const count = seen[symbols[state]!]!++;
    bits[state] = log - log2(count);
    next[state] = (count << bits[state]!) - size;
  }
  return table;
}

/** Reads the description of a finite-state-entropy table (RFC 8878, 4.1.1) and builds the table. */
export function readStateTable(data: Uint8Array, start: number, end: number, mostLog: number, mostSymbol: number) {
  let bit = start * 8;
  const peek = (count: number): number => {
    const at = bit >> 3;
    return ((data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)) >>> (bit & 7)) & ((1 << count) - 1);
  };
  const log = peek(4) + 5;
  bit += 4;
  if (log > mostLog) corrupt();
  const counts = new Int16Array(mostSymbol + 1);
  let symbol = 0;
  let left = 1 << log;
  while (left > 0) {
    if (symbol > mostSymbol || bit > end * 8) corrupt();
    const width = log2(left + 1) + 1;
    const low = (1 << (width - 1)) - 1;
    const short = (1 << width) - 2 - left;
    let value = peek(width);
    bit += width;
    if ((value & low) < short) {
      value &= low;
      bit--;
    } else if (value > low) value -= short;
    const count = value - 1;
    counts[symbol++] = count;
    left -= Math.abs(count);
    if (count !== 0) continue;
    for (let more = 3; more === 3; bit += 2) {
      more = peek(2);
      symbol += more;
    }
  }
  const next = (bit + 7) >> 3;
  if (left < 0 || next > end) corrupt();
  return { table: stateTable(counts, log), next };
}

const mostWeights = 255;
const mostPrefix = 11;

/** Reads the description of a Huffman tree (RFC 8878, 4.2.1) and builds its decoding table. */
export function readPrefixTable(data: Uint8Array, start: number, end: number) {
  const head = data[start]!;
  const weights: number[] = [];
  let next = start + 1;
  if (head >= 128) {
    for (let index = 0; index < head - 127; index++) {
      const byte = data[next + (index >> 1)]!;
      weights.push(index % 2 === 0 ? byte >> 4 : byte & 15);
    }
    next += (head - 126) >> 1;
  } else {
    next += head;
    if (next > end) corrupt();
    const { table, next: from } = readStateTable(data, start + 1, next, 6, mostWeights);
    const stream = new BackwardBits(data, from, next);
    const states = [stream.read(table.log), stream.read(table.log)] as [number, number];
    for (let turn = 0; weights.length < mostWeights; turn ^= 1) {
      const state = states[turn]!;
      weights.push(table.symbols[state]!);
      if (stream.left < table.bits[state]!) {
        weights.push(table.symbols[states[turn ^ 1]!]!);
        break;
      }
      states[turn] = table.next[state]! + stream.read(table.bits[state]!);
    }
  }
  let sum = 0;
  for (const weight of weights) {
    if (weight > mostPrefix) corrupt();
    sum += weight > 0 ? 1 << (weight - 1) : 0;
  }
  const log = log2(sum) + 1;
  const rest = (1 << log) - sum;
  if (next > end || sum === 0 || log > mostPrefix || weights.length > mostWeights || (rest & (rest - 1)) !== 0)
    corrupt();
  weights.push(log2(rest) + 1);
  const table = { log, symbols: new Uint8Array(1 << log), bits: new Uint8Array(1 << log) };
  let at = 0;
  for (let weight = 1; weight <= log; weight++) {
    for (let symbol = 0; symbol < weights.length; symbol++) {
      if (weights[symbol] !== weight) continue;
      const behind = at + (1 << (weight - 1));
      table.symbols.fill(symbol, at, behind);
      table.bits.fill(log + 1 - weight, at, behind);
      at = behind;
    }
  }
  return { table, next };
}

/**
 * Fills `target` with the literals (bytes that are no copies of earlier output) of a Huffman-coded stream. Throws when
 * the stream does not end exactly after the last literal.
 */
export function readLiterals({ log, symbols, bits }: PrefixTable, stream: BackwardBits, target: Uint8Array): void {
  const { data, start } = stream;
  const { length } = target;
  const mask = (1 << log) - 1;
  let { left } = stream;
  for (let index = 0; index < length; index++) {
    const from = left - log;
    const at = start + (from >> 3);
    // For speed, this code repeats the body of the function `peek` instead of calling the function: in a body that
    // compresses badly, this loop produces most of the bytes.
    const found =
      from < 0
        ? stream.peek(from, log)
        : ((data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)) >>> (from & 7)) & mask;
    target[index] = symbols[found]!;
    left -= bits[found]!;
  }
  if (left !== 0) corrupt();
}
