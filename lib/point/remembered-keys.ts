// Keys that are made from strings while a program runs, and kept for reuse.

import { Key } from "./view.ts";

/** Largest number of keys that are kept, because a program may look up any number of different keys. */
const mostKeys = 1000;

/**
 * Returns a function that makes a Key from a string, and that returns the same Key for equal strings. A Key
 * remembers its id in a batch, so using the same Key again saves a look-up.
 *
 * @example
 * const keyOf = rememberedKeys();
 * keyOf("host") === keyOf("host"); // true
 */
export function rememberedKeys(): (text: string) => Key {
  const keys = new Map<string, Key>();
  // The keys that were used last. A few characters of a key's text determine its index in this array. Most strings
  // are the same objects as in earlier calls. Comparing such a string with the key at its index takes less time
  // than a look-up in the map.
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
