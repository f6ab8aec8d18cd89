// Line protocol in: one scan of the whole body in the module gives a batch, or a PointError that names every failing line (points
// document, sections 3, 10 and 11). Points that need more than the scan does are corrected here, one by one.

import { scratchSize, type WasmModule } from "../../wasm/module.ts";
import { Batch } from "../batch.ts";
import type { CategoryName } from "../category.ts";
import { correct } from "../correct.ts";
import { type LineFailure, lineProtocolError, PointError } from "../errors.ts";
import { type CategoryRules, defaultLimits, type Limits, maxSeriesKey, rulesOf } from "../limits.ts";
import { Point } from "../point.ts";
import { nanosecondsIn, timeOutsideRange } from "../precision.ts";
import { quoteText } from "../quote.ts";
import {
  deadFlag,
  duplicateFlag,
  entry,
  failure,
  failureWords,
  head,
  kindLetters,
  point,
  pointAttention,
  refusedKey,
  requiredKey,
  settings,
} from "../tape.ts";
import type { Warning } from "../view.ts";

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
    exports.scanBody(base, fast ? 1 : 0);
    module.refresh();
    const batch = new Batch(module, base, requiredWarning(rules));
    if (batch.head(head.failureCount) > 0) throw failed(batch, body);
    if (batch.head(head.attention) > 0) correctPoints(batch, options.category, limits);
    return batch;
  } catch (error) {
    exports.freeBatch(base);
    throw error;
  }
}

/** Tells the module what a scan is to look for: times, limits, the category's rules. */
export function configure(
  module: WasmModule,
  base: number,
  { precision = "", now, strict }: Pick<LineProtocolOptions, "precision" | "now" | "strict">,
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

export function requiredWarning({ required }: CategoryRules): Warning[] {
  if (required === null) return [];
  const [key, text] = required;
  return [{ type: "add_required_kv", message: `add required key-value ${quoteText(key)}: ${quoteText(text)}` }];
}

/** Takes each point that the scan marked off the tape, corrects it and writes it back. */
function correctPoints(batch: Batch, category: CategoryName, limits: Limits): void {
  for (let index = 0; index < batch.length; index++) {
    if ((batch.module.u32[batch.pointAt(index) + point.flags]! & pointAttention) === 0) continue;
    const cursor = batch.at(index);
    const { name } = cursor;
    const copy = new Point(name, cursor.time);
    for (const key of duplicateTags(batch, index)) {
      copy.warnings.push({ type: "key_name_conflict", message: `same key (${quoteText(key)})` });
    }
    copy.adopt(cursor.list(true).map(({ key, value, isTag }) => ({ key, value, isTag })));
    correct(copy, category, limits);
    cursor.rewrite(copy.slotList());
    if (copy.name !== name) cursor.name = copy.name;
    batch.setWarnings(index, copy.warnings);
  }
}

/** The keys of tags that lost to a later one in their line, in the order of their names. */
function duplicateTags(batch: Batch, index: number): string[] {
  const { u32 } = batch.module;
  const here = batch.pointAt(index);
  const first = u32[here + point.first]!;
  const keys: string[] = [];
  for (let i = first; i < first + u32[here + point.count]!; i++) {
    const at = batch.entryAt(i);
    const lost = deadFlag | duplicateFlag;
    if ((u32[at + entry.kind]! & lost) === lost) keys.push(batch.keyText(u32[at + entry.key]!));
  }
  return keys;
}

function failed(batch: Batch, body: Uint8Array): PointError {
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
  return lineProtocolError(failures, batch.length, body);
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
