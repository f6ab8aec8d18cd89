// Makes zip archives of source maps, and the request that uploads such an archive.

import { encodedMap, type SourceMapSegment, TraceMap } from "@jridgewell/trace-mapping";
import { zipSync } from "fflate";
import type { Sent } from "./running-agent.ts";

/**
 * Returns a source map. `mappings` has a list of segments for each generated line; a segment is [generated column,
 * index of the source, original line, original column], all counted from 0.
 */
export function sourceMap(sources: string[], mappings: SourceMapSegment[][], sourceRoot?: string): string {
  const map = new TraceMap({
    version: 3,
    sources,
    names: [],
    mappings,
    ...(sourceRoot === undefined ? {} : { sourceRoot }),
  });
  return JSON.stringify(encodedMap(map));
}

export function zip(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, typeof text === "string" ? Buffer.from(text) : text]),
    ),
  );
}

/** Returns a request with a multipart form that has one file. */
export function form(content: Uint8Array, name = "file"): Sent {
  const boundary = "----millrace-test";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.zip"\r\nContent-Type: application/zip\r\n\r\n`;
  return {
    method: "PUT",
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
