// The points that a script is run over, from standard input: for logging each line is a message, else line protocol.

import { createInterface } from "node:readline";
import { type CategoryName, correct } from "../../../lib/index.ts";
import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { Key, Point, PointError, type Points, wallClock } from "../../agent/engine.ts";
import { UsageError } from "../usage-error.ts";

/** Makes points of a body of line protocol, a window at a time; reading them throws PointError. */
export type DecodeLines = (body: Uint8Array, category: CategoryName) => Iterable<Points>;

const message = new Key("message");

/** `firstLine`: of a log that spans lines, matches the first one; absent: every line is a log. */
export function inputPoints(category: CategoryName, decode: DecodeLines, firstLine?: Regex): AsyncIterable<Point> {
  if (category === "logging") return messages(firstLine);
  if (firstLine !== undefined) throw new UsageError("--multiline is for logging, other categories are line protocol");
  return points(category, decode);
}

/** The expression of `--multiline`. Throws UsageError. */
export function firstLineOf(expression: string | undefined): Regex | undefined {
  if (expression === undefined) return undefined;
  try {
    return Regex.compile(expression);
  } catch (error) {
    if (error instanceof RegexSyntaxError) throw new UsageError(`--multiline: ${error.message}`);
    throw error;
  }
}

/** A log as the agent would receive it. */
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

/** Reads all of a body before any of its points is given out: a fault of its last line refuses the first. Throws UsageError. */
function requireRight(windows: Iterable<Points>): void {
  try {
    for (const _ of windows);
  } catch (error) {
    if (error instanceof PointError) throw new UsageError(error.message);
    throw error;
  }
}
