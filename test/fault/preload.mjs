// Loaded into the agent of a fault test before anything else (`--import`): makes its disk fail and its clock jump, as the JSON file
// named by MILLRACE_FAULTS says: { "disk": "ENOSPC" | "EIO" | "", "clockMs": -7200000 }.

import fs, { readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";

const file = process.env.MILLRACE_FAULTS;
let faults = { disk: "", clockMs: 0 };

let last = "";

/** What is in force from now on is said in a file beside, by the thread that has the queues. */
function look() {
  const text = readFileSync(file, "utf8");
  if (text === last) return;
  faults = JSON.parse(text);
  last = text;
  if (isMainThread) writeFileSync(`${file}.seen`, text);
}

look();
setInterval(look, 5).unref();

// ENOSPC meets the write, after a part of it; EIO meets the sync, when the bytes seemed written. Only writes at a position
// are those of a queue.
const { write, writev, writeSync, fdatasync } = fs;

function failure(code) {
  return Object.assign(new Error(`${code}: injected by the test`), { code });
}

const isFull = (position) => faults.disk === "ENOSPC" && typeof position === "number";

function failAfterHalf(fd, part, position) {
  writeSync(fd, part, 0, part.length >> 1, position);
  return failure("ENOSPC");
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
  if (faults.disk !== "EIO") return fdatasync(fd, done);
  setImmediate(() => done(failure("EIO")));
};

// Also for those who import the functions by name.
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
