// The one door to ClickHouse: statements with bound parameters, batches of rows, limits for each query.

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from "@clickhouse/client";
import { type Fragment, written } from "../../../lib/dql/sql/fragment.ts";
import type { ResultRow } from "../../../lib/dql/sql/rows.ts";
import { type Decode, decoderOf, parameterType } from "./values.ts";

export interface ServerAddress {
  /** `http://host:8123` or `https://host:8443`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

export interface QueryLimits {
  readonly signal: AbortSignal;
  /** Longest run of one query. */
  readonly timeoutMs: number;
  /** Bytes; 0: the server's own limit. */
  readonly memory: number;
}

/** Of a ClickHouse error: its number. */
const codes = { timeout: "159", memory: "241" } as const;

/** A query that took longer than it may. */
export class QueryTimeout extends Error {}

/** `clickhouse://user:password@host:8123/database`; with TLS `clickhouses://`. */
export function serverAddress(text: string): ServerAddress {
  const refuse = (what: string): never => {
    throw new Error(`platform.store.url: ${what}; such as clickhouse://user:password@host:8123/millrace`);
  };
  if (!URL.canParse(text)) return refuse("no URL");
  const { protocol, username, password, host, pathname } = new URL(text);
  if (protocol !== "clickhouse:" && protocol !== "clickhouses:")
    return refuse(`the scheme is clickhouse or clickhouses, not ${protocol.slice(0, -1)}`);
  if (host === "") return refuse("no host");
  const database = decodeURIComponent(pathname.slice(1));
  if (database.includes("/")) return refuse("more than a database behind the host");
  return {
    url: `${protocol === "clickhouse:" ? "http" : "https"}://${host}`,
    username: decodeURIComponent(username) || "default",
    password: decodeURIComponent(password),
    database: database || "millrace",
  };
}

const exact: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
};
/** What the text of a question may come to; the request has a limit of its own. */
const large: ClickHouseSettings = { max_query_size: String(64 << 20), max_ast_elements: "2000000" };

export class Connection {
  private readonly client: ClickHouseClient;

  constructor({ url, username, password }: ServerAddress, requestTimeoutMs: number) {
    this.client = createClient({
      ...{ url, username, password, application: "millrace", max_open_connections: 32 },
      request_timeout: requestTimeoutMs,
      log: { level: ClickHouseLogLevel.OFF },
      compression: { request: true, response: true },
      // Long lists of parameters do not fit into a URL.
      use_multipart_params_auto: true,
    });
  }

  /** Whatever it changes, it has no parameters. */
  async command(statement: string, settings: ClickHouseSettings = {}): Promise<void> {
    await this.client.command({ query: statement, clickhouse_settings: settings });
  }

  /** Reads only: the server refuses everything else. */
  async query(statement: Fragment, limits: QueryLimits): Promise<ResultRow[]> {
    const { signal, timeoutMs, memory } = limits;
    const query_id = randomUUID();
    const cancel = () => void this.cancel(query_id);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      signal.throwIfAborted();
      const answer = await this.client.query({
        query: written(statement, (value, at) => `{p${at}:${parameterType(value)}}`),
        query_params: Object.fromEntries(statement.parameters.map((value, at) => [`p${at}`, value])),
        query_id,
        abort_signal: signal,
        format: "JSONCompactEachRowWithNamesAndTypes",
        clickhouse_settings: {
          ...exact,
          ...large,
          readonly: "2",
          optimize_skip_unused_shards: 1,
          max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1000)),
          ...(memory === 0 ? {} : { max_memory_usage: String(memory) }),
        },
      });
      const rows: ResultRow[] = [];
      let types: Decode[] | undefined;
      let line = 0;
      for await (const batch of answer.stream<unknown[]>()) {
        for (const each of batch) {
          const values = each.json();
          if (line === 1) types = (values as string[]).map(decoderOf);
          else if (line > 1) rows.push(values.map((value, at) => types![at]!(value)));
          line++;
        }
      }
      return rows;
    } catch (error) {
      if (error instanceof ClickHouseError && error.code === codes.timeout)
        throw new QueryTimeout("the query took too long");
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** A server stops reading when its client has gone, but only looks now and then. */
  private async cancel(id: string): Promise<void> {
    // The id is one this program made: digits, letters and dashes.
    await this.command(`KILL QUERY WHERE query_id = '${id}' ASYNC`).catch(() => {});
  }

  /** Lines of JSONCompactEachRow; `token`: a second insert with the same one changes nothing. */
  async insert(
    table: string,
    columns: readonly string[],
    lines: readonly string[],
    token: string,
    settings: ClickHouseSettings,
  ): Promise<void> {
    const { stream } = await this.client.exec({
      query: `INSERT INTO ${table} (${columns.join(", ")}) FORMAT JSONCompactEachRow`,
      values: Readable.from(lines, { objectMode: false }),
      clickhouse_settings: {
        ...settings,
        insert_deduplication_token: token,
        // Rows of one insert may lie in many days.
        max_partitions_per_insert_block: "0",
      },
    });
    await finished(stream.resume());
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
