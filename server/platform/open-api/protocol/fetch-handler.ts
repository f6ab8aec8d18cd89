// Provides the Open API as a function that takes a web Request and returns a Response, for pages, workers and
// other runtimes with these types.

import type { OpenApi } from "./dispatch.ts";
import { invalidJson, tooLarge } from "./read-body.ts";

export function openApiHandler(openApi: OpenApi): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status, headers, text } = await openApi({
      method: request.method,
      url: pathname + search,
      header: (name) => request.headers.get(name) ?? "",
      body: (cap) => bodyOf(request, cap),
    });
    return new Response(status === 204 || text === "" ? null : text, { status, headers });
  };
}

async function bodyOf(request: Request, cap: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0);
  const encoding = request.headers.get("content-encoding") ?? "";
  if (encoding !== "" && encoding !== "gzip" && encoding !== "deflate") {
    throw invalidJson("its compression cannot be undone");
  }
  const sent = request.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const stream = encoding === "" ? sent : sent.pipeThrough(new DecompressionStream(encoding));
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw invalidJson("its compression cannot be undone");
    });
    if (done) break;
    length += value.length;
    if (length > cap) {
      await reader.cancel();
      throw tooLarge(cap);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
