// Decodes the input into batches of points, and lists the lines that could not be decoded. Log lines are
// converted to points in this file; line protocol and JSON are passed block by block to the decoders of the
// library.

import {
  type CategoryName,
  correct,
  Key,
  type LineFailure,
  Point,
  PointError,
  type Points,
  type PointView,
} from "../../../lib/index.ts";
import { type Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { t } from "../text/translate.ts";
import { type Block, joined, jsonBlocks, lineBlocks } from "./blocks.ts";
import { InputError } from "./bytes.ts";
import type { Instance } from "./instance.ts";
import { joinLines, type Message, splitLines } from "./messages.ts";
import type { InputForm } from "./protocol.ts";

export interface Refusal {
  readonly reason: string;
  readonly text: string;
  /** Number of the line, from 1, in the input. */
  readonly line: number;
}

/** A group of decoded points. They can be read and changed until `release` is called. */
export interface DecodedBatch {
  readonly length: number;
  at(index: number): PointView;
  /** Returns the number of the input line where the point begins, from 1; 0 when unknown. */
  line(index: number): number;
  readonly refused: readonly Refusal[];
  readonly bytes: number;
  /** Time in milliseconds that decoding took. */
  readonly ms: number;
  release(): void;
}

export interface DecodeOptions {
  readonly form: InputForm;
  readonly category: CategoryName;
  readonly source: string;
  readonly messageStart: string;
  readonly now: () => bigint;
}

const blockSize = 512 * 1024;
/**
 * Largest size in bytes of a line that continues in the next block, because it has a newline inside quotes. A longer
 * line is refused.
 */
const longestOpenLine = 1024 * 1024;
const message = new Key("message");
const textDecoder = new TextDecoder();

export function decodeInput(
  mill: Instance,
  chunks: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<DecodedBatch> {
  switch (options.form) {
    case "lines":
    case "messages":
      return decodeMessages(mill, chunks, options);
    case "lp":
      return decodeLineProtocol(mill, chunks, options);
    case "json":
      return decodeElements(mill, chunks, options);
  }
}

/**
 * Compiles the regular expression that matches the first line of a message. Throws an InputError when the expression is
 * invalid.
 */
function startPattern(mill: Instance, source: string): Regex {
  try {
    return mill.regex(source);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    throw new InputError(
      t("The pattern of a first line is no regular expression: {message}", { message: error.message }),
    );
  }
}

async function* decodeMessages(
  mill: Instance,
  chunks: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<DecodedBatch> {
  const start = options.form === "lines" ? null : startPattern(mill, options.messageStart);
  const splitter = start === null ? splitLines() : joinLines(start);
  try {
    for await (const block of lineBlocks(chunks, blockSize)) {
      const began = performance.now();
      const messages = splitter.take(textDecoder.decode(block.bytes), block.line);
      yield messageBatch(messages, block.bytes.length, began, options);
    }
    const rest = splitter.end();
    if (rest.length > 0) yield messageBatch(rest, 0, performance.now(), options);
  } finally {
    start?.free();
  }
}

function messageBatch(
  messages: readonly Message[],
  bytes: number,
  began: number,
  { category, source, now }: DecodeOptions,
): DecodedBatch {
  const time = now();
  const points = messages.map(({ text }) => {
    const point = new Point(source, time);
    point.setField(message, text);
    correct(point, category);
    // The library function `correct` adds the keys that the category of the point requires, and a warning for each
    // added key. Nothing in the user's log line caused these warnings, so all of them are removed.
    point.warnings.length = 0;
    return point;
  });
  return {
    length: points.length,
    at: (index) => points[index]!,
    line: (index) => messages[index]!.line,
    refused: [],
    bytes,
    ms: performance.now() - began,
    release: () => {},
  };
}

async function* decodeLineProtocol(
  mill: Instance,
  chunks: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<DecodedBatch> {
  let open: Block | null = null;
  let previous: Block | null = null;
  // Each block is decoded only after the next block has arrived, because the last block is decoded differently: an
  // unfinished line at its end is an error.
  for await (const block of lineBlocks(chunks, blockSize)) {
    if (previous !== null) {
      const { batch, rest } = decodeLines(mill, withOpen(open, previous), options, false);
      open = rest;
      yield batch;
    }
    previous = block;
  }
  if (previous !== null) yield decodeLines(mill, withOpen(open, previous), options, true).batch;
}

function withOpen(open: Block | null, block: Block): Block {
  return open === null ? block : { bytes: joined([open.bytes, block.bytes]), line: open.line };
}

/**
 * Decodes the lines of a block. `rest`: an unfinished line at the end of the block, which may continue in the next
 * block.
 */
function decodeLines(
  mill: Instance,
  block: Block,
  { category, now }: DecodeOptions,
  isLast: boolean,
): { batch: DecodedBatch; rest: Block | null } {
  const began = performance.now();
  const decoding = { category, form: "lp", now: now() } as const;
  const whole = (points: Points | null, refused: readonly Refusal[], bytes: number): DecodedBatch => ({
    length: points?.length ?? 0,
    at: (index) => points!.at(index),
    line: () => 0,
    refused,
    bytes,
    ms: performance.now() - began,
    release: () => points?.release(),
  });
  let failures: readonly LineFailure[];
  try {
    return { batch: whole(mill.decodePoints(block.bytes, decoding), [], block.bytes.length), rest: null };
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    failures = allFailures(mill, block.bytes, decoding, error);
  }
  let { bytes } = block;
  let rest: Block | null = null;
  const last = failures.at(-1)!;
  if (!isLast && /unbalanced quotes/.test(last.reason) && bytes.length - last.offset < longestOpenLine) {
    rest = { bytes: bytes.slice(last.offset), line: block.line + last.lineNumber - 1 };
    bytes = bytes.subarray(0, last.offset);
    failures = failures.slice(0, -1);
  }
  const refused = failures.map(({ line, lineNumber, reason }) => ({
    reason,
    text: line,
    line: block.line + lineNumber - 1,
  }));
  let points: Points | null = null;
  try {
    points = mill.decodePoints(blanked(bytes, failures), decoding);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    refused.push({ reason: error.message.slice(0, 500), text: "", line: block.line });
  }
  return { batch: whole(points, refused, bytes.length), rest };
}

/**
 * Returns all wrong lines of a body. The library's error lists only a limited number of wrong lines. So the body
 * is decoded again without the wrong lines found so far, until the library finds no further one.
 */
function allFailures(
  mill: Instance,
  bytes: Uint8Array,
  decoding: Parameters<Instance["decodePoints"]>[1],
  first: PointError,
): readonly LineFailure[] {
  const failures = [...first.lines];
  for (let error = first, body = bytes; error.failed > error.lines.length; ) {
    body = blanked(body, error.lines);
    try {
      mill.decodePoints(body, decoding).release();
      break;
    } catch (next) {
      if (!(next instanceof PointError)) throw next;
      error = next;
      failures.push(...error.lines);
    }
  }
  return failures;
}

/** Returns the body with the failing lines replaced by spaces. The number of lines stays the same. */
function blanked(bytes: Uint8Array, failures: readonly LineFailure[]): Uint8Array {
  const copy = bytes.slice();
  for (const { offset, length } of failures) {
    for (let at = offset; at < Math.min(offset + length, copy.length); at++) if (copy[at] !== 0x0a) copy[at] = 0x20;
  }
  return copy;
}

const openBracket = Uint8Array.of(0x5b);
const comma = Uint8Array.of(0x2c);
const closeBracket = Uint8Array.of(0x5d);

async function* decodeElements(
  mill: Instance,
  chunks: AsyncIterable<Uint8Array>,
  { category, now }: DecodeOptions,
): AsyncGenerator<DecodedBatch> {
  for await (const { elements, lines } of jsonBlocks(chunks)) {
    const began = performance.now();
    const decoding = { category, form: "json", now: now() } as const;
    const decode = (parts: readonly Uint8Array[]): Points =>
      mill.decodePoints(
        joined([openBracket, ...parts.flatMap((part, at) => (at === 0 ? [part] : [comma, part])), closeBracket]),
        decoding,
      );
    const views: PointView[] = [];
    const viewLines: number[] = [];
    const refused: Refusal[] = [];
    try {
      views.push(...copiesOf(decode(elements)));
      viewLines.push(...lines);
    } catch (error) {
      if (!(error instanceof PointError)) throw error;
      elements.forEach((element, at) => {
        try {
          views.push(...copiesOf(decode([element])));
          viewLines.push(lines[at]!);
        } catch (fault) {
          if (!(fault instanceof PointError)) throw fault;
          // The decoder needs a JSON list, so an opening bracket was put before this single element. The byte offset in
          // the decoder's error message includes this bracket, so one byte is subtracted.
          const reason = fault.message
            .replace(/^point 0: /, "")
            .replace(/ at byte (\d+)$/, (_, at: string) => ` at byte ${Number(at) - openBracket.length}`);
          refused.push({ reason, text: textDecoder.decode(element.subarray(0, 2000)), line: lines[at]! });
        }
      });
    }
    yield {
      length: views.length,
      at: (index) => views[index]!,
      line: (index) => viewLines[index]!,
      refused,
      bytes: elements.reduce((sum, element) => sum + element.length + 1, 0),
      ms: performance.now() - began,
      release: () => {},
    };
  }
}

/** Returns copies of the points of a batch, and releases the batch. */
function copiesOf(points: Points): Point[] {
  try {
    return Array.from({ length: points.length }, (_, at) => points.point(at));
  } finally {
    points.release();
  }
}
