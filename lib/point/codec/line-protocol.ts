// Line protocol in: one scan of the whole body in the module gives a batch, or a PointError that names every failing line (points
// document, sections 3, 10 and 11), its points corrected to what the category asks for.

import { scratchSize, type WasmModule } from "../../wasm/module.ts";
import { failure, failureWords, head, kindLetters, refusedKey, requiredKey, settings } from "../../wasm/tape.ts";
import { Batch } from "../batch.ts";
import type { CategoryName } from "../category.ts";
import { type LineFailure, lineProtocolError, PointError } from "../errors.ts";
import { type CategoryRules, defaultLimits, type Limits, maxSeriesKey, rulesOf } from "../limits.ts";
import { nanosecondsIn, timeOutsideRange } from "../precision.ts";

export interface LineProtocolOptions {
  readonly category: CategoryName;
  /** Unit of the times; absent or empty: found out by their size. */
  readonly precision?: string;
  /** Nanoseconds for points without a time. */
  readonly now: bigint;
  readonly limits?: Limits;
  /** Equal tags in a line are an error. */
  readonly strict?: boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Throws a PointError when any line fails. The caller releases the batch. */
export function decodeLineProtocol(module: WasmModule, body: Uint8Array, options: LineProtocolOptions): Batch {
  return decodeWith(module, body, options, true);
}

/** The same; `fast` off sends every line through the exact parser. Both give the same points, which a test makes sure of. */
export function decodeWith(module: WasmModule, body: Uint8Array, options: LineProtocolOptions, fast: boolean): Batch {
  if (body.length === 0) throw new PointError("empty data", "line-protocol");
  const rules = rulesOf(options.category);
  const limits = options.limits ?? defaultLimits;
  const { exports } = module;
  const base = exports.createBatch(body.length) >>> 0;
  module.refresh();
  try {
    module.u8.set(body, module.u32[(base >>> 2) + head.body]!);
    configure(module, base, options, limits, rules);
    exports.scanBody(base, fast ? 1 : 0, unbounded);
    module.refresh();
    const batch = new Batch(module, base, { rules, limits });
    if (batch.head(head.failureCount) > 0) throw failed(batch, body, batch.length);
    return batch;
  } catch (error) {
    exports.freeBatch(base);
    throw error;
  }
}

const unbounded = 0xffffffff;

/** Entries after which a window ends: 1 MB of tape. */
const windowEntries = 32768;

/**
 * The points of a body a window at a time: each batch is good until the next one is asked for, all of them use the same tape, so that
 * memory is bounded by the body and a constant, however dense the body is. Throws a PointError behind the last window when any line fails:
 * what was done with the points before must then be undone. After the first failure no more windows come.
 */
export function* decodeInWindows(
  module: WasmModule,
  body: Uint8Array,
  options: LineProtocolOptions,
  entries = windowEntries,
): Generator<Batch, void, void> {
  if (body.length === 0) throw new PointError("empty data", "line-protocol");
  const rules = rulesOf(options.category);
  const limits = options.limits ?? defaultLimits;
  const { exports } = module;
  const base = exports.createBatch(body.length) >>> 0;
  module.refresh();
  let batch: Batch | null = null;
  try {
    module.u8.set(body, module.u32[(base >>> 2) + head.body]!);
    let points = 0;
    let start = module.u32[(base >>> 2) + head.body]!;
    for (let goesOn = true; goesOn; ) {
      if (batch !== null) {
        batch.release();
        exports.clearTape(base);
      }
      configure(module, base, options, limits, rules);
      goesOn = exports.scanBody(base, 1, entries) !== 0;
      module.refresh();
      batch = new Batch(module, base, { rules, limits }, start);
      start = batch.head(head.nextLine);
      points += batch.length;
      const hasFailed = batch.head(head.failureCount) > 0;
      if (hasFailed && !goesOn) throw failed(batch, body, points);
      if (!hasFailed && batch.length > 0) yield batch;
    }
  } finally {
    batch?.release();
    exports.freeBatch(base);
  }
}

/** Tells the module what a scan is to look for: times, limits, the category's rules. */
export function configure(
  module: WasmModule,
  base: number,
  {
    precision = "",
    now,
    strict,
  }: { readonly precision?: string | undefined; readonly now: bigint; readonly strict?: boolean },
  limits: Limits,
  rules: CategoryRules,
): void {
  const { exports, scratch } = module;
  let flags = strict === true ? settings.strict : 0;
  if (rules.dropStrings) flags |= settings.dropsStrings;
  if (rules.replaceDots) flags |= settings.replacesDots;
  if (limits.noUint === true) flags |= settings.dropsUint;
  exports.configure(
    now,
    precision === "" ? 0n : nanosecondsIn(precision),
    flags,
    bound(limits.maxTags),
    bound(limits.maxFields),
    bound(limits.maxTagKey),
    bound(limits.maxFieldKey),
    bound(limits.maxTagValue),
    bound(limits.maxFieldValue),
    bound(limits.maxMeasurement),
  );
  const mark = (key: string, flag: number): number => {
    // Every call may grow the memory: the key table of a batch is made when its first key comes.
    module.refresh();
    const { written } = encoder.encodeInto(key, module.u8.subarray(scratch, scratch + scratchSize));
    return exports.markKey(base, scratch, written, flag);
  };
  for (const key of rules.refused) mark(key, refusedKey);
  if (rules.required !== null) {
    const [key, text] = rules.required;
    const id = mark(key, requiredKey);
    const bytes = encoder.encode(text);
    const address = exports.heapTake(base, bytes.length) >>> 0;
    exports.require(id, address, bytes.length);
    module.refresh();
    module.u8.set(bytes, address);
  }
}

/** 0 and below switch a limit off. */
function bound(limit: number): number {
  return limit > 0 ? limit : 0xffffffff;
}

function failed(batch: Batch, body: Uint8Array, points: number): PointError {
  const { u32 } = batch.module;
  const start = batch.head(head.body);
  const failures: LineFailure[] = [];
  let lineNumber = 1;
  let lineStart = 0;
  let at = 0;
  for (let i = 0; i < batch.head(head.failureCount); i++) {
    const record = (batch.head(head.failures) >>> 2) + i * failureWords;
    const offset = u32[record + failure.line]! - start;
    for (; at < offset; at++) {
      if (body[at] !== 0x0a) continue;
      lineNumber++;
      lineStart = at + 1;
    }
    failures.push({
      line: decoder.decode(body.subarray(offset, offset + u32[record + failure.lineLength]!)),
      pos: u32[record + failure.position]!,
      offset,
      lineNumber,
      column: offset - lineStart + 1,
      reason: reasonText(batch, record),
    });
  }
  return lineProtocolError(failures, points, body);
}

/** Texts of assembly/line-protocol/reasons.ts, by code. */
const reasonTexts: readonly string[] = [
  "",
  "missing measurement",
  "missing fields",
  "missing tag key",
  "missing tag value",
  "invalid tag format",
  "duplicate tags",
  "max key length exceeded",
  "missing field key",
  "missing field value",
  "missing closing bracket",
  "unbalanced quotes",
  "invalid string, got tail char",
  "invalid number",
  "invalid float",
  "invalid boolean",
  "unable to parse integer",
  "unable to parse unsigned",
  "invalid field format",
  "invalid value",
  "bad timestamp",
  "point is invalid",
  "value out of range",
  "invalid syntax",
  timeOutsideRange,
  "mixed type elements found in array",
  "invalid base64 string",
];

function reasonText(batch: Batch, record: number): string {
  const { u32 } = batch.module;
  const code = u32[record + failure.reason]!;
  const first = u32[record + failure.first]!;
  const second = u32[record + failure.second]!;
  const text = reasonTexts[code]!;
  const source = (): string => decoder.decode(batch.bytes(first, second));
  switch (code) {
    case 7:
      return `${text}: ${first} > ${maxSeriesKey}`;
    case 12:
      return `${text} \`${String.fromCharCode(first)}'`;
    case 16:
      return `${text} ${source()}: strconv.ParseInt: parsing "${source()}": value out of range`;
    case 17:
      return `${text} ${source()}: strconv.ParseUint: parsing "${source()}": value out of range`;
    case 19:
      return `${text}: field-key=${source()}`;
    case 22:
    case 23:
      return `strconv.ParseInt: parsing "${source()}": ${text}`;
    case 25:
      return `${text}([0]: ${kindLetters[first & 0xff]} <> [${second}]: ${kindLetters[first >>> 8]})`;
    case 26:
      return `${text}: "${source()}"`;
    default:
      return text;
  }
}
