// Sends DQL queries of the command line to a platform.

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseExactJson } from "../../../lib/dql/index.ts";
import { shownText } from "../../../lib/text/index.ts";
import { UsageError } from "../usage-error.ts";
import type { Entry } from "./answer.ts";

export interface Platform {
  /** Host and port of the platform that gets the queries, such as `127.0.0.1:9527`. */
  readonly host: string;
  readonly token: string;
}

export interface QueryReply {
  readonly ok: boolean;
  /** The body of the platform's answer, not parsed. */
  readonly text: string;
}

export type SendQuery = (
  query: string,
  options?: { readonly explain?: boolean; readonly csv?: boolean; readonly signal?: AbortSignal },
) => Promise<QueryReply>;

/**
 * Returns a function that sends queries to the platform. The function throws UsageError when no platform answers, and
 * throws the reason of `signal` when the signal aborts the query.
 */
export function queryClient({ host, token }: Platform): SendQuery {
  return async (query, { explain = false, csv = false, signal } = {}) => {
    try {
      const answer = await fetch(`http://${host}/v1/query/raw`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-token": token },
        body: JSON.stringify({ queries: [{ query, output_format: csv ? "csv" : "json" }], echo_explain: explain }),
        ...(signal === undefined ? {} : { signal }),
      });
      return { ok: answer.ok, text: await answer.text() };
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new UsageError(`no platform answers at ${host}; start one: millrace start`);
    }
  };
}

/** Returns the token of the workspace for the points of this machine. Throws UsageError when there is no such token. */
export function localToken(dataDir: string): string {
  const file = path.join(dataDir, "platform", "token");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`there is no token in ${file}; name one with --token, or the folder with --data-dir`);
  }
}

export function entriesOf({ text }: QueryReply): readonly Entry[] {
  return (exactJson(text) as { readonly content?: readonly Entry[] }).content ?? [];
}

/** Returns the error of a failed query as `[code] message`. */
export function failureOf({ text }: QueryReply): string {
  const { error_code: code, message } = exactJson(text) as { readonly error_code?: string; readonly message?: string };
  return shownText(code === undefined ? text : `[${code}] ${message ?? ""}`);
}

/** Parses JSON. Integers that a JavaScript number cannot hold exactly become strings. */
function exactJson(text: string): unknown {
  try {
    return parseExactJson(text, String);
  } catch {
    return {};
  }
}
