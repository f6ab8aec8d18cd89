// A worker thread that runs functions supplied by the user on points, one call after the other. The gateway may end
// this thread at any time. A module is loaded when one of its functions is called for the first time.

import { parentPort } from "node:worker_threads";
import type { TagCall, TagCallResult } from "./tag-functions.ts";

const port = parentPort!;
const modules = new Map<string, Promise<Record<string, unknown>>>();
let last: Promise<void> = Promise.resolve();

port.on("message", (call: TagCall) => {
  last = last.then(() => run(call));
});

async function run({ number, url, name, args }: TagCall): Promise<void> {
  let result: TagCallResult;
  try {
    let module = modules.get(url);
    if (module === undefined) modules.set(url, (module = import(url) as Promise<Record<string, unknown>>));
    const call = (await module)[name];
    if (typeof call !== "function") throw new Error(`${name} is not an exported function`);
    port.postMessage({ number, started: true } satisfies TagCallResult);
    result = { number, value: await (call as (...args: unknown[]) => unknown)(...args) };
  } catch (error) {
    result = { number, error: error instanceof Error ? error.message : String(error) };
  }
  try {
    port.postMessage(result);
  } catch {
    // The value that the user's function returned cannot be copied to the main thread, for example because it is
    // itself a function. The error message is the same as for any other returned value that is not an object.
    port.postMessage({ number, error: "global tags function must return a dict" } satisfies TagCallResult);
  }
}
