// The one door to the WebAssembly module: instantiates it anywhere from bytes or a compiled module, and holds the one set of views
// of its memory, renewed whenever a call may have grown it (architecture, rules of memory 4 and 5).

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
  scanBody(batch: number, fast: number): void;
}

/** The version of docs/wasm-abi.md that this library speaks. */
export const abiVersion = 1;

/** Bytes that JavaScript may write at the scratch address. */
export const scratchSize = 4096;

export const pageSize = 65536;

export class WasmModule {
  readonly exports: MillraceExports;
  /** Where short texts are put for the length of one call; 16 bytes behind it are readable. */
  readonly scratch: number;
  // The views. Nobody keeps one: read them here each time.
  u8!: Uint8Array;
  u32!: Uint32Array;
  f64!: Float64Array;
  i64!: BigInt64Array;

  constructor(exports: MillraceExports) {
    this.exports = exports;
    this.scratch = exports.scratchAddress();
    this.refresh();
  }

  /** Call after every export that may take memory. */
  refresh(): void {
    const { buffer } = this.exports.memory;
    if (this.u8 !== undefined && this.u8.buffer === buffer) return;
    this.u8 = new Uint8Array(buffer);
    this.u32 = new Uint32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i64 = new BigInt64Array(buffer);
  }

  /** Bytes the instance has taken from its host; they never shrink. */
  get size(): number {
    return this.u8.length;
  }

  /** Bytes in use by batches. */
  get used(): number {
    return this.exports.pagesInUse() * pageSize;
  }
}

/** `random` (0 to 1) seeds the hash of keys, so that a sender cannot choose keys that collide. */
export async function instantiate(
  wasm: BufferSource | WebAssembly.Module,
  random: () => number = Math.random,
): Promise<WasmModule> {
  const compiled = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  const instance = await WebAssembly.instantiate(compiled, {});
  const exports = instance.exports as unknown as MillraceExports;
  checkVersion(exports);
  exports.setSeed((BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32)));
  return new WasmModule(exports);
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
