// Decodes a body of any form into batches: all at once, or one window at a time over one tape. The module scans the
// body; the form's own file handles what the module leaves.

import { asMemoryError, MemoryError } from "../../wasm/memory-error.ts";
import type { WasmModule } from "../../wasm/module.ts";
import { head } from "../../wasm/tape.ts";
import { Batch, type PointBatch } from "../batch/batch.ts";
import { type Corrected, configure } from "../batch/settings.ts";
import type { CategoryName } from "../category.ts";
import { PointError, TooManyPoints } from "../errors.ts";
import { defaultLimits, type Limits, rulesOf } from "../limits.ts";

/** Options for decoding a body. */
export interface BodyOptions {
  readonly category: CategoryName;
  /** Unit of the times; absent or empty means that the size of the numbers decides. */
  readonly precision?: string;
  /** Time for points without a time, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly limits?: Limits;
  /** Whether equal tags in a line are an error. */
  readonly strict?: boolean;
  /** Most points of a body; a body with more throws TooManyPoints. Absent or 0 means no bound. */
  readonly maxPoints?: number;
}

/** The functions that read one form. */
export interface BodyForm {
  /** Refuses a body before any of it is read, by throwing a PointError. */
  check?(body: Uint8Array): void;
  /**
   * Scans from where the last scan of the batch stopped, until the tape has `most` entries or the body ends. Returns
   * whether more of the body is left, or `null` when the module cannot read on.
   */
  scan(module: WasmModule, base: number, most: number): boolean | null;
  /**
   * Finishes the points of a scan; `before` of the points lie in earlier windows. Throws a PointError, at the latest
   * behind the last window. Returns false when it will throw later, so that the points must not be handed out.
   */
  finish(scanned: Scanned): boolean;
  /**
   * Returns a body that can be scanned, in place of a body that a scan could not read. Throws a PointError when that is
   * not possible.
   */
  mend?(body: Uint8Array): Uint8Array;
}

export interface Scanned {
  readonly batch: Batch;
  readonly body: Uint8Array;
  readonly options: BodyOptions;
  /** Number of points in the earlier windows. */
  readonly before: number;
  /** Whether more of the body follows. */
  readonly goesOn: boolean;
}

const unbounded = 0xffffffff;

/**
 * Decodes all points of a body. Throws a PointError, TooManyPoints, or a MemoryError when the points do not fit. The
 * caller releases the batch.
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

/** Number of entries after which a window ends: 1 MB of tape. */
const windowEntries = 32768;

/**
 * Scans to the end of the body. With a bound on the points it may stop early, because the tape of a body of empty
 * points is many times as large as the body.
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
 * The points of a body, one window at a time. All windows use the same tape, so that memory is bounded by the body and
 * a constant, however dense the body is. A body is refused only behind its last window: the caller must then undo what
 * it did with the points before.
 */
export interface PointWindows extends Iterable<PointBatch> {
  /**
   * Returns the next window, `undefined` behind the last one. The window is valid until the next call, which releases
   * it. Throws the PointError of the whole body; no window comes after the first fault. Throws TooManyPoints at once,
   * and a MemoryError when a window does not fit.
   */
  next(): PointBatch | undefined;
  /** Whether all of the body was read and not refused, so that no more windows follow. */
  readonly isAtEnd: boolean;
  /** Goes back to the first window. */
  rewind(): void;
  /** Frees the memory. The windows then begin again. */
  release(): void;
}

export class BodyWindows implements PointWindows {
  private readonly module: WasmModule;
  private body: Uint8Array;
  private readonly form: BodyForm;
  private readonly options: BodyOptions;
  private readonly entries: number;
  /** Address of the batch's head; 0 while nothing is read. */
  private base = 0;
  private batch: Batch | null = null;
  private goesOn = true;
  /** Number of points in the windows so far. */
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

  /** Returns the next batch, perhaps without points; null when it must not be handed out. */
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

  /** Keeps the first fault until the end of the body, because a fault of the body as a whole takes precedence. */
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

  /** Frees the tape for the next window. */
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

/** Returns the error to throw. The call that failed may have grown the memory. */
function failure(module: WasmModule, body: Uint8Array, error: unknown): unknown {
  module.refresh();
  return asMemoryError(error, `while a body of ${body.length} bytes was read`);
}

/** Makes a batch with the body and returns the address of its head. */
function load(module: WasmModule, body: Uint8Array): number {
  // The module cannot see lengths beyond 32 bits.
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
