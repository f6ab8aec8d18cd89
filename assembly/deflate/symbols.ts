// Which symbol stands for a length or a distance, and the bits behind it (RFC 1951, 3.2.5), as tables.

export const LITERALS: u32 = 286;
export const DISTANCES: u32 = 30;
export const END: u32 = 256;
export const MIN_MATCH: u32 = 3;
export const MAX_MATCH: u32 = 258;

/** A byte for each length from 3 to 258: its symbol from 257 on. */
const lengthSymbols = memory.data(256, 16);
/** A byte for each distance less 1 below 256, then for each 128th part of those above. */
const distanceSymbols = memory.data(512, 16);
/** Two words for each symbol: the least length or distance less its minimum, and how many bits follow. */
const lengthBases = memory.data(29 * 8, 16);
const distanceBases = memory.data(30 * 8, 16);

function prepare(): void {
  let base: u32 = 0;
  for (let symbol: u32 = 0; symbol < 28; symbol++) {
    const extra: u32 = symbol < 8 ? 0 : (symbol >> 2) - 1;
    setBase(lengthBases, symbol, base, extra);
    for (let end = base + (1 << extra); base < end; base++) {
      if (base < 256) store<u8>(lengthSymbols + base, <u8>symbol);
    }
  }
  // The longest has a symbol of its own.
  setBase(lengthBases, 28, MAX_MATCH - MIN_MATCH, 0);
  store<u8>(lengthSymbols + (MAX_MATCH - MIN_MATCH), 28);
  base = 0;
  for (let symbol: u32 = 0; symbol < DISTANCES; symbol++) {
    const extra: u32 = symbol < 4 ? 0 : (symbol >> 1) - 1;
    setBase(distanceBases, symbol, base, extra);
    for (let end = base + (1 << extra); base < end; base += base < 256 ? 1 : 128) {
      store<u8>(distanceSymbols + placeOf(base), <u8>symbol);
    }
  }
}

function setBase(table: usize, symbol: u32, base: u32, extra: u32): void {
  store<u32>(table + (symbol << 3), base);
  store<u32>(table + (symbol << 3), extra, 4);
}

// @ts-ignore: decorator
@inline
function placeOf(distance: u32): u32 {
  return distance < 256 ? distance : 256 + (distance >> 7);
}

/** From 0; of a length less 3. */
// @ts-ignore: decorator
@inline
export function lengthSymbol(length: u32): u32 {
  return load<u8>(lengthSymbols + length);
}

/** Of a distance less 1. */
// @ts-ignore: decorator
@inline
export function distanceSymbol(distance: u32): u32 {
  return load<u8>(distanceSymbols + placeOf(distance));
}

export function lengthBase(symbol: u32): u32 {
  return load<u32>(lengthBases + (symbol << 3));
}

export function lengthBits(symbol: u32): u32 {
  return load<u32>(lengthBases + (symbol << 3), 4);
}

// @ts-ignore: decorator
@inline
export function distanceBase(symbol: u32): u32 {
  return load<u32>(distanceBases + (symbol << 3));
}

// @ts-ignore: decorator
@inline
export function distanceBits(symbol: u32): u32 {
  return load<u32>(distanceBases + (symbol << 3), 4);
}

prepare();
