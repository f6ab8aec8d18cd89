// `millrace import -P FOLDER -D URL`: sends recorded points again. Their times are shifted so that the latest point has
// the current time (docs/reference/agent.md#command-line).

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  type CategoryName,
  categories,
  createMillrace,
  type EncodedBatch,
  type Form,
  type Millrace,
  type Points,
} from "../../lib/index.ts";
import { compileWasm, wallClock } from "../agent/engine.ts";
import { failing } from "./failure.ts";
import { destinationOf, postBody } from "./post-body.ts";
import { filesNamed } from "./script-files.ts";
import { counted } from "./terminal/counted.ts";
import { print, printLine } from "./terminal/print.ts";
import { importUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

/** Runs `millrace import` and returns its exit code. */
export function importPoints(args: string[]): Promise<number> {
  return failing(() => run(args));
}

/** The format of the points in a file, by the extension of the file's name. */
const forms: Readonly<Record<string, Form>> = { ".lp": "lp", ".json": "json", ".pbjson": "pbjson", ".pb": "pb" };

const bodyBytes = 1024 * 1024;

interface Recording {
  readonly file: string;
  readonly category: CategoryName;
  readonly form: Form;
}

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      path: { type: "string", short: "P" },
      destination: { type: "string", short: "D" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(importUsage);
    return 0;
  }
  const { path: folder, destination } = values;
  if (folder === undefined || destination === undefined) throw new UsageError("both are needed: -P FOLDER -D URL");
  destinationOf(destination);
  const recordings = filesNamed([folder], (name) => path.extname(name) in forms).flatMap((file) => recordingOf(file));
  if (recordings.length === 0) {
    throw new UsageError(`there are no points in ${folder}; files are named <category>.lp or lie in folders named so`);
  }
  const mill = await createMillrace({ wasm: compileWasm() });
  const latest = recordings.reduce((time, each) => later(time, latestOf(mill, each)), 0n);
  const shift = wallClock() - latest;
  let all = 0;
  for (const recording of recordings) {
    const count = await send(mill, recording, shift, destination);
    printLine(`${recording.file}: ${counted(count, "point")}`);
    all += count;
  }
  print(`Imported ${counted(all, "point")} of ${counted(recordings.length, "file")}\n`);
  return 0;
}

/**
 * Returns the file with its category and its format, as a list of one element. Returns an empty list when no category
 * is found. The category is the part of the file name before the first dot, or the name of the folder.
 */
function recordingOf(file: string): Recording[] {
  const names = [path.basename(file).split(".")[0], path.basename(path.dirname(file))];
  const category = categories.find((each) => names.includes(each));
  return category === undefined ? [] : [{ file, category, form: forms[path.extname(file)] }];
}

/** Returns the latest time of a file's points in nanoseconds; 0 for a file without points. */
function latestOf(mill: Millrace, recording: Recording): bigint {
  let latest = 0n;
  for (const points of windowsOf(mill, recording)) for (const { time } of points) latest = later(latest, time);
  return latest;
}

/** Yields the points of a file, one batch at a time. */
function* windowsOf(mill: Millrace, { file, category, form }: Recording): Iterable<Points> {
  const body = new Uint8Array(readFileSync(file));
  if (body.length === 0) return;
  const windows = mill.decodeInWindows(body, { category, form, precision: "n", now: wallClock() });
  try {
    for (let points = windows.next(); points !== undefined; points = windows.next()) yield points;
  } finally {
    windows.release();
  }
}

/** Sends the points of a file and returns how many it has sent. */
async function send(mill: Millrace, recording: Recording, shift: bigint, destination: string): Promise<number> {
  const url = new URL(destination);
  url.pathname = `/v1/write/${recording.category}`;
  url.searchParams.set("precision", "n");
  url.searchParams.set("input", "import");
  const batcher = mill.batcher("lp", { maxBytes: bodyBytes });
  let sent = 0;
  const post = async (batches: readonly EncodedBatch[]) => {
    for (const { bytes, points } of batches) {
      await postBody(url, bytes);
      sent += points;
    }
  };
  for (const points of windowsOf(mill, recording)) {
    for (const point of points) point.time += shift;
    await post(batcher.add(points));
  }
  await post(batcher.end());
  return sent;
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
