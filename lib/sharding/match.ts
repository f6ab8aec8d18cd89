// Which entries take a request, by its header and path (docs/reference/gateway.md#conditions).

import { HeaderSubject } from "./header-subject.ts";
import type { SinkEntry, SinkRules } from "./sink-rules.ts";

/** `all`: a copy to every entry that matches, for writes. `first`: for requests that need one answer. */
export type MatchMode = "all" | "first";

export interface SinkDecision {
  /** `dropped`: no entry matches and there is no default; the whole request is refused with 406. */
  readonly result: "matched" | "default" | "dropped";
  /** In the order of the file; an URL that several entries have is there once. */
  readonly entries: readonly SinkEntry[];
}

export type SinkMatcher = (header: string, path: string, mode: MatchMode) => SinkDecision;

/** Decisions kept; headers longer than this are decided anew each time. */
const cachedDecisions = 4096;
const longestCached = 1024;

/** Remembers its decisions: make a new one when the rules change. `note` hears whether it knew, and of how many it knows. */
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
    // Emptied, not aged: headers are few, unless somebody makes them up.
    if (cache.size >= cachedDecisions) cache.clear();
    cache.set(key, decision);
    return decision;
  };
}

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

/** The body of the 406 for a request that is dropped. */
export function notMatchedBody(header: string, path: string): string {
  return JSON.stringify({
    error_code: "gateway.sinkRulesNotMatched",
    message: `X-Global-Tags: \`${header}', URL: \`${path}'`,
  });
}

/** Where a request goes: scheme, host, port and query of the entry, its path before that of the request. */
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
