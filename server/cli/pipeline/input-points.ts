// Reads points for a script from standard input. For the category logging, each line is a message; for other categories
// the input is line protocol.

import { createInterface } from "node:readline";
import { type CategoryName, correct } from "../../../lib/index.ts";
import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { Key, Point, PointError, type Points, wallClock } from "../../agent/engine.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Decodes line protocol into batches of points. Decodes a batch, and may throw PointError, only when the caller asks
 * for this batch.
 */
export type DecodeLines = (body: Uint8Array, category: CategoryName) => Iterable<Points>;

const message = new Key("message");

/**
 * Yields the points of standard input. `firstLine` matches the first line of a log message that takes several lines;
 * without it, each line is a message.
 */
export function inputPoints(category: CategoryName, decode: DecodeLines, firstLine?: Regex): AsyncIterable<Point> {
  if (category === "logging") return messages(firstLine);
  if (firstLine !== undefined) throw new UsageError("--multiline is for logging, other categories are line protocol");
  return points(category, decode);
}

/** Compiles the regular expression of the option `--multiline`. Throws UsageError. */
export function firstLineOf(expression: string | undefined): Regex | undefined {
  if (expression === undefined) return undefined;
  try {
    return Regex.compile(expression);
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw new UsageError(`--multiline: ${error.message}`);
    throw error;
  }
}

/** Returns a log line as the point that an agent would make of it. */
export function logOf(text: string): Point {
  const point = new Point("default", wallClock());
  point.setField(message, text);
  correct(point, "logging");
  return point;
}

async function* messages(firstLine: Regex | undefined): AsyncGenerator<Point> {
  let open: string[] = [];
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (open.length > 0 && (firstLine === undefined || firstLine.test(line))) {
      yield logOf(open.join("\n"));
      open = [];
    }
    open.push(line);
  }
  if (open.length > 0) yield logOf(open.join("\n"));
}

async function* points(category: CategoryName, decode: DecodeLines): AsyncGenerator<Point> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const body = new Uint8Array(Buffer.concat(chunks));
  if (body.length === 0) return;
  const windows = decode(body, category);
  requireRight(windows);
  for (const batch of windows) for (let at = 0; at < batch.length; at++) yield batch.point(at);
}

/**
 * Decodes a whole body before any of its points is used, so that a mistake on the last line refuses the whole body.
 * Throws UsageError.
 */
function requireRight(windows: Iterable<Points>): void {
  try {
    for (const _ of windows);
  } catch (error) {
    if (error instanceof PointError) throw new UsageError(error.message);
    throw error;
  }
}
