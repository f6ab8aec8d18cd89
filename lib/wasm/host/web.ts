// Loads the default WebAssembly module in browsers, with their bundlers, and in every host whose `fetch` can read files
// beside the code.

/**
 * Fetches and compiles `millrace.wasm`. Bundlers recognize the URL and copy the file. Throws when the file cannot be
 * fetched.
 */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  const url = new URL("../millrace.wasm", import.meta.url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} answered ${response.status}; pass \`wasm\` to createMillrace`);
  return WebAssembly.compile(await response.arrayBuffer());
}
