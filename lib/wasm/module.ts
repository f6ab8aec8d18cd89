// The only file through which JavaScript uses the WebAssembly module. It instantiates the module in any host,
// from the module's bytes or from a compiled module, and keeps the only set of JavaScript views of its memory
// (docs/architecture.md). The views are renewed whenever a call may have grown the memory.

import { MemoryError } from "./memory-error.ts";

/** Exports of the WebAssembly module (assembly/index.ts). Addresses, lengths and flags are unsigned, 32 bits. */
export interface MillraceExports {
  readonly memory: WebAssembly.Memory;
  abiVersion(): number;
  pagesInUse(): number;
  scratchAddress(): number;
  createBatch(length: number): number;
  freeBatch(batch: number): void;
  heapTake(batch: number, length: number): number;
  pushEntry(batch: number): number;
  internCopy(batch: number, text: number, length: number): number;
  setSeed(seed: bigint): void;
  markKey(batch: number, text: number, length: number, flag: number): number;
  configure(
    now: bigint,
    unit: bigint,
    flags: number,
    tags: number,
    fields: number,
    tagKey: number,
    fieldKey: number,
    tagValue: number,
    fieldValue: number,
    measurement: number,
  ): void;
  require(key: number, text: number, length: number): void;
  /**
   * Decodes lines of the body until the tape (the points decoded in WebAssembly memory) has `most` entries (tags and
   * fields). Returns 1 when more of the body is left.
   */
  scanBody(batch: number, fast: number, most: number): number;
  /** Returns 1 when the body is ASCII, else 2. Also stores this number in the header of the batch. */
  lookForAscii(batch: number): number;
  clearTape(batch: number): void;
  /**
   * Adds a tag to all points of a batch that do not have the tag's key. Copies the tag's value into the module's
   * memory.
   */
  addTag(batch: number, key: number, text: number, length: number): void;
  /**
   * Returns the index of the first point without a field, from the index `from` on; the number of points when there is
   * none.
   */
  findFieldless(batch: number, from: number): number;
  /**
   * Corrects a changed point by the rules of its category. Returns 0 when nothing was wrong, or 1 when something was
   * corrected; the newest notes (records of corrections) in the batch then describe the corrections.
   */
  correctChanged(batch: number, point: number): number;
  /** Decodes a protobuf body in the same way as `scanBody` decodes lines. */
  scanProtobuf(batch: number, most: number): number;
  /**
   * Decodes a JSON body. Returns 2 when more of the body is left and 1 at its end. Returns 0 when the body is not a
   * JSON array; then nothing that was decoded is valid.
   */
  scanJson(batch: number, most: number): number;
  pushPointWith(batch: number, entries: number): number;
  unpack(batch: number, entry: number): void;
  unescapeEntry(batch: number, entry: number): void;
  startEncoding(form: number, unit: bigint): void;
  encodePoints(batch: number, from: number, to: number): void;
  /**
   * Does the same as `encodePoints`, and writes two 32-bit words for each point to `marks`: the number of its
   * bytes in the output, and its size for the limit of an output body. This size is an estimate when `sizes` is 0,
   * exact when `sizes` is 1, and always 0 when `sizes` is 2.
   */
  encodeMarked(batch: number, from: number, to: number, marks: number, sizes: number): void;
  finishEncoding(): number;
  stopEncoding(): void;
  convertCaptures(plan: number, base: number, slots: number, count: number, trim: number, origin: number): void;
  searchText(machine: number, base: number, start: number, end: number, from: number, out: number): number;
  searchLines(machine: number, base: number, lines: number, first: number, count: number, out: number): number;
  registersAddress(): number;
  indexPoint(batch: number, point: number): number;
  finishPoint(batch: number, point: number, serial: number, status: number, time: number): number;
  matchEntry(
    machine: number,
    batch: number,
    point: number,
    serial: number,
    key: number,
    plan: number,
    slots: number,
  ): number;
  putText(batch: number, point: number, serial: number, key: number, text: number, length: number): void;
  putFloat(batch: number, point: number, serial: number, key: number, value: number): number;
  runOperations(batch: number, point: number, serial: number, plan: number, limit: number): number;
  splitPairs(batch: number, point: number, serial: number, plan: number, text: number, length: number): number;
  indexJson(batch: number, text: number, length: number): number;
  unescapeJson(batch: number, record: number): void;
  listMembers(batch: number, map: number): number;
  copyMembers(
    batch: number,
    point: number,
    serial: number,
    records: number,
    keys: number,
    count: number,
    stops: number,
    stopCount: number,
    counts: number,
  ): number;
  writeJson(batch: number, record: number): number;
  writeCaptures(
    batch: number,
    point: number,
    serial: number,
    plan: number,
    from: number,
    base: number,
    slots: number,
  ): number;
  readonly table: WebAssembly.Table;
  takePages(count: number): number;
  givePages(address: number, count: number): void;
}

/** The JavaScript functions that the WebAssembly module calls while it encodes points. */
export interface EncodingHost {
  /** Receives a chunk of output: a view of the WebAssembly memory, valid until the function returns. */
  take(chunk: Uint8Array): void;
  /** Returns the JSON text of a metric type, in ASCII. */
  metricType(type: number): string;
}

/** The version of the interface described in docs/reference/wasm-abi.md that this library uses. */
export const abiVersion = 6;

/** Number of bytes that JavaScript may write to the scratch area of the WebAssembly memory. */
export const scratchSize = 4096;

export const pageSize = 65536;

/** Largest size in bytes of the output buffer that is kept in JavaScript memory between encodings. */
const mostOutput = 4 * 1024 * 1024;
const leastOutput = 1024;
const leastMarks = 48;

/** JavaScript memory for encoded points: `bytes` holds the output, `marks` the sizes of the points in it. */
export interface OutputMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly marks: Uint32Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/**
 * Largest length in UTF-16 units of a string whose units are copied one by one. For such short strings this is faster
 * than making a view and calling the host's TextEncoder.
 */
export const shortText = 32;

export class WasmModule {
  readonly exports: MillraceExports;
  /** Address of the scratch area for short strings of one call. The 16 bytes after the area are readable as well. */
  readonly scratch: number;
  // The views of the WebAssembly memory. Do not store a view; read these properties each time, because a view becomes
  // invalid when the memory grows.
  u8!: Uint8Array;
  u32!: Uint32Array;
  i32!: Int32Array;
  f64!: Float64Array;
  i64!: BigInt64Array;
  /**
   * The object with the rules and limits for correcting points that `configure` (lib/point/batch/settings.ts) received
   * in its last call.
   */
  settings: object | null = null;
  /**
   * The object whose settings for decoding a body were passed to the WebAssembly module most recently. `scanTime`
   * is the current time that was passed with these settings.
   */
  scanned: object | null = null;
  scanTime = 0n;
  /** The JavaScript functions that the current encoding calls; null when no encoding is running. */
  encoding: EncodingHost | null = null;
  /** Whether WebAssembly functions may be generated at run time; the user or the JavaScript host may forbid it. */
  generates = true;
  private readonly freeFunctions: number[] = [];
  private readonly texts = new Reserve(this);
  private readonly works = new Reserve(this);
  private holder: object | null = null;
  /** Buffer in which the chunks of output are joined. It is kept for the next encoding unless it is too large. */
  private output: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** A second buffer, for output that is joined over several calls; null while a caller of `takeOutput` uses it. */
  private spare: OutputMemory | null = null;

  constructor(exports: MillraceExports) {
    this.exports = exports;
    this.scratch = exports.scratchAddress();
    this.refresh();
  }

  /**
   * Renews the views of the memory. Call this method after every export that may allocate memory, because the views
   * become invalid when the memory grows.
   */
  refresh(): void {
    if (this.u8 !== undefined && this.u8.length > 0) return;
    const { buffer } = this.exports.memory;
    this.u8 = new Uint8Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i64 = new BigInt64Array(buffer);
  }

  /**
   * Writes a string as UTF-8 to an address that has `room` bytes of space, by default three for each UTF-16 unit.
   * Returns the number of bytes written.
   */
  write(text: string, address: number, room = text.length * 3): number {
    const { length } = text;
    if (length <= shortText && this.writeAscii(text, address)) return length;
    return encoder.encodeInto(text, this.u8.subarray(address, address + room)).written;
  }

  /** Writes a string to an address with one byte for each UTF-16 unit. Returns false when it is not ASCII. */
  writeAscii(text: string, address: number): boolean {
    const { u8 } = this;
    let at = 0;
    for (let unit = 0; at < text.length && (unit = text.charCodeAt(at)) < 0x80; at++) u8[address + at] = unit;
    return at === text.length;
  }

  /**
   * Takes `count` consecutive pages of memory and returns their address. Throws MemoryError. Does not clear the pages.
   */
  takePages(count: number): number {
    const address = this.exports.takePages(count) >>> 0;
    if (address === 0) throw new MemoryError("the module's memory is at its end");
    this.refresh();
    return address;
  }

  /**
   * Adds a function to the function table and returns the function's index. `bytes` are a generated WebAssembly module
   * that exports the function and uses this memory. Returns 0 when the host does not allow WebAssembly to be generated
   * at run time, or refuses this module.
   */
  addFunction(bytes: Uint8Array<ArrayBuffer>): number {
    if (!this.generates) return 0;
    try {
      const made = new WebAssembly.Instance(new WebAssembly.Module(bytes), { m: { m: this.exports.memory } });
      const { table } = this.exports;
      const index = this.freeFunctions.pop() ?? table.grow(1);
      table.set(index, made.exports.f);
      return index;
    } catch (error) {
      if (error instanceof WebAssembly.CompileError) this.generates = false;
      else if (error instanceof RangeError || (error as Error).name === "EvalError") this.generates = false;
      else throw error;
      return 0;
    }
  }

  removeFunction(index: number): void {
    this.exports.table.set(index, null);
    this.freeFunctions.push(index);
  }

  /** Returns the address of a buffer for a string of the given length, valid until the next call of this method. */
  buffer(length: number): number {
    return this.texts.take(length);
  }

  /**
   * Returns the address of a work area of WebAssembly memory. The area is valid until another caller asks for it;
   * `holder` identifies the caller. Calls `prepare` to fill the area, unless the area still has the content that this
   * caller left there.
   */
  workspace(length: number, holder: object, prepare: (address: number) => void): number {
    const address = this.works.take(length);
    if (this.holder !== holder || this.works.moved) {
      prepare(address);
      this.holder = holder;
    }
    return address;
  }

  /** Writes a chunk of output at index `at` of the buffer, after the earlier chunks. The buffer grows when needed. */
  gather(at: number, chunk: Uint8Array): void {
    if (at + chunk.length > this.output.length) {
      const needed = at + chunk.length;
      // The buffer gets twice the needed size, but exceeds `mostOutput` (the size that is kept between encodings) only
      // when the needed size exceeds it.
      const larger = new Uint8Array(
        Math.max(needed, needed > mostOutput ? 2 * needed : Math.min(2 * needed, mostOutput)),
      );
      larger.set(this.output.subarray(0, at));
      this.output = larger;
    }
    this.output.set(chunk, at);
  }

  /** Returns a copy of the first `length` bytes of the joined output. */
  gathered(length: number): Uint8Array<ArrayBuffer> {
    const bytes = this.output.slice(0, length);
    if (this.output.length > mostOutput) this.output = new Uint8Array(0);
    return bytes;
  }

  /**
   * Returns memory for output that is collected over several calls: the memory that `giveOutput` received last, or new
   * memory.
   */
  takeOutput(): OutputMemory {
    const { spare } = this;
    this.spare = null;
    return spare ?? { bytes: new Uint8Array(leastOutput), marks: new Uint32Array(leastMarks) };
  }

  /** Receives memory that `takeOutput` has returned, so that the next call of `takeOutput` can reuse it. */
  giveOutput(memory: OutputMemory): void {
    if (memory.bytes.length + memory.marks.byteLength > mostOutput) return;
    if (this.spare === null || memory.bytes.length > this.spare.bytes.length) this.spare = memory;
  }

  givePages(address: number, count: number): void {
    this.exports.givePages(address, count);
  }

  /** Size in bytes of the memory that the WebAssembly instance has. The size never decreases. */
  get size(): number {
    return this.u8.length;
  }

  /** Size in bytes of the memory in use by batches and by tables of regular expressions. */
  get used(): number {
    return (this.exports.pagesInUse() - this.texts.pages - this.works.pages) * pageSize;
  }
}

/**
 * A block of WebAssembly memory pages that callers use one after another. The block is freed only when a caller needs a
 * larger one, which then takes its place.
 */
class Reserve {
  pages = 0;
  /** Whether the last call of `take` returned a new address, so that the block does not have its earlier content. */
  moved = false;
  private address = 0;
  private readonly module: WasmModule;

  constructor(module: WasmModule) {
    this.module = module;
  }

  take(length: number): number {
    this.moved = length > this.pages * pageSize;
    if (this.moved) {
      if (this.pages > 0) this.module.givePages(this.address, this.pages);
      this.pages = 0;
      const pages = Math.ceil((length * 1.5) / pageSize);
      this.address = this.module.takePages(pages);
      this.pages = pages;
    }
    return this.address;
  }
}

/**
 * Instantiates the WebAssembly module. `random` returns numbers from 0 to 1 for the seed of the hash function, so that
 * a sender cannot choose keys with colliding hashes.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * module.size; // bytes of its memory
 */
export async function instantiate(
  wasm: BufferSource | WebAssembly.Module,
  random: () => number = Math.random,
): Promise<WasmModule> {
  const compiled = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  // The functions that the WebAssembly module imports. They use the variable `module`, which is set only after the
  // instantiation; the WebAssembly code does not call them earlier.
  let module: WasmModule;
  const memory = (): Uint8Array => {
    module.refresh();
    return module.u8;
  };
  const host = {
    flush: (address: number, length: number): void => {
      module.encoding!.take(memory().subarray(address >>> 0, (address >>> 0) + (length >>> 0)));
    },
    writeMetricType: (type: number, to: number): number => {
      const text = module.encoding!.metricType(type);
      return encoder.encodeInto(text, memory().subarray(to >>> 0, (to >>> 0) + text.length)).written;
    },
  };
  const instance = await WebAssembly.instantiate(compiled, { host });
  const exports = instance.exports as unknown as MillraceExports;
  checkVersion(exports);
  exports.setSeed((BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)));
  module = new WasmModule(exports);
  return module;
}

/**
 * Throws when the module has another version than the library, because the library would misread the module's memory
 * without noticing.
 */
function checkVersion({ abiVersion: versionOf }: Partial<MillraceExports>): void {
  const found = versionOf?.();
  if (found === abiVersion) return;
  const what = found === undefined ? "is not Millrace's, or older than its ABI versions" : `has ABI version ${found}`;
  throw new Error(
    `the WebAssembly module ${what}; this library needs version ${abiVersion}: use the one of its package`,
  );
}
