// Loaded into the agent of a fault test before anything else (`--import`). Makes the disk fail and the clock jump as
// the JSON file named by MILLRACE_FAULTS says: { "disk": "ENOSPC" | "EIO" | "", "at": OPERATION, "clockMs": -7200000 }.
// OPERATION names the file operation that fails: "write" (after half of the bytes), "sync" (of a segment file, after
// its bytes were written), "open" or "read" (of segment files and of the probe, the file that tests whether the disk
// works again), or "folder" (the sync of a queue's folder).

import fs, { readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";

const file = process.env.MILLRACE_FAULTS;
let faults = { disk: "", at: "", clockMs: 0 };

let last = "";

/**
 * Reads the current faults. The main thread also writes them into the file `*.seen`, so that a test knows that they
 * were read.
 */
function look() {
  const text = readFileSync(file, "utf8");
  if (text === last) return;
  faults = JSON.parse(text);
  last = text;
  if (isMainThread) writeFileSync(`${file}.seen`, text);
}

look();
setInterval(look, 5).unref();

const { write, writev, writeSync, fdatasync } = fs;
const { open } = fs.promises;

const strikes = (operation) => faults.disk !== "" && faults.at === operation;

function failure() {
  return Object.assign(new Error(`${faults.disk}: injected by the test`), { code: faults.disk });
}

// Among all code that writes files, only the queue passes a position in the file with each write. So only writes
// with a position fail.
const isFull = (position) => strikes("write") && typeof position === "number";

function failAfterHalf(fd, part, position) {
  writeSync(fd, part, 0, part.length >> 1, position);
  return failure();
}

fs.write = (fd, part, from, length, position, done) => {
  if (!isFull(position)) return write(fd, part, from, length, position, done);
  const error = failAfterHalf(fd, part, position);
  setImmediate(() => done(error));
};

fs.writev = (fd, parts, position, done) => {
  if (!isFull(position)) return writev(fd, parts, position, done);
  const error = failAfterHalf(fd, parts[0], position);
  setImmediate(() => done(error));
};

fs.writeSync = (fd, part, from, length, position) => {
  if (!isFull(position)) return writeSync(fd, part, from, length, position);
  throw failAfterHalf(fd, part, position);
};

fs.fdatasync = (fd, done) => {
  if (!strikes("sync")) return fdatasync(fd, done);
  setImmediate(() => done(failure()));
};

fs.promises.open = async (path, ...how) => {
  const isSegment = /\.seg$|[/\\]probe$/.test(String(path));
  if (isSegment && strikes("open")) throw failure();
  const handle = await open(path, ...how);
  if (isSegment) {
    const { read } = handle;
    handle.read = async (...parts) => {
      if (strikes("read")) throw failure();
      return await read.apply(handle, parts);
    };
  } else if (/[/\\]queue[/\\]\w+$/.test(path) && strikes("folder")) {
    handle.sync = async () => {
      throw failure();
    };
  }
  return handle;
};

// This file has replaced functions of node:fs. Modules that import these functions by name get the new functions only
// through this call.
syncBuiltinESMExports();

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + faults.clockMs] : parts));
  }

  static now() {
    return RealDate.now() + faults.clockMs;
  }
};
