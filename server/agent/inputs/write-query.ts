// Parses the query parameters of a write (docs/reference/agent.md#parameters). When a parameter occurs several times,
// its first value counts.

import { precisions } from "../../../lib/point/index.ts";
import { ApiError } from "../../http/errors.ts";
import type { EchoForm } from "../ingest/write-request.ts";

export interface WriteQuery {
  /**
   * Unit of the points' times; empty when the client did not send the parameter. The other string members of this
   * interface are also empty when the client did not send their parameters.
   */
  readonly precision: string;
  readonly encoding: string;
  readonly source: string;
  readonly input: string;
  readonly strict: boolean;
  readonly dry: boolean;
  readonly echo: EchoForm | undefined;
  readonly electionTags: boolean;
  readonly hostTags: boolean;
  /**
   * The parameter `storage_index` as the client sent it. Its syntax is checked only for writes of the category
   * `logging`.
   */
  readonly storageIndex: string;
}

/** Parses the query of a write's URL. `search`: the query without its question mark. */
export function writeQueryOf(search: string): WriteQuery {
  return search === "" ? nothing : parsed(new URLSearchParams(search));
}

const nothing = parsed(new URLSearchParams());

function parsed(query: URLSearchParams): WriteQuery {
  const text = (name: string) => query.get(name) ?? "";
  return {
    precision: text("precision"),
    encoding: text("encoding"),
    source: text("source"),
    input: text("input"),
    strict: has(query, "strict"),
    dry: has(query, "dry"),
    echo: echoOf(query),
    electionTags: has(query, "global_election_tags"),
    hostTags: !has(query, "ignore_global_host_tags") && !has(query, "ignore_global_tags"),
    storageIndex: text("storage_index"),
  };
}

/**
 * Returns whether the query contains the parameter with a value that is not empty: true for `dry=false`, false for
 * `dry=`.
 */
function has(query: URLSearchParams, name: string): boolean {
  return (query.get(name) ?? "") !== "";
}

function echoOf(query: URLSearchParams): EchoForm | undefined {
  const echo = query.get("echo") ?? "";
  if (echo !== "") return echo === "lp" || echo === "json" || echo === "pbjson" ? echo : undefined;
  if (has(query, "echo_line_proto")) return "lp";
  return has(query, "echo_json") ? "json" : undefined;
}

/**
 * Checks the unit of times that a client sent. Returns the unit; empty means that the decoder detects the unit. Throws
 * ApiError for an unknown unit.
 */
export function precisionOf(sent: string): string {
  if (sent === "" || precisions.includes(sent)) return sent;
  throw new ApiError(
    "agent.badRequest",
    `invalid precision ${shown(sent)}: one of ${precisions.join(", ")} is expected`,
  );
}

/** Returns a query parameter, truncated, to show it in an error message. */
function shown(sent: string): string {
  return JSON.stringify(sent.length > 32 ? `${sent.slice(0, 32)}...` : sent);
}

/**
 * Checks the parameter `storage_index`. Returns the index name; undefined when the client sent none. Throws ApiError
 * for an invalid name.
 */
export function storageIndexOf(sent: string): string | undefined {
  if (sent === "") return undefined;
  if (!/^[a-z][a-z0-9_]*$/.test(sent))
    throw new ApiError("agent.invalidStorageIndex", `invalid storage_index "${sent}"`);
  return sent;
}
