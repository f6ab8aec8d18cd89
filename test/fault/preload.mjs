// Loaded into the agent of a fault test before anything else (`--import`): makes its disk fail and its clock jump, as the JSON file
// named by MILLRACE_FAULTS says: { "disk": "ENOSPC" | "EIO" | "", "clockMs": -7200000 }.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const file = process.env.MILLRACE_FAULTS;
let faults = { disk: "", clockMs: 0 };

function look() {
  try {
    faults = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // It is being written: what held before holds on.
  }
}

look();
setInterval(look, 5).unref();

// ENOSPC meets the write, after a part of it; EIO meets the sync, when the bytes seemed written.
const folder = mkdtempSync(path.join(tmpdir(), "millrace-fault-"));
const handle = await open(path.join(folder, "probe"), "w");
const methods = Object.getPrototypeOf(handle);
const { writev, datasync } = methods;
await handle.close();
rmSync(folder, { recursive: true });

function failure(code) {
  return Object.assign(new Error(`${code}: injected by the test`), { code });
}

methods.writev = async function (parts, position) {
  if (faults.disk !== "ENOSPC") return await writev.call(this, parts, position);
  const half = parts[0].subarray(0, parts[0].length >> 1);
  await writev.call(this, [half], position);
  throw failure("ENOSPC");
};

methods.datasync = async function () {
  if (faults.disk === "EIO") throw failure("EIO");
  return await datasync.call(this);
};

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + faults.clockMs] : parts));
  }

  static now() {
    return RealDate.now() + faults.clockMs;
  }
};
