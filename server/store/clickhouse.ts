// Stores points in ClickHouse, on one server or a cluster, over HTTP. Several platforms may write to the same
// ClickHouse, because this process keeps no state of its own: the known keys (tags and fields) are only a cache of a
// ClickHouse table.

import { randomInt } from "node:crypto";
import type { ClickHouseSettings } from "@clickhouse/client";
import { clickhouse, type Engine, sqlEngine } from "../../lib/dql/index.ts";
import { raw, sql } from "../../lib/dql/sql/index.ts";
import type { Encodable } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";
import { Connection, type QueryLimits, serverAddress } from "./clickhouse/connection.ts";
import { encodeRows, type KeyUse, rowColumns } from "./clickhouse/encode.ts";
import { type KeyRow, WorkspaceKeys } from "./clickhouse/keys.ts";
import { labelColumns, labelLine, labelsStatement, othersStatement } from "./clickhouse/labels.ts";
import { pointsTable, schemaStatements } from "./clickhouse/schema.ts";
import { type LabelRow, labelsOf, requireRoomFor } from "./labels.ts";
import {
  checkedWorkspace,
  defaultKeyLimits,
  type Expiry,
  type IngestOptions,
  type KeyLimits,
  type LabelledObject,
  type PointsDatabase,
  type StoreResult,
} from "./points-database.ts";

export interface ClickStoreOptions {
  /** The URL of the ClickHouse server, `clickhouse://user:password@host:8123/database`. */
  readonly url: string;
  /** The name of the ClickHouse cluster; empty for a single server. */
  readonly cluster: string;
  /** The maximum memory of one query in bytes; 0: the limit that the server has configured. */
  readonly memory: number;
  readonly queryTimeoutMs: number;
  readonly keys?: KeyLimits;
  /** Returns the current time in ms since 1970. */
  readonly now: () => number;
  /**
   * A number from 0 to 1023, different for each platform. It becomes a part of the sequence numbers of points, so that
   * platforms that write at the same time never use the same sequence number.
   */
  readonly writer?: number;
}

interface Known {
  readonly keys: WorkspaceKeys;
  readAt: number;
}

/**
 * How long the known keys (tags and fields) of points are cached, in ms. Keys that another platform has written become
 * visible after this time.
 */
const keysForMs = 5000;
const writers = 1024;
/** The minimum timeout of an HTTP request in ms. It is long because an insert may take longer than a query. */
const minRequestMs = 120_000;

export class ClickStore implements PointsDatabase {
  private readonly options: ClickStoreOptions;
  private readonly connection: Connection;
  private readonly database: string;
  private readonly writer: number;
  private readonly workspaces = new Map<string, Promise<Known>>();
  private arrivals = 0n;

  private constructor(options: ClickStoreOptions, connection: Connection, database: string) {
    this.options = options;
    this.connection = connection;
    this.database = database;
    this.writer = options.writer ?? randomInt(writers);
  }

  /** Connects to ClickHouse and creates missing tables. */
  static async open(options: ClickStoreOptions): Promise<ClickStore> {
    const address = serverAddress(options.url);
    const connection = new Connection(address, Math.max(minRequestMs, options.queryTimeoutMs + 10_000));
    const store = new ClickStore(options, connection, address.database);
    try {
      await store.prepare();
    } catch (error) {
      await connection.close();
      throw error;
    }
    return store;
  }

  private async prepare(): Promise<void> {
    const { cluster } = this.options;
    const named = await this.ask(sql`SELECT name FROM system.databases WHERE name = ${this.database}`);
    if (named.length === 0) {
      const on = cluster === "" ? "" : ` ON CLUSTER ${clickhouse.identifier(cluster)}`;
      await this.connection.command(`CREATE DATABASE IF NOT EXISTS ${clickhouse.identifier(this.database)}${on}`);
    }
    const tables = await this.ask(sql`SELECT name FROM system.tables WHERE database = ${this.database}`);
    const present = new Set(tables.map(([name]) => name as string));
    for (const statement of schemaStatements({ database: this.database, cluster }, present))
      await this.connection.command(statement);
  }

  private ask(statement: Parameters<Connection["query"]>[0], signal = new AbortController().signal) {
    const limits: QueryLimits = { signal, timeoutMs: this.options.queryTimeoutMs, memory: this.options.memory };
    return this.connection.query(statement, limits);
  }

  private table(name: string): string {
    return `${clickhouse.identifier(this.database)}.${clickhouse.identifier(name)}`;
  }

  private async known(workspace: string): Promise<WorkspaceKeys> {
    let known = this.workspaces.get(workspace);
    if (known === undefined) {
      const fresh: Known = { keys: new WorkspaceKeys(this.database, checkedWorkspace(workspace)), readAt: 0 };
      known = this.readKeys(workspace, fresh);
      this.workspaces.set(workspace, known);
      known.catch(() => this.workspaces.delete(workspace));
    }
    const found = await known;
    if (this.options.now() - found.readAt >= keysForMs) await this.readKeys(workspace, found);
    return found.keys;
  }

  private async readKeys(workspace: string, known: Known): Promise<Known> {
    const readAt = this.options.now();
    const rows = await this.ask(
      sql`SELECT DISTINCT category, name, key, kind FROM ${raw(this.table("keys"))} WHERE workspace = ${workspace}`,
    );
    known.keys.add(rows as unknown as KeyRow[]);
    known.readAt = readAt;
    return known;
  }

  async engine(workspace: string, signal?: AbortSignal): Promise<Engine> {
    const keys = await this.known(workspace);
    const labels = this.table("labels");
    return sqlEngine({
      name: "clickhouse",
      catalog: keys,
      run: (statement) => this.ask(statement, signal),
      // `exceeded` returns whether an error says that an intermediate integer was too large. ClickHouse never reports
      // such an overflow, so the function always returns false; the query engine checks for overflows itself.
      exceeded: () => false,
      has: (category) => keys.has(category),
      keys: async (category) => keys.keys(category),
      labels: async (category) =>
        labelsOf((await this.ask(labelsStatement(labels, workspace), signal)) as unknown as LabelRow[], keys, category),
    });
  }

  async ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable,
    { index = "default", maxBytes = Number.POSITIVE_INFINITY }: IngestOptions = {},
  ): Promise<StoreResult> {
    const received = this.options.now();
    const rows = encodeRows(points, { workspace, index, received, maxBytes, sequence: () => this.nextSequence() });
    const keys = await this.known(workspace);
    const before = await this.ask(
      sql`SELECT 1 FROM ${raw(this.table("batches"))} WHERE workspace = ${workspace} AND id = ${batchId} LIMIT 1`,
    );
    if (before.length > 0) return { points: 0, repeated: true };
    // Queries find only points whose keys are in the table of keys, so the keys are stored before the points.
    await this.noteKeys(workspace, keys, category, rows.uses);
    const token = JSON.stringify([workspace, category, batchId]);
    if (rows.count > 0) await this.insert(pointsTable(category), rowColumns, rows.chunks, token);
    const line = `${JSON.stringify([workspace, batchId, received])}\n`;
    await this.insert("batches", ["workspace", "id", "received"], [line], token);
    return { points: rows.count, repeated: false };
  }

  private async noteKeys(
    workspace: string,
    keys: WorkspaceKeys,
    category: CategoryName,
    uses: readonly KeyUse[],
  ): Promise<void> {
    const fresh = keys.unknown(category, uses);
    if (fresh.length === 0) return;
    keys.requireRoom(category, fresh, this.options.keys ?? defaultKeyLimits);
    const lines = fresh.map((row) => `${JSON.stringify([workspace, ...row])}\n`);
    // The last argument is the token by which ClickHouse recognizes a repeated insert. The token is empty, so a
    // repeated insert is stored twice. This does no harm, because ClickHouse later merges equal rows of the table
    // `keys`.
    await this.insert("keys", ["workspace", "category", "name", "key", "kind"], lines, "");
    keys.add(fresh);
  }

  private async insert(table: string, columns: readonly string[], lines: readonly string[], token: string) {
    // On a cluster, ClickHouse answers the insert only when the shard and most of its replicas have stored the rows.
    const settings: ClickHouseSettings =
      this.options.cluster === ""
        ? {}
        : { distributed_foreground_insert: 1, insert_quorum: "auto", insert_quorum_timeout: 30_000 };
    await this.connection.insert(this.table(table), columns, lines, token, settings);
  }

  /**
   * Returns a sequence number that is greater than all earlier ones of this platform. It consists of the clock in
   * microseconds and the number of this platform (`writer`).
   */
  private nextSequence(): bigint {
    const clock = BigInt(this.options.now()) * 1000n;
    this.arrivals = this.arrivals < clock ? clock : this.arrivals + 1n;
    return this.arrivals * BigInt(writers) + BigInt(this.writer);
  }

  async label(workspace: string, object: LabelledObject, labels: readonly string[] | null): Promise<void> {
    const table = this.table("labels");
    if (labels !== null) {
      const [[others]] = (await this.ask(
        othersStatement(table, checkedWorkspace(workspace), object.id),
      )) as unknown as [[bigint]];
      requireRoomFor(Number(others));
    }
    const line = labelLine(checkedWorkspace(workspace), object, labels, this.nextSequence());
    await this.insert("labels", labelColumns, [line], "");
  }

  async expire(before: Expiry, _batchesBefore?: number, signal?: AbortSignal): Promise<number> {
    const { cluster } = this.options;
    let deleted = 0;
    for (const [category, limit] of Object.entries(before) as [CategoryName, bigint][]) {
      if (signal?.aborted) return deleted;
      const name = pointsTable(category);
      const [[count]] = (await this.ask(
        sql`SELECT count() FROM ${raw(this.table(name))} WHERE ts < ${limit}`,
      )) as unknown as [[bigint]];
      if (Number(count) === 0) continue;
      const [table, on] =
        cluster === "" ? [name, ""] : [`${name}_local`, ` ON CLUSTER ${clickhouse.identifier(cluster)}`];
      // Only points are deleted here. ClickHouse deletes expired batch ids by itself, because their table has a time to
      // live.
      await this.connection.command(`DELETE FROM ${this.table(table)}${on} WHERE ts < ${limit}`);
      deleted += Number(count);
    }
    return deleted;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
