// DEFLATE (RFC 1951) for speed, of lines that are much alike: of four equal bytes only the latest place is looked at, and the first match
// is taken. A body comes in chunks; matches do not reach over from one to the next.

import { givePages, takePages } from "../memory";
import { need } from "../tape/batch";
import { alignBits, startBits, writeTo, written } from "./bits";
import { countLiteral, countMatch, MATCH, startBlock, writeBlock } from "./block";
import { MAX_MATCH, MIN_MATCH } from "./symbols";

/** Pages of a chunk, with what may be read behind it. */
const CHUNK: u32 = 4;
const INPUT: u32 = CHUNK + 1;
/** Four equal bytes cost at most 43 bits, single ones about 8 each. */
const OUTPUT: u32 = 2 * CHUNK;
const TOKENS: u32 = 2;
/** Latest place of each hash of four bytes, from 1; 0 is none. */
const TABLE: u32 = 1;
const HASH_BITS: u32 = 14;
const FARTHEST: usize = 32768;
/** Not looked for so near to the end. */
const TAIL: usize = 8;

let region: usize = 0;

/** Gives the address at which each chunk is to be put, of at most 256 KiB. */
export function startDeflate(): usize {
  region = need(takePages(INPUT + OUTPUT + TOKENS + TABLE));
  startBits();
  return region;
}

export function stopDeflate(): void {
  if (region) givePages(region, INPUT + OUTPUT + TOKENS + TABLE);
  region = 0;
}

/** Where the output of a chunk begins. */
export function deflated(): usize {
  return region + (INPUT << 16);
}

/** Gives the bytes of output; bits of a byte that is not full wait for the next chunk. */
export function deflateChunk(length: u32, isLast: bool): u32 {
  const from = deflated();
  const tokens = from + (OUTPUT << 16);
  const table = tokens + (TOKENS << 16);
  const tokensEnd = tokens + (TOKENS << 16);
  const base = region - 1;
  const end = region + length;
  const lastLook = length > <u32>TAIL ? end - TAIL : region;
  memory.fill(table, 0, TABLE << 16);
  writeTo(from);
  startBlock();
  let token = tokens;
  let at = region;
  while (at < end) {
    if (token == tokensEnd) {
      writeBlock(tokens, token, false);
      startBlock();
      token = tokens;
    }
    if (at < lastLook) {
      const four = load<u32>(at);
      const slot = slotOf(table, four);
      const before = base + load<u32>(slot);
      store<u32>(slot, <u32>(at - base));
      if (before != base && at - before <= FARTHEST && load<u32>(before) == four) {
        const size = sizeOfMatch(before, at, end);
        store<u32>(token, MATCH | ((size - MIN_MATCH) << 16) | <u32>(at - before - 1));
        token += 4;
        countMatch(size - MIN_MATCH, <u32>(at - before - 1));
        const next = at + size;
        if (next < lastLook) {
          store<u32>(slotOf(table, load<u32>(at + 1)), <u32>(at + 1 - base));
          store<u32>(slotOf(table, load<u32>(next - 2)), <u32>(next - 2 - base));
        }
        at = next;
        continue;
      }
    }
    const byte = load<u8>(at++);
    store<u32>(token, byte);
    token += 4;
    countLiteral(byte);
  }
  writeBlock(tokens, token, isLast);
  if (isLast) alignBits();
  return <u32>(written() - from);
}

// @ts-ignore: decorator
@inline
function slotOf(table: usize, four: u32): usize {
  return table + (((four * 0x9e3779b1) >> (32 - HASH_BITS)) << 2);
}

/** The first four bytes are equal. */
// @ts-ignore: decorator
@inline
function sizeOfMatch(before: usize, at: usize, end: usize): u32 {
  const most = min<u32>(MAX_MATCH, <u32>(end - at));
  for (let size: u32 = 4; size < most; size += 8) {
    const differing = load<u64>(before + size) ^ load<u64>(at + size);
    if (differing) return min(most, size + <u32>(ctz(differing) >> 3));
  }
  return most;
}
