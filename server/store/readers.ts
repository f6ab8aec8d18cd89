// The DuckDB connections through which queries read. Each running SQL statement has its own connection, so that
// cancelling one statement does not affect others. This file limits the size of the rows that a query holds, because
// DuckDB limits only its own memory.

import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBInstance,
  DuckDBMapValue,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { Fragment, ResultRow } from "../../lib/dql/index.ts";
import { type Parameter, written } from "../../lib/dql/sql/index.ts";

export interface QueryLimits {
  /** Signal that aborts when the query is cancelled. Running reads then reject with the signal's reason. */
  readonly signal: AbortSignal;
  /** Approximate maximum number of bytes of the rows that the query reads; 0: no limit. */
  readonly maxBytes: number;
}

export interface Reader {
  run(statement: Fragment): Promise<readonly ResultRow[]>;
}

/** Thrown when a query reads more bytes than its limit allows. */
export class TooMuchRead extends Error {}

const interruptMs = 10;

/** Approximate memory of a table cell in bytes, in addition to its value. */
const cellBytes = 16;

export class Readers {
  private readonly instance: DuckDBInstance;
  private readonly idle: DuckDBConnection[] = [];
  private readonly most: number;
  private open = 0;
  /** SQL statements that wait until a connection to the database is free. */
  private readonly waiting: (() => void)[] = [];

  /** `most`: maximum number of SQL statements that run at the same time. */
  constructor(instance: DuckDBInstance, most: number) {
    this.instance = instance;
    this.most = most;
  }

  /** Returns a reader that runs the SQL statements of one query, each as soon as a connection is free. */
  reader(limits: QueryLimits): Reader {
    const held = { bytes: 0 };
    return { run: (statement) => this.use(limits.signal, (own) => read(own, statement, limits, held)) };
  }

  private async use<Result>(signal: AbortSignal, work: (own: DuckDBConnection) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    while (this.open >= this.most) await this.waitForConnection(signal);
    // The query was cancelled while this statement waited for a connection. So the next waiting statement gets the
    // connection that has become free.
    if (signal.aborted) this.waiting.shift()?.();
    signal.throwIfAborted();
    this.open++;
    let connection: DuckDBConnection | undefined;
    let ending: ReturnType<typeof setInterval> | undefined;
    // Interrupts the statement again every few milliseconds, because DuckDB ignores an interrupt that comes before the
    // statement has started.
    const end = () => {
      connection?.interrupt();
      ending ??= setInterval(() => connection?.interrupt(), interruptMs);
    };
    try {
      connection = this.idle.pop() ?? (await this.instance.connect());
      signal.addEventListener("abort", end);
      const result = await work(connection);
      this.idle.push(connection);
      return result;
    } catch (error) {
      clearInterval(ending);
      // The connection may have unread rows of the failed statement, so it is closed and not used again.
      connection?.closeSync();
      // When the query was cancelled, the reason of the signal is thrown, because this reason says more than DuckDB's
      // message about an interrupt.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
      clearInterval(ending);
      this.open--;
      this.waiting.shift()?.();
    }
  }

  private waitForConnection(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(go);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  close(): void {
    for (const connection of this.idle) connection.closeSync();
  }
}

async function read(
  connection: DuckDBConnection,
  statement: Fragment,
  { signal, maxBytes }: QueryLimits,
  held: { bytes: number },
): Promise<readonly ResultRow[]> {
  signal.throwIfAborted();
  const { parameters } = statement;
  const prepared = await connection.prepare(written(statement, () => "?"));
  try {
    prepared.bind([...parameters], parameters.map(typeOfParameter));
    const result = await prepared.stream();
    const rows: ResultRow[] = [];
    for (;;) {
      const chunk = await result.fetchChunk();
      signal.throwIfAborted();
      if (chunk === null || chunk.rowCount === 0) return rows;
      for (const row of chunk.getRows()) {
        const plain = row.map(plainValue);
        for (const value of plain) held.bytes += sizeOf(value);
        rows.push(plain);
      }
      if (maxBytes > 0 && held.bytes > maxBytes)
        throw new TooMuchRead(
          `the query reads more than ${Math.floor(maxBytes / 1024 ** 2)} MiB of points; narrow its time range or filter`,
        );
    }
  } finally {
    prepared.destroySync();
  }
}

function sizeOf(value: unknown): number {
  if (value instanceof Map) return [...value].reduce((sum, [key, each]) => sum + sizeOf(key) + sizeOf(each), cellBytes);
  if (typeof value === "string") return cellBytes + value.length;
  return value instanceof Uint8Array ? cellBytes + value.length : cellBytes;
}

/** Returns the SQL type of a bound parameter. A JavaScript number is always a float; integers are bigints. */
function typeOfParameter(value: Parameter): DuckDBType {
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "bigint") return BIGINT;
  return typeof value === "boolean" ? BOOLEAN : VARCHAR;
}

/**
 * Converts a map or a byte array of the DuckDB driver's own classes to the JavaScript class. Returns every other value
 * unchanged.
 */
export function plainValue(value: DuckDBValue): unknown {
  if (value instanceof DuckDBMapValue) return new Map(value.entries.map((pair) => [pair.key, plainValue(pair.value)]));
  if (typeof value === "object" && value !== null && "bytes" in value) return value.bytes;
  return value;
}
