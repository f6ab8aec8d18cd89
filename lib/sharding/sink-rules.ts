// Reads the sink rules of a gateway from the file sinker.json; they decide to which targets a request is sent
// (docs/reference/gateway.md#sink-rules).

import { type Condition, compileCondition } from "../filter/condition.ts";
import { ConditionError } from "../filter/errors.ts";
import { hasTokenShape, maskToken, maskTokens } from "./token.ts";

/** One entry of the sink rules: the URL of a target, and the conditions for sending requests to it. */
export interface SinkEntry {
  /** Index of the entry in the file of sink rules, from 0. */
  readonly index: number;
  /** The URL of the target as configured, including its token. */
  readonly url: string;
  readonly token: string;
  /** Note that the operator wrote about the entry; empty when there is none. */
  readonly info: string;
  /** Conditions of the entry; a request that meets any of them is sent to the target. */
  readonly conditions: readonly Condition[];
  /** Whether the entry receives the requests that no other entry matches. Only the last such entry of a file counts. */
  readonly isDefault: boolean;
}

/** The sink rules of a gateway, which route requests to targets. */
export interface SinkRules {
  readonly strict: boolean;
  readonly entries: readonly SinkEntry[];
  readonly defaultEntry: SinkEntry | undefined;
}

/** A problem in a file of sink rules, which route requests to targets. */
export interface SinkProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** The sink rules of a file, and the problems in it. */
export interface LoadedSinkRules {
  /** The rules; undefined when one of the problems is an error. */
  readonly rules: SinkRules | undefined;
  readonly problems: readonly SinkProblem[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Parses the content of a file of sink rules. Never throws: errors are listed in `problems`, and their messages contain
 * no tokens.
 *
 * @example
 * loadSinkRules("{").rules; // undefined
 */
export function loadSinkRules(text: string): LoadedSinkRules {
  const problems: SinkProblem[] = [];
  const error = (message: string) => {
    problems.push({ severity: "error", message: `sinker rules${message}` });
  };
  const warning = (message: string) => {
    problems.push({ severity: "warning", message: `sinker rules${message}` });
  };
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (reason) {
    error(`: invalid JSON: ${withoutQuote((reason as Error).message)}`);
    return { rules: undefined, problems };
  }
  if (!isMembers(file) || !Array.isArray(file.rules)) {
    error(': "rules" must be an array');
    return { rules: undefined, problems };
  }
  const { strict = false } = file;
  if (typeof strict !== "boolean") error(': "strict" must be a boolean');
  const entries = file.rules.map((entry: unknown, index) => readEntry(entry, index, error, warning));
  const defaults = entries.filter(({ isDefault }) => isDefault);
  if (defaults.length === 0) (strict === true ? warning : error)(': default rule "*" missing');
  if (defaults.length > 1) warning(": several default rules, the last one is used");
  const isUsable = problems.every(({ severity }) => severity === "warning");
  const rules: SinkRules = { strict: strict === true, entries, defaultEntry: defaults.at(-1) };
  return { rules: isUsable ? rules : undefined, problems };
}

type Say = (message: string) => void;

function readEntry(value: unknown, index: number, error: Say, warning: Say): SinkEntry {
  const entry: Members = isMembers(value) ? value : {};
  const place = `[${index}]`;
  const url = typeof entry.url === "string" ? entry.url : "";
  const token = tokenOf(url);
  if (token === undefined) error(`${place}: invalid url "${maskTokens(url)}"`);
  else if (token === "") error(`${place}: token missing in url`);
  else if (!hasTokenShape(token)) warning(`${place}: token ${maskToken(token)} has an unusual shape`);
  const isFallback = entry.as_default === true;
  const texts = readTexts(entry.rules);
  if (texts === undefined && !(isFallback && entry.rules === undefined)) {
    error(`${place}: "rules" must be a non-empty array of string`);
  }
  const conditions: Condition[] = [];
  let hasAsterisk = false;
  for (const [at, text] of (texts ?? []).entries()) {
    if (isAsterisk(text)) {
      hasAsterisk = true;
      continue;
    }
    try {
      conditions.push(compileCondition(text));
    } catch (reason) {
      if (!(reason instanceof ConditionError)) throw reason;
      error(`${place}.rules[${at}]: ${reason.message}`);
    }
  }
  return {
    index,
    url,
    token: token ?? "",
    info: typeof entry.info === "string" ? entry.info : "",
    // A default entry has no conditions of its own: it receives a request only when no other entry matches.
    conditions: isFallback ? [] : conditions,
    isDefault: isFallback || hasAsterisk,
  };
}

function readTexts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts: unknown[] = value;
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}

/** Removes the part of a JSON parser's message that quotes the input, because the input may contain a token. */
function withoutQuote(message: string): string {
  return message.replace(/,? ?(?:\.\.\.)?".*$/s, "");
}

/** Returns whether a condition is `*`, with or without braces. */
function isAsterisk(text: string): boolean {
  return /^\s*(?:\*|\{\s*\*\s*\})\s*$/.test(text);
}

/** Returns the token in a URL; undefined when the URL is invalid, and an empty string when the URL has no token. */
function tokenOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  return url.searchParams.get("token") ?? "";
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
