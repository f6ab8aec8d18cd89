// JSON text in WebAssembly memory that is not parsed as a whole. The WebAssembly module checks the text and
// stores the positions of its values (assembly/json/document.ts). A script value is made only when a script
// reads it. Strings become slices of the text. All values are valid until the batch is released.

import type { Batch } from "../../../point/batch/batch.ts";
import { nameAt } from "../../../point/batch/known-names.ts";
import { TapeBytes } from "../../../point/batch/tape-bytes.ts";
import { Float } from "../../../point/value.ts";
import type { Text } from "../../../text/bytes.ts";
import {
  ESCAPED,
  FALSE,
  KIND_MASK,
  LIST,
  MAP,
  NULL,
  NUMBER,
  PLAIN,
  R_KEY,
  R_KEY_LENGTH,
  R_KIND,
  R_LENGTH,
  R_NEXT,
  R_SIZE,
  R_VALUE,
  TRUE,
} from "./json-records.ts";

// Layout in 32-bit words of a record, which describes one value of the JSON text (assembly/json/records.ts).
const recordWords = R_SIZE >>> 2;
const r = {
  kind: R_KIND >>> 2,
  next: R_NEXT >>> 2,
  key: R_KEY >>> 2,
  keyLength: R_KEY_LENGTH >>> 2,
  value: R_VALUE >>> 2,
  length: R_LENGTH >>> 2,
} as const;

/** A list or map in a JSON text that lies in WebAssembly memory. */
export class IndexedJson {
  readonly batch: Batch;
  private readonly generation: number;
  /** Index in `u32` of the record that describes this list or map. */
  private readonly record: number;
  readonly isMap: boolean;

  constructor(batch: Batch, record: number) {
    this.batch = batch;
    this.generation = batch.generation;
    this.record = record;
    this.isMap = (batch.module.u32[record + r.kind]! & KIND_MASK) === MAP;
  }

  /** Address of the record that describes this list or map. */
  get address(): number {
    this.words();
    return this.record << 2;
  }

  /** Length in bytes of the text of this list or map. */
  get textLength(): number {
    return this.words().u32[this.record + r.length]!;
  }

  /** Number of values in this list or map and in all lists and maps inside it. */
  get mostValues(): number {
    return ((this.words().u32[this.record + r.next]! >>> 2) - this.record) / recordWords - 1;
  }

  /** Returns the record of the last member with the given name, if the name is ASCII; otherwise 0. */
  member(name: string): number {
    const { u32, u8 } = this.words();
    const { record } = this;
    const end = u32[record + r.next]! >>> 2;
    let found = 0;
    for (let at = record + recordWords; at < end; at = u32[at + r.next]! >>> 2) {
      if (u32[at + r.keyLength] !== name.length) continue;
      const start = u32[at + r.key]!;
      let same = name.length;
      for (; same > 0; same--) {
        const code = name.charCodeAt(same - 1);
        if (code >= 0x80 || u8[start + same - 1] !== code) break;
      }
      if (same === 0) found = at;
    }
    return found;
  }

  /** Returns the value that a record describes. */
  value(record: number): Found {
    this.words();
    return valueAt(this.batch, record);
  }

  /**
   * Sorts the members of this map by the bytes of their names. Returns the index of a list in the WebAssembly memory
   * `u32`: the number of different names, then the address of the record of each member, then the id of each name in
   * the batch. Returns 0 when the map has too many members for such a list.
   */
  members(): number {
    const { module, base } = this.batch;
    this.words();
    const list = module.exports.listMembers(base, this.record << 2) >>> 2;
    module.refresh();
    return list;
  }

  /** Returns the name of the member that a record describes. */
  name(record: number): string {
    const { u32 } = this.words();
    return nameAt(this.batch, u32[record + r.key]!, u32[record + r.keyLength]!);
  }

  /** Calls `visit` with the record of each member of a map, in the order of the text. */
  forEachMember(visit: (record: number) => void): void {
    const { module } = this.batch;
    const end = this.words().u32[this.record + r.next]! >>> 2;
    for (let at = this.record + recordWords; at < end; at = module.u32[at + r.next]! >>> 2) visit(at);
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

  /**
   * Writes the list or map to the batch's memory as the JSON text that scripts write to points. Returns undefined when
   * JavaScript has to write the text.
   */
  written(): WrittenJson | undefined {
    const { batch, record } = this;
    const { module } = batch;
    this.words();
    const units = module.exports.writeJson(batch.base, record << 2) >>> 0;
    module.refresh();
    if (units === 0) return undefined;
    const { u32 } = module;
    return { address: u32[record + r.value]!, length: u32[record + r.length]!, units };
  }

  /**
   * Returns the typed arrays over the WebAssembly memory. Throws when the batch of points has been released,
   * because its memory may then contain other data.
   */
  private words() {
    if (this.generation !== this.batch.generation) throw new Error("JSON of a batch that has been released");
    return this.batch.module;
  }
}

/** A JSON text in a batch's memory, and its length as a JavaScript string. */
export interface WrittenJson {
  readonly address: number;
  readonly length: number;
  readonly units: number;
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
  const kind = module.u32[record + r.kind]! & KIND_MASK;
  switch (kind) {
    case NULL:
      return null;
    case FALSE:
    case TRUE:
      return kind === TRUE;
    case NUMBER:
      return new Float(module.f64[(record + r.value) >>> 1]!);
    case LIST:
    case MAP:
      return new IndexedJson(batch, record);
  }
  if (kind >= PLAIN + ESCAPED) {
    module.exports.unescapeJson(batch.base, record << 2);
    module.refresh();
  }
  const { u32 } = module;
  const [address, length] = [u32[record + r.value]!, u32[record + r.length]!];
  return u32[record + r.kind] === PLAIN ? new TapeBytes(batch, address, length) : batch.decode(address, length);
}
