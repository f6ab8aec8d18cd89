// Writes the keys of entries in every output format. Most keys need no escape in any format; whether a key needs one is
// computed once for each key of a batch.

import { keyAt } from "../tape/keys";
import { KEY_PLAIN, KEY_SEEN, K_FLAGS, K_LENGTH, K_TEXT } from "../tape/layout";
import { putBytes, room } from "./output";
import { putJson } from "./text";
import { putToken } from "./token";

/** Returns whether the key has only ASCII characters, without control characters, spaces and `, = " \`. */
function isPlain(text: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const c = <u32>load<u8>(text + i);
    if (c <= 0x20 || c >= 0x80 || c == 0x22 || c == 0x2c || c == 0x3d || c == 0x5c) return false;
  }
  return true;
}

function inspectKey(key: usize, flags: u32): u32 {
  const seen = flags | KEY_SEEN | (isPlain(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH)) ? KEY_PLAIN : 0);
  store<u32>(key, seen, K_FLAGS);
  return seen;
}

/**
 * If the key needs no escape, writes it and returns 0. Otherwise writes nothing and returns the address of the key's
 * record.
 */
// @ts-ignore: decorator
@inline
function putPlain(batch: usize, id: u32): usize {
  const key = keyAt(batch, id);
  let flags = load<u32>(key, K_FLAGS);
  if (!(flags & KEY_SEEN)) flags = inspectKey(key, flags);
  if (!(flags & KEY_PLAIN)) return key;
  putBytes(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH));
  return 0;
}

export function putTagKey(batch: usize, id: u32): void {
  room();
  const key = putPlain(batch, id);
  if (key) putToken(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH), 0x3d, 0x3d);
}

export function putFieldKey(batch: usize, id: u32): void {
  room();
  const key = putPlain(batch, id);
  if (key) putToken(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH), 0x3d, 0x22);
}

/** Writes the key as the content of a JSON string, without the quotes. */
export function putJsonKey(batch: usize, id: u32): void {
  room();
  const key = putPlain(batch, id);
  if (key) putJson(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH), false);
}
