// The default module for hosts with Node's file system: Node, Deno and Bun. The one file of lib that imports a module of the host;
// the conditions of package.json keep it away from every other one.

import { readFile } from "node:fs/promises";

/** Reads and compiles `millrace.wasm` beside the code. Throws when it is not there, as after bundling into one file. */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  const url = new URL("../millrace.wasm", import.meta.url);
  const bytes = await readFile(url).catch((cause: unknown) => {
    throw new Error(`${url.href} cannot be read; pass \`wasm\` to createMillrace`, { cause });
  });
  return WebAssembly.compile(bytes);
}
