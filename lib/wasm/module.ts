// The one door to the WebAssembly module: instantiates it anywhere from bytes or a compiled module, and holds the one set of views
// of its memory, renewed whenever a call may have grown it (architecture, rules of memory 4 and 5).

import { MemoryError } from "./memory-error.ts";

/** What assembly/index.ts exports; addresses, lengths and flags are unsigned 32-bit numbers. */
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
  /** Scans until the tape has `most` entries; 1 when there is more of the body. */
  scanBody(batch: number, fast: number, most: number): number;
  /** Whether the body is ASCII, 1 or 2; noted in the batch's head. */
  lookForAscii(batch: number): number;
  clearTape(batch: number): void;
  /** To all points without the key; the text is copied. */
  addTag(batch: number, key: number, text: number, length: number): void;
  /** Corrects a point that was changed: 0 when it was right, 1 when the newest notes say what was done. */
  correctChanged(batch: number, point: number): number;
  /** The same. */
  scanProtobuf(batch: number, most: number): number;
  /** 2 when there is more of the body, 1 when not; 0 when it is no JSON array: then nothing on the tape counts. */
  scanJson(batch: number, most: number): number;
  pushPointWith(batch: number, entries: number): number;
  unpack(batch: number, entry: number): void;
  unescapeEntry(batch: number, entry: number): void;
  startEncoding(form: number, unit: bigint): void;
  encodePoints(batch: number, from: number, to: number): void;
  /** The same; two words for each point at `marks`: bytes written for it, its size: 0 estimated, 1 exact, 2 none. */
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
  runOperations(batch: number, point: number, serial: number, plan: number, limit: number): number;
  splitPairs(batch: number, point: number, serial: number, plan: number, text: number, length: number): number;
  indexJson(batch: number, text: number, length: number): number;
  unescapeJson(batch: number, record: number): void;
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

/** What an encoding under way asks of JavaScript. */
export interface EncodingHost {
  /** Takes a chunk of output: a view of the module's memory, good until it returns. */
  take(chunk: Uint8Array): void;
  /** The JSON of a metric type, ASCII. */
  metricType(type: number): string;
}

/** The version of docs/reference/wasm-abi.md that this library speaks. */
export const abiVersion = 4;

/** Bytes that JavaScript may write at the scratch address. */
export const scratchSize = 4096;

export const pageSize = 65536;

/** Bytes of JavaScript's memory that are kept between encodings. */
const mostOutput = 4 * 1024 * 1024;
const leastOutput = 1024;
const leastMarks = 48;

/** Memory of JavaScript for output, and for numbers about it. */
export interface OutputMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly marks: Uint32Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/** UTF-16 units of a text that is copied one by one: quicker than a view and a call of the host's encoder. */
export const shortText = 32;

export class WasmModule {
  readonly exports: MillraceExports;
  /** Where short texts are put for the length of one call; 16 bytes behind it are readable. */
  readonly scratch: number;
  // The views. Nobody keeps one: read them here each time.
  u8!: Uint8Array;
  u32!: Uint32Array;
  i32!: Int32Array;
  f64!: Float64Array;
  i64!: BigInt64Array;
  /** Which settings of scans and corrections the module has now: what `configure` was given last. */
  settings: object | null = null;
  /** Set while points are being encoded. */
  encoding: EncodingHost | null = null;
  /** Whether functions may be generated: switched off by who does not want it, and when the host forbids it. */
  generates = true;
  private readonly freeFunctions: number[] = [];
  private readonly texts = new Reserve(this);
  private readonly works = new Reserve(this);
  private holder: object | null = null;
  /** Where chunks of output are put together, kept for the next time while it is not too large. */
  private output: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** The same for output that is put together over several calls. */
  private spare: OutputMemory | null = null;

  constructor(exports: MillraceExports) {
    this.exports = exports;
    this.scratch = exports.scratchAddress();
    this.refresh();
  }

  /** Call after every export that may take memory. Views of memory that has grown have lost their buffer. */
  refresh(): void {
    if (this.u8 !== undefined && this.u8.length > 0) return;
    const { buffer } = this.exports.memory;
    this.u8 = new Uint8Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.i32 = new Int32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i64 = new BigInt64Array(buffer);
  }

  /** Puts text as UTF-8 at an address with room for all of it: `room` bytes, three a unit by default. Gives the bytes written. */
  write(text: string, address: number, room = text.length * 3): number {
    const { length } = text;
    if (length <= shortText && this.writeAscii(text, address)) return length;
    return encoder.encodeInto(text, this.u8.subarray(address, address + room)).written;
  }

  /** Puts text at an address with room for a byte a unit; false when it is not ASCII. */
  writeAscii(text: string, address: number): boolean {
    const { u8 } = this;
    let at = 0;
    for (let unit = 0; at < text.length && (unit = text.charCodeAt(at)) < 0x80; at++) u8[address + at] = unit;
    return at === text.length;
  }

  /** Address of a run of pages, its content whatever was there. */
  takePages(count: number): number {
    const address = this.exports.takePages(count) >>> 0;
    if (address === 0) throw new MemoryError("the module's memory is at its end");
    this.refresh();
    return address;
  }

  /**
   * Adds a function from a generated module that works on this memory: its index in the table. 0 when the host allows no
   * WebAssembly to be made at run time, or not in this place.
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

  /** A place for a text of this length, until it is asked for again. */
  buffer(length: number): number {
    return this.texts.take(length);
  }

  /**
   * A place for what a call works with, until another holder asks for it; `prepare` fills it when its content is not what this
   * holder left there.
   */
  workspace(length: number, holder: object, prepare: (address: number) => void): number {
    const address = this.works.take(length);
    if (this.holder !== holder || this.works.moved) {
      prepare(address);
      this.holder = holder;
    }
    return address;
  }

  /** Puts a chunk of output at its place behind those before. */
  gather(at: number, chunk: Uint8Array): void {
    if (at + chunk.length > this.output.length) {
      const needed = at + chunk.length;
      // What is kept for the next output is not outgrown without need.
      const larger = new Uint8Array(
        Math.max(needed, needed > mostOutput ? 2 * needed : Math.min(2 * needed, mostOutput)),
      );
      larger.set(this.output.subarray(0, at));
      this.output = larger;
    }
    this.output.set(chunk, at);
  }

  /** A copy of what was gathered. */
  gathered(length: number): Uint8Array<ArrayBuffer> {
    const bytes = this.output.slice(0, length);
    if (this.output.length > mostOutput) this.output = new Uint8Array(0);
    return bytes;
  }

  /** Memory for output that is put together over several calls: what was given back last, or some. */
  takeOutput(): OutputMemory {
    const { spare } = this;
    this.spare = null;
    return spare ?? { bytes: new Uint8Array(leastOutput), marks: new Uint32Array(leastMarks) };
  }

  /** Nobody uses it any more. */
  giveOutput(memory: OutputMemory): void {
    if (memory.bytes.length + memory.marks.byteLength > mostOutput) return;
    if (this.spare === null || memory.bytes.length > this.spare.bytes.length) this.spare = memory;
  }

  givePages(address: number, count: number): void {
    this.exports.givePages(address, count);
  }

  /** Bytes the instance has taken from its host; they never shrink. */
  get size(): number {
    return this.u8.length;
  }

  /** Bytes in use by batches and tables. */
  get used(): number {
    return (this.exports.pagesInUse() - this.texts.pages - this.works.pages) * pageSize;
  }
}

/** Pages that serve one thing after the other and are never given back. */
class Reserve {
  pages = 0;
  /** Whether the last `take` gave another place than the one before. */
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

/** `random` (0 to 1) seeds the hash of keys, so that a sender cannot choose keys that collide. */
export async function instantiate(
  wasm: BufferSource | WebAssembly.Module,
  random: () => number = Math.random,
): Promise<WasmModule> {
  const compiled = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  // The calls of the module into JavaScript, of which it makes none before it is given out.
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

/** A module of another release would be misread without a word. */
function checkVersion({ abiVersion: versionOf }: Partial<MillraceExports>): void {
  const found = versionOf?.();
  if (found === abiVersion) return;
  const what = found === undefined ? "is not Millrace's, or older than its ABI versions" : `has ABI version ${found}`;
  throw new Error(
    `the WebAssembly module ${what}; this library needs version ${abiVersion}: use the one of its package`,
  );
}
