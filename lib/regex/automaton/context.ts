// Classifies the bytes before and after a position for the engine's state tables, as far as the assertions of the
// expression (`^`, `\b` and so on) can distinguish them.

import { isWordByte, refine } from "./byte-class.ts";
import { op, type Program, place } from "./program.ts";

/**
 * The kinds of bytes before or after a position. `edge` means that the text begins or ends there; `tail` is a byte that
 * continues a UTF-8 character.
 */
export const kind = { edge: 0, newline: 1, word: 2, other: 3, tail: 4 } as const;

export type Kind = (typeof kind)[keyof typeof kind];

const WORDS = place.word | place.notWord;
const ASKS_BEFORE = { edge: place.textStart | place.lineStart, newline: place.lineStart, word: WORDS };
const ASKS_BEHIND = { edge: place.textEnd | place.lineEnd, newline: place.lineEnd, word: WORDS };

/** Returns the kind of a byte; the byte -1 stands for the beginning or end of the text. */
export function kindOf(byte: number): Kind {
  if (byte < 0) return kind.edge;
  if (byte === 0x0a) return kind.newline;
  if (isWordByte(byte)) return kind.word;
  return (byte & 0xc0) === 0x80 ? kind.tail : kind.other;
}

/**
 * Returns `its`, the kind of the byte before a position, when an assertion in the mask `places` depends on this
 * kind; otherwise returns the kind `other`.
 */
export function seenBefore(its: Kind, places: number): Kind {
  return seen(its, places, ASKS_BEFORE);
}

export function seenBehind(its: Kind, places: number): Kind {
  return seen(its, places, ASKS_BEHIND);
}

function seen(its: Kind, places: number, asks: typeof ASKS_BEFORE): Kind {
  if (its === kind.edge && (places & asks.edge) !== 0) return its;
  if (its === kind.newline && (places & asks.newline) !== 0) return its;
  if (its === kind.word && (places & asks.word) !== 0) return its;
  return kind.other;
}

export function holds(which: number, before: Kind, behind: Kind): boolean {
  switch (which) {
    case place.textStart:
      return before === kind.edge;
    case place.textEnd:
      return behind === kind.edge;
    case place.lineStart:
      return before === kind.edge || before === kind.newline;
    case place.lineEnd:
      return behind === kind.edge || behind === kind.newline;
    default:
      return ((before === kind.word) !== (behind === kind.word)) === (which === place.word);
  }
}

/**
 * Returns a mask for each instruction: the assertions (`^`, `\b` and so on) that may be checked before the next byte is
 * consumed.
 */
export function placesAhead({ ops, a, b, places }: Program): Uint8Array {
  const ahead = new Uint8Array(ops.length);
  for (let changed = places !== 0; changed; ) {
    changed = false;
    // Most instructions lead only to instructions with lower indexes, so one pass over all instructions is usually
    // enough.
    for (let pc = 0; pc < ops.length; pc++) {
      const code = ops[pc];
      if (code === op.bytes || code === op.match) continue;
      let mask = (ahead[pc] as number) | (ahead[a[pc] as number] as number);
      if (code === op.split) mask |= ahead[b[pc] as number] as number;
      if (code === op.assert) mask |= b[pc] as number;
      if (mask !== ahead[pc]) {
        ahead[pc] = mask;
        changed = true;
      }
    }
  }
  return ahead;
}

/**
 * The byte classes of a program: two bytes are in one class when no instruction and no assertion distinguishes them.
 */
export interface ByteClasses {
  readonly of: Uint8Array;
  readonly count: number;
  /** For each byte class, one byte of the class as an example. */
  readonly sample: Uint8Array;
}

/**
 * Computes the byte classes. When `tails` is true, the bytes that continue a UTF-8 character do not share a class with
 * other bytes.
 */
export function byteClasses({ places, partitions }: Program, tails: boolean): ByteClasses {
  const seesLines = (places & (place.lineStart | place.lineEnd)) !== 0;
  const seesWords = (places & WORDS) !== 0;
  const facts = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) {
    if (byte === 0x0a && seesLines) facts[byte] |= 1;
    if (seesWords && isWordByte(byte)) facts[byte] |= 2;
    if (tails && (byte & 0xc0) === 0x80) facts[byte] |= 4;
  }
  let of = refine(new Uint8Array(256), facts);
  for (const partition of partitions) of = refine(of, partition);
  const count = Math.max(...of) + 1;
  const sample = new Uint8Array(count);
  for (let byte = 255; byte >= 0; byte--) sample[of[byte] as number] = byte;
  return { of, count, sample };
}
