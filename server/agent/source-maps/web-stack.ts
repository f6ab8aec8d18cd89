// Resolves the frames of a browser's stack (agent document, A.6.5).

import path from "node:path";
import { decodedMappings, type SourceMapSegment, type TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import { type Frame, framesOf } from "./frames.ts";
import { StackError } from "./stack-error.ts";

/** The map of an entry such as `js/main.js.map`; undefined when the archive has none. */
export type MapOf = (entry: string) => Promise<TraceMap | undefined>;

/** `browsers`: also frames as browsers write them. Throws StackError when a frame cannot be resolved. */
export async function resolveWebStack(stack: string, browsers: boolean, mapOf: MapOf): Promise<string> {
  const parts: string[] = [];
  let failure: StackError | undefined;
  let end = 0;
  for (const frame of framesOf(stack, browsers)) {
    parts.push(stack.slice(end, frame.start));
    end = frame.end;
    try {
      parts.push(await resolveFrame(frame, mapOf));
    } catch (error) {
      if (!(error instanceof StackError)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  parts.push(stack.slice(end));
  return parts.join("");
}

async function resolveFrame({ url, line, column, firstColumn }: Frame, mapOf: MapOf): Promise<string> {
  const entry = `${pathOf(url)}.map`;
  const map = await mapOf(entry);
  if (map === undefined)
    throw new StackError(
      `parse sourcemap for [${url}:${line}:${column}] failed: sourcemap file [${entry}] is required`,
    );
  const segment = segmentAt(map, line - 1, Math.max(0, column - firstColumn));
  const source = segment === undefined || segment.length === 1 ? null : map.sources[segment[1]];
  if (source === null || source === undefined || segment === undefined || segment.length === 1) {
    throw new StackError(`fetch original source information failed, make sure sourcemap file [${entry}] is valid`);
  }
  return `${withRoot(source, map.sourceRoot)}:${segment[2] + 1}:${segment[3] + firstColumn}`;
}

/** The decoded path without its first slash. */
function pathOf(url: string): string {
  // A stack may also hold a bare path: it is resolved against an origin that is not looked at.
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname).replace(/^\//, "");
  } catch (error) {
    throw new StackError(`parse url failed, ${url}, ${(error as Error).message}`);
  }
}

/**
 * The mapping at the position, else the one before it, which may belong to an earlier line. Behind the last line that has
 * mappings there is nothing to be found.
 */
function segmentAt(map: TraceMap, line: number, column: number): Readonly<SourceMapSegment> | undefined {
  if (line < 0 || line >= decodedMappings(map).length) return undefined;
  for (let at = line, from = column; at >= 0; at--, from = Number.MAX_SAFE_INTEGER) {
    const segment = traceSegment(map, at, from);
    if (segment !== null) return segment;
  }
  return undefined;
}

/** An absolute source stays as it is; else it is joined to the root, to the path of one that is a URL. */
function withRoot(source: string, root: string | undefined): string {
  if (root === undefined || root === "" || source.startsWith("/") || hasScheme.test(source)) return source;
  const url = hasScheme.exec(root);
  return url === null
    ? path.posix.join(root, source)
    : url[0] + path.posix.join(root.slice(url[0].length) || "/", source);
}

const hasScheme = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;
