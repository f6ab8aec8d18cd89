// Finds the route of a URL path. Paths are compared exactly: upper and lower case differ, and a path with an
// additional slash is a different path.

import type { Route } from "./route.ts";

export const basePath = "/api/v1";

export interface Matched {
  /** The routes that share this path pattern, by HTTP method. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly ids: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly routes: Map<string, Route>;
  /** The names of the identifiers in the path pattern, in the order in which they occur in the path. */
  readonly names: readonly string[];
}

/** Returns a function that finds the route of a URL path. The function returns undefined for an unknown path. */
export function createMatcher(routes: readonly Route[]): (path: string) => Matched | undefined {
  /** The declared path patterns. The key of a pattern is its path with `{}` in place of each identifier. */
  const patterns = new Map<string, Pattern>();
  /**
   * The different lists of path segments that are identifiers. Each list contains the indexes of these segments in
   * one or several declared paths. The key is the list as a string, such as `3` or `3,5`.
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
  // Path patterns with fewer identifiers are tried first, so that a fixed word such as `list` in a path is not
  // mistaken for an identifier.
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
 * Returns the paths under which a route can be called: the declared path and, for each word in `plural`, the
 * path with an `s` after this word.
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
 * Decodes one segment of a path. A segment with invalid percent-encoding is returned unchanged; no object has
 * such an identifier, so none is found.
 */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
