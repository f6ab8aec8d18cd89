// Resolves the frames (lines of calls) of a browser's error stack by source maps (docs/reference/agent.md#source-maps).

import { type Frame, framesOf } from "./frames.ts";
import type { SourceMap } from "./source-map.ts";
import { StackError } from "./stack-error.ts";

/**
 * Returns the source map in an archive's entry, such as `js/main.js.map`; undefined when the archive has no such entry.
 */
export type MapOf = (entry: string) => Promise<SourceMap | undefined>;

/**
 * Returns the error stack with its frames (lines of calls) resolved. Always resolves frames in the format of the SDKs;
 * with `browsers`, also frames in the formats of browsers. Throws StackError when a frame cannot be resolved.
 */
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
  const found = map.find(line - 1, Math.max(0, column - firstColumn));
  if (found === undefined || found.source === null) {
    throw new StackError(`fetch original source information failed, make sure sourcemap file [${entry}] is valid`);
  }
  return `${found.source}:${found.line + 1}:${found.column + firstColumn}`;
}

/** Returns the decoded path of a URL without its first slash. Throws StackError for an invalid URL. */
function pathOf(url: string): string {
  // A stack may contain a path without an origin, so URLs are parsed relative to a dummy origin.
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname).replace(/^\//, "");
  } catch (error) {
    throw new StackError(`parse url failed, ${url}, ${(error as Error).message}`);
  }
}
