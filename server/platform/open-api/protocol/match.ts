// Finds the route of a URL path. Paths are compared exactly: case matters, and an additional slash is another path.

import type { Route } from "./route.ts";

export const basePath = "/api/v1";

export interface Matched {
  /** The routes that share this path pattern, by HTTP method. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly ids: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly routes: Map<string, Route>;
  /** Names of the identifiers in the path pattern, from left to right. */
  readonly names: readonly string[];
}

/** Returns a function that finds the route of a URL path. The function returns undefined for an unknown path. */
export function createMatcher(routes: readonly Route[]): (path: string) => Matched | undefined {
  /** The declared path patterns. The key is the path with `{}` in place of each identifier. */
  const patterns = new Map<string, Pattern>();
  /**
   * The indexes of the path segments that are identifiers. Each value of this map is one list of such indexes, which
   * several declared paths may share. Its key is the list as a string, such as `3` or `3,5`.
   */
  const places = new Map<string, readonly number[]>();
  for (const route of routes) {
    for (const path of pathsOf(route)) {
      const segments = path.split("/");
      const at = segments.flatMap((segment, index) => (segment.startsWith("{") ? [index] : []));
      const shape = shapeOf(segments, at);
      const pattern = patterns.get(shape) ?? {
        routes: new Map(),
        names: at.map((index) => segments[index].slice(1, -1)),
      };
      if (pattern.routes.has(route.method)) throw new Error(`two routes are ${route.method} ${path}`);
      pattern.routes.set(route.method, route);
      patterns.set(shape, pattern);
      places.set(`${segments.length}:${at.join()}`, at);
    }
  }
  const tried = [...places].map(([name, at]) => ({ length: Number(name.split(":")[0]), at }));
  // Paths with fewer identifiers are tried first. So the fixed word `list` in `/list` is not taken for an identifier.
  tried.sort((a, b) => a.at.length - b.at.length);
  return (path) => {
    const segments = path.split("/");
    for (const { length, at } of tried) {
      if (segments.length !== length) continue;
      const pattern = patterns.get(shapeOf(segments, at));
      if (pattern === undefined || at.some((index) => segments[index] === "")) continue;
      const ids = pattern.names.map((name, index) => [name, decoded(segments[at[index]])]);
      return { routes: pattern.routes, ids: Object.fromEntries(ids) as Record<string, string> };
    }
    return undefined;
  };
}

/**
 * Returns the declared path of a route. Also returns, for each word in `plural`, the path with an `s` after this word.
 */
export function pathsOf({ path, plural = [] }: Pick<Route, "path" | "plural">): readonly string[] {
  const plurals = plural.map((word) => path.replace(new RegExp(`/${word}(?=/|$)`), `/${word}s`));
  return [path, ...plurals].map((each) => basePath + each);
}

function shapeOf(segments: readonly string[], at: readonly number[]): string {
  return at.length === 0
    ? segments.join("/")
    : segments.map((segment, index) => (at.includes(index) ? "{}" : segment)).join("/");
}

/**
 * Decodes a segment of a path. A segment with invalid percent-encoding stays as it is, because no object has such an
 * identifier.
 */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
