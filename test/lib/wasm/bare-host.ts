// A host program for the WebAssembly module that was written from docs/reference/wasm-abi.md only: it uses no code of
// lib, and takes every offset from the document.

import type { Constant } from "./abi-document.ts";

type Exports = Readonly<Record<string, (...args: (number | bigint)[]) => number>>;

export interface BareSettings {
  readonly fast?: number;
  readonly flags?: number;
  readonly refused?: readonly string[];
  readonly required?: readonly [key: string, text: string];
  /** Largest length of keys and tag values in bytes. */
  readonly longest?: number;
}

export interface BareNote {
  readonly point: number;
  readonly code: number;
  readonly key: string;
  readonly text: string;
  readonly number: bigint;
}

export type BareEntry = readonly [key: string, kind: string, value: unknown];

export interface BarePoint {
  readonly name: string;
  readonly time: bigint;
  readonly flags: number;
  readonly line: string;
  readonly entries: readonly BareEntry[];
}

export interface BareFailure {
  readonly reason: number;
  readonly line: string;
  readonly position: number;
  readonly first?: number;
  readonly second?: number;
  readonly text?: string;
}

export interface Decoded {
  readonly points: BarePoint[];
  readonly failures: BareFailure[];
  readonly notes: BareNote[];
}

export interface BareWindows {
  readonly windows: BarePoint[][];
  readonly failures: BareFailure[];
}

export interface BareHost {
  readonly now: bigint;
  decode(body: Uint8Array, settings?: BareSettings): Decoded;
  /**
   * Decodes line protocol in windows (a window is the part of a body that is in memory at once), each with at least
   * `entries` tags and fields. In the result, `points` has one list for each window. Notes (records of corrections) are
   * left out.
   */
  decodeInWindows(body: Uint8Array, entries: number, settings?: BareSettings): BareWindows;
  decodeProtobuf(body: Uint8Array, settings?: BareSettings): Decoded;
  /** Decodes a body, adds a tag to all its points, and encodes them. `form`: number of the wire format. */
  encode(
    body: Uint8Array,
    form: number,
    tag?: readonly [key: string, value: string],
  ): { readonly output: Uint8Array; readonly written: number };
  /**
   * Adds a string field to a point twice. Returns the point's tags and fields before the first call and after the
   * second one.
   */
  append(body: Uint8Array, index: number, key: string, text: string): [BareEntry[], BareEntry[]];
  createBatch(length: number): number;
  pagesInUse(): number;
}

const none = 0xffffffff;

export async function bareHost(
  wasm: ArrayBuffer,
  constants: ReadonlyMap<string, Constant>,
  imports: WebAssembly.Imports,
): Promise<BareHost> {
  const output: Uint8Array[] = [];
  const flush = (address: number, length: number): void => void output.push(bytes(address >>> 0, length).slice());
  const host = { ...imports, host: { ...imports.host, flush } };
  const { instance } = await WebAssembly.instantiate(wasm, host);
  const exports = instance.exports as unknown as Exports;
  const memory = instance.exports.memory as WebAssembly.Memory;
  const now = 1_600_000_000_000_000_000n;
  exports.setSeed!(0x1234_5678_9abc_def0n);

  const c = (name: string): number => {
    const constant = constants.get(name);
    if (constant === undefined) throw new Error(`docs/reference/wasm-abi.md does not have ${name}`);
    return constant.value;
  };
  // Makes a new view of the memory at each call, because any function of the module may have grown the memory, which
  // makes the old views unusable.
  const view = (): DataView => new DataView(memory.buffer);
  const u32 = (address: number): number => view().getUint32(address, true);
  const bytes = (address: number, length: number): Uint8Array => new Uint8Array(memory.buffer, address, length);
  const text = (address: number, length: number): string => new TextDecoder().decode(bytes(address, length));
  const textAt = (record: number, address: string, length: string): string =>
    text(u32(record + c(address)), u32(record + c(length)));
  /**
   * Writes a short string into the scratch area of the module, and returns address and length as arguments of a call.
   */
  const scratch = (value: string): [address: number, length: number] => {
    const encoded = new TextEncoder().encode(value);
    const address = exports.scratchAddress!();
    bytes(address, encoded.length).set(encoded);
    return [address, encoded.length];
  };
  const heap = (batch: number, value: string): [address: number, length: number] => {
    const encoded = new TextEncoder().encode(value);
    const address = exports.heapTake!(batch, encoded.length) >>> 0;
    bytes(address, encoded.length).set(encoded);
    return [address, encoded.length];
  };
  const entryAddress = (batch: number, index: number): number => u32(batch + c("B_ENTRIES")) + index * c("ENTRY_SIZE");
  const pointAddress = (batch: number, index: number): number => u32(batch + c("B_POINTS")) + index * c("POINT_SIZE");
  const keyText = (batch: number, id: number): string =>
    textAt(u32(batch + c("B_KEYS")) + id * c("KEY_SIZE"), "K_TEXT", "K_LENGTH");

  function create(body: Uint8Array): number {
    const batch = exports.createBatch!(body.length) >>> 0;
    bytes(u32(batch + c("B_BODY")), body.length).set(body);
    return batch;
  }

  function configure(
    batch: number,
    { flags = 0, refused = [], required, longest = none }: Omit<BareSettings, "fast">,
  ): void {
    exports.configure!(now, 0n, flags, none, none, longest, none, longest, none, none);
    for (const key of refused) exports.markKey!(batch, ...scratch(key), c("KEY_REFUSED"));
    if (required !== undefined) {
      const id = exports.markKey!(batch, ...scratch(required[0]), c("KEY_REQUIRED"));
      exports.require!(id, ...heap(batch, required[1]));
    }
  }

  function scan(body: Uint8Array, { fast = 1, ...settings }: BareSettings): number {
    const batch = create(body);
    configure(batch, settings);
    if (exports.scanBody!(batch, fast, none) !== 0) throw new Error("the body goes on");
    return batch;
  }

  function readEntry(batch: number, entry: number): BareEntry {
    const kind = view().getUint8(entry + c("E_KIND"));
    const flags = view().getUint8(entry + c("E_FLAGS"));
    const number = entry + c("E_NUMBER");
    const key = keyText(batch, u32(entry + c("E_KEY")));
    const source = (): string => textAt(entry, "E_TEXT", "E_LENGTH");
    switch (kind) {
      case c("KIND_NIL"):
        return [key, "nil", null];
      case c("KIND_INT"):
        return [key, "int", view().getBigInt64(number, true)];
      case c("KIND_UINT"):
        return [key, "uint", view().getBigUint64(number, true)];
      case c("KIND_FLOAT"):
        return [key, "float", view().getFloat64(number, true)];
      case c("KIND_BOOL"):
        return [key, "bool", view().getBigUint64(number, true) === 1n];
      case c("KIND_STRING"): {
        if (flags & c("ENTRY_TAG")) return [key, "tag", source()];
        return [key, "string", flags & c("ENTRY_ESCAPED") ? source().replace(/\\(["\\])/g, "$1") : source()];
      }
      case c("KIND_BINARY"):
        return [key, "binary", source()];
      case c("KIND_ARRAY"):
        return [key, "array", source()];
      default:
        throw new Error(`kind ${kind}`);
    }
  }

  function readEntries(batch: number, index: number): BareEntry[] {
    const point = pointAddress(batch, index);
    const first = u32(point + c("P_FIRST"));
    const addresses = Array.from({ length: u32(point + c("P_COUNT")) }, (_, i) => entryAddress(batch, first + i));
    for (let link = u32(point + c("P_MORE")); link !== 0; link = u32(addresses.at(-1)! + c("E_LINK"))) {
      addresses.push(entryAddress(batch, link - 1));
    }
    return addresses
      .filter((address) => (view().getUint8(address + c("E_FLAGS")) & c("ENTRY_DEAD")) === 0)
      .map((address) => readEntry(batch, address));
  }

  function readPoint(batch: number, index: number): BarePoint {
    const point = pointAddress(batch, index);
    return {
      name: textAt(point, "P_NAME", "P_NAME_LENGTH"),
      time: view().getBigInt64(point + c("P_TIME"), true),
      // The module has two line parsers, which set the flags POINT_TIMED and POINT_SERIES differently. So the returned
      // `flags` do not include these two.
      flags: (u32(point + c("P_FLAGS")) & ~(c("POINT_TIMED") | c("POINT_SERIES"))) >>> 0,
      line: textAt(point, "P_LINE", "P_LINE_LENGTH"),
      entries: readEntries(batch, index),
    };
  }

  function readFailure(batch: number, index: number): BareFailure {
    const record = u32(batch + c("B_FAILURES")) + index * c("FAILURE_SIZE");
    const [first, second] = [u32(record + c("F_FIRST")), u32(record + c("F_SECOND"))];
    const reason = u32(record + c("F_REASON"));
    const failure = {
      reason,
      line: textAt(record, "F_LINE", "F_LINE_LENGTH"),
      position: u32(record + c("F_POSITION")),
    };
    return reason === c("INT_RANGE") ? { ...failure, text: text(first, second) } : { ...failure, first, second };
  }

  function readNote(batch: number, index: number): BareNote {
    const record = u32(batch + c("B_NOTES")) + index * c("NOTE_SIZE");
    return {
      point: u32(record + c("N_POINT")),
      code: u32(record + c("N_CODE")),
      key: keyText(batch, u32(record + c("N_KEY"))),
      text: textAt(record, "N_TEXT", "N_LENGTH"),
      number: view().getBigUint64(record + c("N_NUMBER"), true),
    };
  }

  const list = <T>(batch: number, count: string, read: (batch: number, index: number) => T): T[] =>
    Array.from({ length: u32(batch + c(count)) }, (_, index) => read(batch, index));

  /**
   * Reads the points, the failures and the notes (records of corrections) of a decoded batch, then releases the batch.
   */
  function takeAll(batch: number): Decoded {
    const points = list(batch, "B_POINT_COUNT", readPoint);
    const failures = list(batch, "B_FAILURE_COUNT", readFailure);
    const notes = list(batch, "B_NOTE_COUNT", readNote);
    exports.freeBatch!(batch);
    return { points, failures, notes };
  }

  function addString(batch: number, index: number, key: string, value: string): void {
    const entry = exports.pushEntry!(batch) >>> 0;
    const link = u32(batch + c("B_ENTRY_COUNT"));
    const id = exports.internCopy!(batch, ...scratch(key));
    const [address, length] = heap(batch, value);
    const memory = view();
    memory.setUint32(entry + c("E_KEY"), id, true);
    memory.setUint8(entry + c("E_KIND"), c("KIND_STRING"));
    memory.setUint32(entry + c("E_TEXT"), address, true);
    memory.setUint32(entry + c("E_LENGTH"), length, true);
    const point = pointAddress(batch, index);
    const last = u32(point + c("P_LAST"));
    memory.setUint32(last === 0 ? point + c("P_MORE") : entryAddress(batch, last - 1) + c("E_LINK"), link, true);
    memory.setUint32(point + c("P_LAST"), link, true);
  }

  return {
    now,
    decode: (body, settings = {}) => takeAll(scan(body, settings)),
    decodeInWindows(body, entries, { fast = 1, ...settings } = {}) {
      const batch = create(body);
      const windows: BarePoint[][] = [];
      for (let goesOn = true; goesOn; exports.clearTape!(batch)) {
        configure(batch, settings);
        goesOn = exports.scanBody!(batch, fast, entries) === 1;
        windows.push(list(batch, "B_POINT_COUNT", readPoint));
      }
      return { windows, failures: takeAll(batch).failures };
    },
    decodeProtobuf(body, settings = {}) {
      const batch = create(body);
      configure(batch, settings);
      exports.scanProtobuf!(batch, none);
      return takeAll(batch);
    },
    encode(body, form, tag) {
      const batch = scan(body, {});
      if (tag !== undefined) exports.addTag!(batch, exports.internCopy!(batch, ...scratch(tag[0])), ...scratch(tag[1]));
      exports.startEncoding!(form, 1n);
      exports.encodePoints!(batch, 0, u32(batch + c("B_POINT_COUNT")));
      const written = exports.finishEncoding!();
      exports.stopEncoding!();
      exports.freeBatch!(batch);
      return { output: Uint8Array.from(output.splice(0).flatMap((chunk) => [...chunk])), written };
    },
    append(body, index, key, value) {
      const batch = scan(body, {});
      const before = readEntries(batch, index);
      addString(batch, index, key, value);
      addString(batch, index, key, value);
      const after = readEntries(batch, index);
      exports.freeBatch!(batch);
      return [before, after];
    },
    createBatch: (length) => exports.createBatch!(length),
    pagesInUse: () => exports.pagesInUse!(),
  };
}
