// Decodes a body of any wire format into batches of points: all points at once, or one window (a part of limited
// size) at a time. All windows reuse one tape (the binary form of points). The WebAssembly module scans the
// body; one file for each wire format handles the cases that the module cannot handle.

import { asMemoryError, MemoryError } from "../../wasm/memory-error.ts";
import type { WasmModule } from "../../wasm/module.ts";
import { head } from "../../wasm/tape.ts";
import { Batch, type PointBatch } from "../batch/batch.ts";
import { type Corrected, configure } from "../batch/settings.ts";
import type { CategoryName } from "../category.ts";
import { PointError, TooManyPoints } from "../errors.ts";
import { defaultLimits, type Limits, rulesOf } from "../limits.ts";

/** Options for decoding a body of points. */
export interface BodyOptions {
  readonly category: CategoryName;
  /** Unit of the times in the body; absent or empty means that the size of each number decides its unit. */
  readonly precision?: string;
  /** Time for points without a time, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly limits?: Limits;
  /** Whether a line in which two tags have the same key is an error. */
  readonly strict?: boolean;
  /** Largest number of points in a body; when a body has more, TooManyPoints is thrown. Absent or 0 means no limit. */
  readonly maxPoints?: number;
  /**
   * Whether the caller promises never to change the object of options and the limits in it, except `now`. The next
   * body that is decoded with the same object then takes less time, because the WebAssembly module still has these
   * settings.
   */
  readonly isFixed?: boolean;
}

/** The functions that decode one wire format. */
export interface BodyForm {
  /** Checks a body before it is decoded, and throws a PointError when the body is invalid. */
  check?(body: Uint8Array): void;
  /**
   * Continues to decode the body, until `most` tags and fields are decoded or the body ends. Returns whether a part of
   * the body remains, or `null` when the WebAssembly module cannot continue.
   */
  scan(module: WasmModule, base: number, most: number): boolean | null;
  /**
   * Completes the points that the last scan of the WebAssembly module decoded; `before` is the number of points in
   * earlier windows (parts of the body). Throws a PointError for an invalid body. For some invalid bodies, the
   * function first returns false, and throws the error only after a later window, at the latest after the last
   * one. When it returns false, the caller must not pass on the points.
   */
  finish(scanned: Scanned): boolean;
  /**
   * Repairs a body that the WebAssembly module could not read, and returns the repaired body. Throws a PointError when
   * the body cannot be repaired.
   */
  mend?(body: Uint8Array): Uint8Array;
}

export interface Scanned {
  readonly batch: Batch;
  readonly body: Uint8Array;
  readonly options: BodyOptions;
  /** Number of points in the earlier windows (parts) of the body. */
  readonly before: number;
  /** Whether a part of the body remains to be decoded. */
  readonly goesOn: boolean;
}

const unbounded = 0xffffffff;

/**
 * Decodes all points of a body. Throws a PointError, TooManyPoints, or a MemoryError when the points do not fit into
 * memory. The caller must release the batch.
 */
export function decodeBody(module: WasmModule, body: Uint8Array, form: BodyForm, options: BodyOptions): Batch {
  form.check?.(body);
  const { exports } = module;
  const base = load(module, body);
  try {
    const corrected = correctionsOf(options);
    configure(module, base, corrected, options);
    const goesOn = scanAll(module, base, form, options.maxPoints ?? 0);
    if (goesOn !== null) {
      const batch = new Batch(module, base, corrected);
      form.finish({ batch, body, options, before: 0, goesOn });
      return batch;
    }
  } catch (error) {
    exports.freeBatch(base);
    throw failure(module, body, error);
  }
  exports.freeBatch(base);
  return decodeBody(module, form.mend!(body), form, options);
}

/** Number of tags and fields after which a window (part of a body) ends; in binary form they take 1 MB. */
const windowEntries = 32768;

/**
 * Decodes the body to its end. When the number of points has a limit, decodes the body step by step and stops at the
 * limit, because the binary form of many empty points is much larger than the body.
 */
function scanAll(module: WasmModule, base: number, form: BodyForm, maxPoints: number): boolean | null {
  const words = base >>> 2;
  let most = maxPoints === 0 ? unbounded : windowEntries;
  for (;;) {
    const goesOn = form.scan(module, base, most);
    module.refresh();
    const points = module.u32[words + head.pointCount]!;
    if (goesOn === null) return null;
    if (maxPoints > 0 && points > maxPoints) throw new TooManyPoints(maxPoints);
    if (!goesOn) return goesOn;
    most = Math.max(points, module.u32[words + head.entryCount]!) + windowEntries;
  }
}

/**
 * The points of a body, one window (part of the body) at a time. All windows reuse the same tape (the binary form of
 * points), so that memory is limited by the size of the body plus a constant, however many points the body has. An
 * invalid body is rejected only after its last window, so the caller must be able to undo the work on the earlier
 * windows.
 */
export interface PointWindows extends Iterable<PointBatch> {
  /**
   * Returns the next window (part of the body), or `undefined` after the last one. A window is valid until the
   * next call, which releases it. For an invalid body, the method throws one PointError, which describes the
   * errors in the whole body; it returns no window after the first invalid point. It throws TooManyPoints at once,
   * and a MemoryError when a window does not fit into memory.
   */
  next(): PointBatch | undefined;
  /** Whether the whole body was read and is valid, so that no more windows (parts) follow. */
  readonly isAtEnd: boolean;
  /** Starts again at the first window (part) of the body. */
  rewind(): void;
  /** Frees the memory. A later call of `next` starts again at the first window (part) of the body. */
  release(): void;
}

export class BodyWindows implements PointWindows {
  private readonly module: WasmModule;
  private body: Uint8Array;
  private readonly form: BodyForm;
  private readonly options: BodyOptions;
  private readonly entries: number;
  /** Address of the batch's header; 0 while nothing has been read. */
  private base = 0;
  private batch: Batch | null = null;
  private goesOn = true;
  /** Number of points in the windows (parts of the body) that were read so far. */
  private points = 0;
  private fault: PointError | null = null;

  constructor(
    module: WasmModule,
    body: Uint8Array,
    form: BodyForm,
    options: BodyOptions,
    entries: number = windowEntries,
  ) {
    this.module = module;
    this.body = body;
    this.form = form;
    this.options = options;
    this.entries = entries;
  }

  get isAtEnd(): boolean {
    return !this.goesOn;
  }

  next(): Batch | undefined {
    try {
      while (this.goesOn) {
        const batch = this.scan();
        if (batch !== null && batch.length > 0) return batch;
      }
    } catch (error) {
      this.release();
      throw failure(this.module, this.body, error);
    }
    this.free();
    return undefined;
  }

  /**
   * Decodes the next window (part of the body). The returned batch may have no points. Returns null when this
   * window or an earlier one has an error: from then on, the caller must not get any more points.
   */
  private scan(): Batch | null {
    const { module, form, body, options } = this;
    if (this.base === 0) {
      form.check?.(body);
      this.base = load(module, body);
    } else this.clear();
    const corrected = correctionsOf(options);
    configure(module, this.base, corrected, options);
    const start = module.u32[(this.base >>> 2) + head.nextLine]!;
    const goesOn = form.scan(module, this.base, this.entries);
    module.refresh();
    const before = this.points;
    if (goesOn === null) {
      this.free();
      this.body = form.mend!(body);
      return this.scan();
    }
    this.goesOn = goesOn;
    const batch = new Batch(module, this.base, corrected, start);
    this.batch = batch;
    this.points += batch.length;
    const { maxPoints = 0 } = options;
    if (maxPoints > 0 && this.points > maxPoints) throw new TooManyPoints(maxPoints);
    return this.finish({ batch, body, options, before, goesOn }) ? batch : null;
  }

  /**
   * Finishes the points of a window (part of the body). Returns false when an error was found in this window or an
   * earlier one. The error is kept and thrown after the last window, because an error about the body as a whole takes
   * precedence over an error in a point.
   */
  private finish(scanned: Scanned): boolean {
    try {
      if (this.fault === null) return this.form.finish(scanned);
    } catch (error) {
      if (!(error instanceof PointError)) throw error;
      this.fault = error;
    }
    if (!scanned.goesOn) throw this.fault!;
    return false;
  }

  rewind(): void {
    if (this.base !== 0) {
      this.clear();
      const { u32 } = this.module;
      const words = this.base >>> 2;
      u32[words + head.nextLine] = u32[words + head.body]!;
      u32[words + head.behind] = u32[words + head.body]!;
      u32[words + head.failureCount] = 0;
      u32[words + head.failed] = 0;
    }
    this.goesOn = true;
    this.points = 0;
    this.fault = null;
  }

  release(): void {
    this.free();
    this.goesOn = true;
    this.points = 0;
    this.fault = null;
  }

  *[Symbol.iterator](): Generator<Batch, void, void> {
    this.rewind();
    try {
      for (let batch = this.next(); batch !== undefined; batch = this.next()) yield batch;
    } finally {
      this.release();
    }
  }

  /** Empties the tape (the binary form of points), so that the next window (part of the body) can use it. */
  private clear(): void {
    this.batch?.release();
    this.batch = null;
    this.module.exports.clearTape(this.base);
  }

  private free(): void {
    this.batch?.release();
    this.batch = null;
    if (this.base !== 0) this.module.exports.freeBatch(this.base);
    this.base = 0;
  }
}

/**
 * Returns the error to throw for a failed call of the WebAssembly module. Also renews the JavaScript views of the
 * memory, because the call may have grown the memory.
 */
function failure(module: WasmModule, body: Uint8Array, error: unknown): unknown {
  module.refresh();
  return asMemoryError(error, `while a body of ${body.length} bytes was read`);
}

/** Makes a batch that contains the body, and returns the address of the batch's header. */
function load(module: WasmModule, body: Uint8Array): number {
  // The WebAssembly module has 32-bit addresses, so it cannot hold a body of 4 GiB or more.
  if (body.length >= 2 ** 32)
    throw new MemoryError(`a body of ${body.length} bytes is larger than the module's memory`);
  let base: number;
  try {
    base = module.exports.createBatch(body.length) >>> 0;
  } catch (error) {
    throw failure(module, body, error);
  }
  module.refresh();
  module.u8.set(body, module.u32[(base >>> 2) + head.body]!);
  return base;
}

function correctionsOf({ category, limits = defaultLimits }: BodyOptions): Corrected {
  return { rules: rulesOf(category), limits };
}
