// Indexes the values of a JSON text for scripts that use only a few of them (docs/reference/functions.md#load_json.3).
// One pass checks whether the text is JSON, and records where each value lies; strings are not copied. Rare texts (with
// errors, `\u`, control characters, deep nesting or very long numbers) are left to JavaScript:
// lib/pipeline/functions/json/json.ts.

import { lanesOf } from "../memory/lanes";
import { numberBits } from "../number/scan";
import { heapKeep, heapTake } from "../tape/batch";
import { isUtf8 } from "../text/utf8";
import { isFloat } from "./numbers";
import {
  ESCAPED, FALSE, LIST, MAP, NULL, NUMBER, PLAIN, R_KEY, R_KEY_LENGTH, R_KIND, R_LENGTH, R_NEXT, R_SIZE, R_VALUE, TRUE, UTF8,
} from "./records";
import { at, isAscii, isAtEnd, length, next, passString, readNumber, readString, readWord, startText, step, take, text } from "./text";

/**
 * Longest JSON text that is indexed, in bytes. The records of its values may take 12 bytes for each byte of text, and
 * must fit into 32-bit memory.
 */
const MOST: u32 = 0x08000000;
const DEPTH: u32 = 64;
// A stack of addresses, one for each list or map that the text has opened but not closed yet. Each address is
// that of the record of the list or map.
const open = memory.data(256);

let key: usize = 0;
let keyLength: u32 = 0;

/**
 * `indexJson` and `readAll` return this number in place of an address when the text is certainly not JSON. No record
 * has this address.
 */
const NOT_JSON: usize = 1;

/**
 * Indexes a JSON text. Returns the address of the first record, which stays valid until the batch is freed; 0 means
 * that JavaScript has to parse the text, and `NOT_JSON` that the text is certainly not JSON.
 */
export function indexJson(batch: usize, start: usize, size: u32): usize {
  const end = start + size;
  if (size > MOST) return 0;
  // A value together with its separator takes at least two bytes, so there is at most one record for two bytes of the
  // text.
  const first = heapTake(batch, ((size >> 1) + 2) * <u32>R_SIZE);
  // A number must end, and a search for quotes must stop, at the byte after the text. So newlines are written over
  // the padding after the text, and the padding is restored afterwards.
  const behind = v128.load(end);
  v128.store(end, lanesOf(0x0a));
  startText(start, end);
  const stop = isUtf8(start, end) ? readAll(first) : 0;
  v128.store(end, behind);
  const isIndexed = stop > NOT_JSON;
  heapKeep(batch, first, isIndexed ? <u32>(stop - first) : 0);
  return isIndexed ? first : stop;
}

/**
 * Reads all values and returns the address after the last record. Returns 0 when JavaScript has to parse the
 * text. Returns `NOT_JSON` when the text has a byte where JSON does not allow it; JavaScript then need not parse
 * the text. Its parser accepts more texts than this function only when a string contains control characters, and
 * for such a text this function returns 0.
 */
function readAll(record: usize): usize {
  let depth: u32 = 0;
  forgetKey();
  for (;;) {
    const own = record;
    record += R_SIZE;
    store<u32>(own, <u32>record, R_NEXT);
    store<u32>(own, <u32>key, R_KEY);
    store<u32>(own, keyLength, R_KEY_LENGTH);
    const c = next();
    if (c == 0x22) {
      const found = passString();
      if (!found) return 0;
      store<u32>(own, (isAscii ? PLAIN : UTF8) + (found == 1 ? 0 : ESCAPED), R_KIND);
      store<u32>(own, <u32>text, R_VALUE);
      store<u32>(own, length, R_LENGTH);
    } else if (c == 0x7b || c == 0x5b) {
      if (depth == DEPTH) return 0;
      store<u32>(own, c == 0x7b ? MAP : LIST, R_KIND);
      store<u32>(own, <u32>at, R_VALUE);
      store<u32>(open + (<usize>depth << 2), <u32>own);
      depth++;
      step();
      if (next() != c + 2) {
        if (c == 0x5b) forgetKey();
        else if (!readKey()) return 0;
        continue;
      }
      step();
      depth--;
      store<u32>(own, <u32>at - load<u32>(own, R_VALUE), R_LENGTH);
    } else if (c - 0x61 < 26) {
      if (!readWord()) return NOT_JSON;
      store<u32>(own, c == 0x74 ? TRUE : c == 0x66 ? FALSE : NULL, R_KIND);
    } else if (c < 0x80 && c != 0x2d && c - 0x30 > 9) return NOT_JSON;
    else {
      if (!readNumber() || !isFloat()) return 0;
      store<u32>(own, NUMBER, R_KIND);
      store<u64>(own, numberBits, R_VALUE);
    }
    // After a value, the text may have closing brackets: they close one or more of the lists and maps that contain
    // the value.
    for (;;) {
      if (!depth) {
        next();
        return isAtEnd() ? record : NOT_JSON;
      }
      const around = <usize>load<u32>(open + (<usize>(depth - 1) << 2));
      const isMap = load<u32>(around, R_KIND) == MAP;
      const mark = next();
      step();
      if (mark == 0x2c) {
        if (!isMap) forgetKey();
        else if (!readKey()) return 0;
        break;
      }
      if (mark != <u32>(isMap ? 0x7d : 0x5d)) return NOT_JSON;
      depth--;
      store<u32>(around, <u32>record, R_NEXT);
      store<u32>(around, <u32>at - load<u32>(around, R_VALUE), R_LENGTH);
    }
  }
  return 0;
}

function forgetKey(): void {
  key = 0;
  keyLength = 0;
}

/** Reads the key of a map's member, and the colon after the key. The key must have no escapes. */
function readKey(): bool {
  if (next() != 0x22 || passString() != 1) return false;
  key = text;
  keyLength = length;
  return take(0x3a);
}

/**
 * Removes the escapes from a JSON string. `record` is the address of the string's record in the index of the document;
 * the record then describes the string without escapes.
 */
export function unescapeJson(batch: usize, record: usize): void {
  const start = <usize>load<u32>(record, R_VALUE);
  startText(start - 1, start + load<u32>(record, R_LENGTH) + 1);
  readString(batch);
  store<u32>(record, load<u32>(record, R_KIND) - ESCAPED, R_KIND);
  store<u32>(record, <u32>text, R_VALUE);
  store<u32>(record, length, R_LENGTH);
}
