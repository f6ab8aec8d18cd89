// Loads the WebAssembly module in browsers, also from code that a bundler has packed, and in every other host whose
// `fetch` can read files beside the code.

/**
 * Largest number of characters of a URL that an error message shows. A URL may be very long, because a bundler may
 * write the whole file into it.
 */
const longestAddress = 200;

/**
 * Fetches and compiles `millrace.wasm`. Bundlers recognize the URL and copy the file. Throws when the file cannot be
 * fetched.
 *
 * @example
 * const module = await defaultWasm();
 * const mills = await Promise.all([createMillrace({ wasm: module }), createMillrace({ wasm: module })]);
 */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  let url: URL;
  try {
    url = new URL("../millrace.wasm", import.meta.url);
  } catch (cause) {
    // In a bundle that is not an ES module, `import.meta.url` is undefined, so the URL of `millrace.wasm` cannot be
    // made from it.
    throw notFound("beside the code, whose address is unknown", cause);
  }
  return wasmAt(url);
}

/** Fetches and compiles the module at a URL. */
export async function wasmAt(url: string | URL): Promise<WebAssembly.Module> {
  const place = `at ${String(url).slice(0, longestAddress)}`;
  const response = await fetch(url).catch((cause: unknown) => {
    throw notFound(place, cause);
  });
  if (!response.ok) throw notFound(`${place} (status ${response.status})`);
  const bytes = await response.arrayBuffer();
  // Many servers answer a request for a missing file with an HTML page, so the first bytes are checked.
  if (!startsAsWasm(bytes)) throw notFound(`${place} (another file is there)`);
  return WebAssembly.compile(bytes);
}

function startsAsWasm(bytes: ArrayBuffer): boolean {
  const [zero, a, s, m] = new Uint8Array(bytes);
  return zero === 0 && a === 0x61 && s === 0x73 && m === 0x6d;
}

function notFound(place: string, cause?: unknown): Error {
  const help =
    "Copy node_modules/millrace/dist/lib/wasm/millrace.wasm to your site, and write " +
    'createMillrace({ wasm: "/millrace.wasm" })';
  return new Error(`millrace.wasm was not found ${place}. ${help}`, cause === undefined ? undefined : { cause });
}
