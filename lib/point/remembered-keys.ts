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
  // The keys that were used last, each at an index that is computed from a few characters of the key. Most strings are
  // the same objects as in earlier calls. Comparing such a string with the key at its index takes less time than a
  // look-up in the map.
  const latest: (Key | undefined)[] = new Array(256).fill(undefined);
  return (text) => {
    const place = (text.charCodeAt(0) * 7 + text.charCodeAt(text.length >> 1) * 31 + text.length) & 255;
    const last = latest[place];
    if (last !== undefined && last.text === text) return last;
    let key = keys.get(text);
    if (key === undefined) {
      key = new Key(text);
      if (keys.size < mostKeys) keys.set(text, key);
    }
    latest[place] = key;
    return key;
  };
}
