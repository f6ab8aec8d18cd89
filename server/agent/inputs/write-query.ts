// What the query of a write asks for (docs/reference/agent.md#parameters). First occurrences count.

import { precisions } from "../../../lib/point/precision.ts";
import { ApiError } from "../../http/errors.ts";
import type { EchoForm } from "../ingest/write-request.ts";

export interface WriteQuery {
  /** Empty texts: not told. */
  readonly precision: string;
  readonly encoding: string;
  readonly source: string;
  readonly input: string;
  readonly strict: boolean;
  readonly dry: boolean;
  readonly echo: EchoForm | undefined;
  readonly electionTags: boolean;
  readonly hostTags: boolean;
  /** As sent: of logs only it must be one. */
  readonly storageIndex: string;
}

/** `search`: without its question mark. */
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

/** Only the presence of a text counts: `dry=false` is on, `dry=` is off. */
function has(query: URLSearchParams, name: string): boolean {
  return (query.get(name) ?? "") !== "";
}

function echoOf(query: URLSearchParams): EchoForm | undefined {
  const echo = query.get("echo") ?? "";
  if (echo !== "") return echo === "lp" || echo === "json" || echo === "pbjson" ? echo : undefined;
  if (has(query, "echo_line_proto")) return "lp";
  return has(query, "echo_json") ? "json" : undefined;
}

/** The unit of times, as it was sent; empty: found out by their size. Throws when there is no such unit. */
export function precisionOf(sent: string): string {
  if (sent === "" || precisions.includes(sent)) return sent;
  throw new ApiError(
    "agent.badRequest",
    `invalid precision ${shown(sent)}: one of ${precisions.join(", ")} is expected`,
  );
}

/** A text of the query, cut. */
function shown(sent: string): string {
  return JSON.stringify(sent.length > 32 ? `${sent.slice(0, 32)}...` : sent);
}

/** The name, when one was sent; throws when it is none. */
export function storageIndexOf(sent: string): string | undefined {
  if (sent === "") return undefined;
  if (!/^[a-z][a-z0-9_]*$/.test(sent))
    throw new ApiError("agent.invalidStorageIndex", `invalid storage_index "${sent}"`);
  return sent;
}
