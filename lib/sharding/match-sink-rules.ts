// Finds the sink entries (targets) that receive a request, by its header X-Global-Tags and its path
// (docs/reference/gateway.md#conditions).

import { HeaderSubject } from "./header-subject.ts";
import { SinkIndex } from "./sink-index.ts";
import type { SinkEntry, SinkRules } from "./sink-rules.ts";

/**
 * How many matching entries receive a request. With `all`, for writes, every matching entry gets a copy; with `first`,
 * for requests that need a single answer, only the first one.
 */
export type MatchMode = "all" | "first";

/** The targets to which a request is sent, as decided by the sink rules. */
export interface SinkDecision {
  /**
   * The result of the decision. `dropped` means that no sink entry (target with conditions) matches the request and
   * that no entry is marked as the default; the whole request is then rejected with status 406.
   */
  readonly result: "matched" | "default" | "dropped";
  /**
   * The sink entries (targets) that receive the request, in the order of the file of sink rules. When several of them
   * have the same URL, only the first is listed.
   */
  readonly entries: readonly SinkEntry[];
}

/** Decides, from the header X-Global-Tags and the path of a request, to which targets the request is sent. */
export type SinkMatcher = (header: string, path: string, mode: MatchMode) => SinkDecision;

/**
 * Limits of the cache. `cachedDecisions` is the largest number of decisions in the cache. `longestCached` is the
 * largest number of characters that a header and a path may have together; for a longer pair, the decision is not
 * cached, but computed at each request.
 */
const cachedDecisions = 4096;
const longestCached = 1024;

/**
 * Creates a matcher for the given sink rules. The matcher caches its decisions, so a new matcher must be created
 * when the rules change. `note` is called for each decision; its arguments say whether the decision was in the
 * cache, and how many decisions the cache holds.
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
  // Makes the index of the sink rules now, so that the first request does not wait for it.
  indexOf(rules);
  return (header, path, mode) => {
    if (header.length + path.length > longestCached) return decide(rules, header, path, mode);
    const key = `${mode}\n${path}\n${header}`;
    const known = cache.get(key);
    note(known !== undefined, cache.size);
    if (known !== undefined) return known;
    const decision = decide(rules, header, path, mode);
    // A full cache is emptied. This is rare, because requests have only few different headers, unless a client makes
    // up new headers all the time.
    if (cache.size >= cachedDecisions) cache.clear();
    cache.set(key, decision);
    return decision;
  };
}

/**
 * Decides which entries of the sink rules receive a request, without using a cache.
 *
 * @example
 * const { rules } = loadSinkRules('{"rules":[]}');
 * if (rules !== undefined) decide(rules, "host=a", "/v1/write/metric", "all").result; // "dropped"
 */
export function decide(rules: SinkRules, header: string, path: string, mode: MatchMode): SinkDecision {
  const matching: SinkEntry[] = [];
  const urls = new Set<string>();
  indexOf(rules).visit(new HeaderSubject(header, path), (at) => {
    const entry = rules.entries[at]!;
    if (urls.has(entry.url)) return true;
    urls.add(entry.url);
    matching.push(entry);
    return mode === "all";
  });
  if (matching.length > 0) return { result: "matched", entries: matching };
  const { defaultEntry } = rules;
  return defaultEntry === undefined
    ? { result: "dropped", entries: [] }
    : { result: "default", entries: [defaultEntry] };
}

const indexes = new WeakMap<SinkRules, SinkIndex>();

/** Returns the index of the sink rules. The index is made at the first call and kept. */
function indexOf(rules: SinkRules): SinkIndex {
  let index = indexes.get(rules);
  if (index === undefined) {
    index = new SinkIndex(rules.entries.map(({ conditions }) => conditions));
    indexes.set(rules, index);
  }
  return index;
}

/**
 * Returns the JSON body of the answer with status 406 for a dropped request.
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
 * Returns the URL that a request is sent to: scheme, host, port and query come from the URL of the sink entry; the path
 * is the entry's path followed by the request's path.
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
