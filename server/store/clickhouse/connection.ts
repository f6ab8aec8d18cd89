// The only module that talks to ClickHouse. Runs SQL statements with bound parameters, inserts rows, and sets limits
// for each query.

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
import type { Fragment, ResultRow } from "../../../lib/dql/index.ts";
import { written } from "../../../lib/dql/sql/index.ts";
import { QueryTimeout } from "../points-database.ts";
import { type Decode, decoderOf, parameterType } from "./values.ts";

export interface ServerAddress {
  /** The URL of the server without user and database, `http://host:8123` or `https://host:8443`. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

export interface QueryLimits {
  readonly signal: AbortSignal;
  /** The maximum duration of one query, in milliseconds. */
  readonly timeoutMs: number;
  /** The maximum memory of one query in bytes; 0: the limit that the server has configured. */
  readonly memory: number;
}

/** The numeric codes of the ClickHouse errors that are handled. */
const codes = { timeout: "159", memory: "241" } as const;

/**
 * Parses the address of a server: `clickhouse://user:password@host:8123/database`, or `clickhouses://` for TLS. Throws
 * an Error that names the setting.
 */
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
/**
 * Limits for the length and the complexity of an SQL statement. They are high, because the platform already limits the
 * size of a request.
 */
const large: ClickHouseSettings = { max_query_size: String(64 << 20), max_ast_elements: "2000000" };

export class Connection {
  private readonly client: ClickHouseClient;

  constructor({ url, username, password }: ServerAddress, requestTimeoutMs: number) {
    this.client = createClient({
      ...{ url, username, password, application: "millrace", max_open_connections: 32 },
      request_timeout: requestTimeoutMs,
      log: { level: ClickHouseLogLevel.OFF },
      compression: { request: true, response: true },
      // Sends bound parameters in the request body, because a long list does not fit into a URL.
      use_multipart_params_auto: true,
    });
  }

  /** Runs an SQL statement that changes something. The statement has no bound parameters. */
  async command(statement: string, settings: ClickHouseSettings = {}): Promise<void> {
    await this.client.command({ query: statement, clickhouse_settings: settings });
  }

  /** Runs an SQL query. The server refuses any statement that changes something. */
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

  /**
   * Stops a query on the server. The server would stop it by itself after the client has disconnected, but it notices a
   * disconnection late.
   */
  private async cancel(id: string): Promise<void> {
    // The id of the query needs no escaping in the SQL, because this process made it from digits, letters and dashes.
    await this.command(`KILL QUERY WHERE query_id = '${id}' ASYNC`).catch(() => {});
  }

  /**
   * Inserts rows in ClickHouse's format JSONCompactEachRow. ClickHouse ignores a second insert with the same `token`.
   */
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
        // The number of partitions in one insert is not limited: each day is a partition of the table, and the rows of
        // one insert may belong to many days.
        max_partitions_per_insert_block: "0",
      },
    });
    await finished(stream.resume());
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
