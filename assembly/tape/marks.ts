// Sets flags on keys before a body is decoded. One flag marks the keys that the category of the points (such as
// `logging`) refuses; another marks the key that the category requires.

import { internCopy, keyAt } from "./keys";
import { K_FLAGS } from "./layout";

/**
 * Adds a key to the batch's key table if necessary, sets a flag on it (KEY_REFUSED or KEY_REQUIRED), and returns its
 * id.
 */
export function markKey(batch: usize, text: usize, length: u32, flag: u32): u32 {
  const id = internCopy(batch, text, length);
  const key = keyAt(batch, id);
  store<u32>(key, load<u32>(key, K_FLAGS) | flag, K_FLAGS);
  return id;
}
