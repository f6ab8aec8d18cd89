// Keys that are made from strings while a program runs, and kept for reuse.

import { Key } from "./view.ts";

/** Largest number of keys that are kept, because a program may look up any number of different keys. */
const mostKeys = 1000;

/**
 * Returns a function that makes a Key from a string. Equal strings give the same Key: a Key remembers its id in a
 * batch, so using it again saves a look-up.
 *
 * @example
 * const keyOf = rememberedKeys();
 * keyOf("host") === keyOf("host"); // true
 */
export function rememberedKeys(): (text: string) => Key {
  const keys = new Map<string, Key>();
  return (text) => {
    let key = keys.get(text);
    if (key === undefined) {
      key = new Key(text);
      if (keys.size < mostKeys) keys.set(text, key);
    }
    return key;
  };
}
