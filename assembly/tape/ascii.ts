// Finds out whether a body is ASCII. In an ASCII body, offsets in bytes are also offsets in characters. The check runs
// only when JavaScript makes strings from the values of a batch, which most batches never need.

import { B_ASCII, B_BODY, B_LENGTH } from "./layout";

/** Checks the whole body and stores the result in the batch: 1 when the body is ASCII, 2 when it is not. */
export function lookForAscii(batch: usize): u32 {
  let p = <usize>load<u32>(batch, B_BODY);
  const end = p + load<u32>(batch, B_LENGTH);
  let any = i8x16.splat(0);
  // The last block of 64 bytes may include bytes after the body: they are padding, which is ASCII.
  for (; p < end; p += 64) {
    any = v128.or(any, v128.or(v128.or(v128.load(p), v128.load(p, 16)), v128.or(v128.load(p, 32), v128.load(p, 48))));
  }
  const answer: u32 = i8x16.bitmask(any) ? 2 : 1;
  store<u32>(batch, answer, B_ASCII);
  return answer;
}
