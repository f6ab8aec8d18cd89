// JSON text in WebAssembly memory that is not parsed as a whole. The WebAssembly module checks the text and stores
// where its values lie (assembly/json/document.ts); a value is made only when a script reads it. Strings become slices
// of the text. All values are valid until the batch is released.

import type { Batch } from "../../point/batch/batch.ts";
import { TapeBytes } from "../../point/batch/tape-bytes.ts";
import { Float } from "../../point/value.ts";
import type { Text } from "../../text/bytes.ts";

// Layout in 32-bit words of a record, which describes one value of the JSON text.
const recordWords = 6;
const r = { kind: 0, next: 1, key: 2, keyLength: 3, value: 4, length: 5 } as const;
const kinds = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  plain: 4,
  utf8: 5,
  escaped: 6,
  escapedUtf8: 7,
  list: 8,
  map: 9,
} as const;

/** A list or map in a JSON text that lies in WebAssembly memory. */
export class IndexedJson {
  private readonly batch: Batch;
  private readonly generation: number;
  /** Index in `u32` of the record that describes this list or map. */
  private readonly record: number;
  readonly isMap: boolean;

  constructor(batch: Batch, record: number) {
    this.batch = batch;
    this.generation = batch.generation;
    this.record = record;
    this.isMap = batch.module.u32[record + r.kind] === kinds.map;
  }

  /**
   * Returns the value of the last member with the given name; undefined when the map has no such member. The name must
   * be ASCII.
   */
  member(name: string): Found | undefined {
    const { u32, u8 } = this.words();
    const { record } = this;
    const end = u32[record + r.next]! >>> 2;
    let found = 0;
    for (let at = record + recordWords; at < end; at = u32[at + r.next]! >>> 2) {
      if (u32[at + r.keyLength] !== name.length) continue;
      const start = u32[at + r.key]!;
      let same = name.length;
      while (same > 0 && u8[start + same - 1] === name.charCodeAt(same - 1)) same--;
      if (same === 0) found = at;
    }
    return found === 0 ? undefined : valueAt(this.batch, found);
  }

  /** Calls `visit` with the name and the value of each member of a map, in the order of the text. */
  forEachMember(visit: (name: string, found: Found) => void): void {
    const { batch } = this;
    const { module } = batch;
    const end = this.words().u32[this.record + r.next]! >>> 2;
    for (let at = this.record + recordWords; at < end; at = module.u32[at + r.next]! >>> 2) {
      const { u32 } = module;
      visit(nameAt(batch, u32[at + r.key]!, u32[at + r.keyLength]!), valueAt(batch, at));
    }
  }

  /** Returns the elements of a list. */
  elements(): Found[] {
    const { batch } = this;
    const { module } = batch;
    const found: Found[] = [];
    const end = this.words().u32[this.record + r.next]! >>> 2;
    for (let at = this.record + recordWords; at < end; at = module.u32[at + r.next]! >>> 2)
      found.push(valueAt(batch, at));
    return found;
  }

  /** Returns the JSON text of the list or map. */
  text(): string {
    const { u32 } = this.words();
    return this.batch.decode(u32[this.record + r.value]!, u32[this.record + r.length]!);
  }

  /**
   * Returns the typed arrays over the WebAssembly memory. Throws when the batch of points has been released, because
   * its memory may then hold other data.
   */
  private words() {
    if (this.generation !== this.batch.generation) throw new Error("JSON of a batch that has been released");
    return this.batch.module;
  }
}

/**
 * Names of members that were read before. The function `placeOf` computes the index of a name in this list from the
 * bytes of the name.
 */
const names: string[] = new Array(512).fill("");

/**
 * Returns the name of a member. The lines of a log have the same names again and again, so a name that is still in the
 * table `names` is only compared with the bytes, and no new string is made.
 */
function nameAt(batch: Batch, address: number, length: number): string {
  const { u8 } = batch.module;
  if (length === 0) return "";
  const last = address + length - 1;
  const place = (length * 67 + u8[address]! * 5 + u8[last]! * 11 + u8[(address + last) >>> 1]! * 23) & 511;
  const known = names[place]!;
  if (known.length === length) {
    let same = length;
    while (same > 0 && u8[address + same - 1] === known.charCodeAt(same - 1)) same--;
    if (same === 0) return known;
  }
  const name = batch.decode(address, length);
  if (name.length === length && length <= 64) names[place] = name;
  return name;
}

export type Found = Text | Float | boolean | null | IndexedJson;

/** The result of `indexJson` for a text that no parser of JSON accepts. */
export const notJson = Symbol("not JSON");

/**
 * Finds the values of a JSON text. Returns undefined when JavaScript has to parse the text instead, for example because
 * it is deeply nested or may not be valid JSON.
 */
export function indexJson(batch: Batch, address: number, length: number): Found | typeof notJson | undefined {
  const { module, indexed } = batch;
  if (indexed.address !== address || indexed.length !== length) {
    indexed.first = module.exports.indexJson(batch.base, address, length) >>> 0;
    module.refresh();
    indexed.address = address;
    indexed.length = length;
  }
  const { first } = indexed;
  if (first < recordWords) return first === 0 ? undefined : notJson;
  return valueAt(batch, first >>> 2);
}

function valueAt(batch: Batch, record: number): Found {
  const { module } = batch;
  const kind = module.u32[record + r.kind]!;
  switch (kind) {
    case kinds.null:
      return null;
    case kinds.false:
    case kinds.true:
      return kind === kinds.true;
    case kinds.number:
      return new Float(module.f64[(record + r.value) >>> 1]!);
    case kinds.list:
    case kinds.map:
      return new IndexedJson(batch, record);
  }
  if (kind >= kinds.escaped) {
    module.exports.unescapeJson(batch.base, record << 2);
    module.refresh();
  }
  const { u32 } = module;
  const [address, length] = [u32[record + r.value]!, u32[record + r.length]!];
  return u32[record + r.kind] === kinds.plain ? new TapeBytes(batch, address, length) : batch.decode(address, length);
}
