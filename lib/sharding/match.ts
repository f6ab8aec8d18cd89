// Finds the entries that receive a request, by its header and path (docs/reference/gateway.md#conditions).

import { HeaderSubject } from "./header-subject.ts";
import type { SinkEntry, SinkRules } from "./sink-rules.ts";

/**
 * How many entries receive a request: `all` sends a copy to every entry that matches, for writes; `first` is for
 * requests that need one answer.
 */
export type MatchMode = "all" | "first";

/** The decision about a request. */
export interface SinkDecision {
  /**
   * The result; `dropped` means that no entry matches and there is no default, so that the whole request is refused
   * with 406.
   */
  readonly result: "matched" | "default" | "dropped";
  /** The targets in the order of the file; a URL that several entries have occurs once. */
  readonly entries: readonly SinkEntry[];
}

/** Returns the decision for a header and a path. */
export type SinkMatcher = (header: string, path: string, mode: MatchMode) => SinkDecision;

/** Most decisions in the cache, and most characters of a cached header and path; longer ones are decided each time. */
const cachedDecisions = 4096;
const longestCached = 1024;

/**
 * Creates a matcher for these rules, which caches its decisions: create a new one when the rules change. `note` is
 * called with whether the cache had the decision, and with its size.
 *
 * @example
 * const { rules } = loadSinkRules('{"rules":[]}');
 * if (rules !== undefined) createSinkMatcher(rules)("host=a", "/v1/write/metric", "all").result; // "dropped"
 */
export function createSinkMatcher(
  rules: SinkRules,
  note: (knew: boolean, size: number) => void = () => {},
): SinkMatcher {
  const cache = new Map<string, SinkDecision>();
  return (header, path, mode) => {
    if (header.length + path.length > longestCached) return decide(rules, header, path, mode);
    const key = `${mode}\n${path}\n${header}`;
    const known = cache.get(key);
    note(known !== undefined, cache.size);
    if (known !== undefined) return known;
    const decision = decide(rules, header, path, mode);
    // A full cache is cleared: there are few different headers, unless somebody invents them.
    if (cache.size >= cachedDecisions) cache.clear();
    cache.set(key, decision);
    return decision;
  };
}

/**
 * Decides which entries receive a request, without a cache.
 *
 * @example
 * const { rules } = loadSinkRules('{"rules":[]}');
 * if (rules !== undefined) decide(rules, "host=a", "/v1/write/metric", "all").result; // "dropped"
 */
export function decide(rules: SinkRules, header: string, path: string, mode: MatchMode): SinkDecision {
  const subject = new HeaderSubject(header, path);
  const matching: SinkEntry[] = [];
  for (const entry of rules.entries) {
    if (!takes(entry, subject) || matching.some(({ url }) => url === entry.url)) continue;
    matching.push(entry);
    if (mode === "first") break;
  }
  if (matching.length > 0) return { result: "matched", entries: matching };
  const { defaultEntry } = rules;
  return defaultEntry === undefined
    ? { result: "dropped", entries: [] }
    : { result: "default", entries: [defaultEntry] };
}

function takes({ conditions }: SinkEntry, subject: HeaderSubject): boolean {
  for (const condition of conditions) if (condition.matches(subject)) return true;
  return false;
}

/**
 * Returns the body of the 406 answer for a dropped request.
 *
 * @example
 * JSON.parse(notMatchedBody("host=a", "/v1/write/metric")).error_code; // "gateway.sinkRulesNotMatched"
 */
export function notMatchedBody(header: string, path: string): string {
  return JSON.stringify({
    error_code: "gateway.sinkRulesNotMatched",
    message: `X-Global-Tags: \`${header}', URL: \`${path}'`,
  });
}

/**
 * Returns the URL for a request: scheme, host, port and query of the entry, and the entry's path in front of the
 * request's path.
 *
 * @example
 * targetUrl({ url: "https://store.example/in?token=t" }, "/v1/write/metric"); //
 * "https://store.example/in/v1/write/metric?token=t"
 */
export function targetUrl(entry: Pick<SinkEntry, "url">, path: string, query = ""): string {
  const url = new URL(entry.url);
  const own = new URLSearchParams(url.search);
  const search = new URLSearchParams(query);
  for (const [name, value] of own) search.set(name, value);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  url.search = search.toString();
  url.hash = "";
  return url.href;
}
