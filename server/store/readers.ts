// Connections that queries read through. Each running statement has its own, so that cancelling one leaves the others
// alone. The rows that a query holds are limited here; DuckDB limits its own memory.

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
  /** Cancels the query: its reads reject with the reason. */
  readonly signal: AbortSignal;
  /** Approximate maximum bytes of the rows that the query reads; 0: no limit. */
  readonly maxBytes: number;
}

export interface Reader {
  run(statement: Fragment): Promise<readonly ResultRow[]>;
}

/** An error: a query read more bytes than it may hold. */
export class TooMuchRead extends Error {}

const interruptMs = 10;

/** Approximate memory of a cell besides its value, in bytes. */
const cellBytes = 16;

export class Readers {
  private readonly instance: DuckDBInstance;
  private readonly idle: DuckDBConnection[] = [];
  private readonly most: number;
  private open = 0;
  /** Statements that wait for a connection. */
  private readonly waiting: (() => void)[] = [];

  /** `most`: maximum number of concurrent statements. */
  constructor(instance: DuckDBInstance, most: number) {
    this.instance = instance;
    this.most = most;
  }

  /** Returns a reader that runs the statements of one query, each when a connection is free. */
  reader(limits: QueryLimits): Reader {
    const held = { bytes: 0 };
    return { run: (statement) => this.use(limits.signal, (own) => read(own, statement, limits, held)) };
  }

  private async use<Result>(signal: AbortSignal, work: (own: DuckDBConnection) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    while (this.open >= this.most) await this.turn(signal);
    // The query was cancelled while it waited, so its turn goes to the next one.
    if (signal.aborted) this.waiting.shift()?.();
    signal.throwIfAborted();
    this.open++;
    let connection: DuckDBConnection | undefined;
    let ending: ReturnType<typeof setInterval> | undefined;
    // The interrupt is repeated, because a statement that has not started yet ignores it.
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
      // The connection may be in the middle of an answer, so it is not used again.
      connection?.closeSync();
      // The reason of the signal is thrown in place of the database's message about an interrupt.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
      clearInterval(ending);
      this.open--;
      this.waiting.shift()?.();
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
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

/** Returns the type of a parameter. A number is always a float; whole numbers are bigints. */
function typeOfParameter(value: Parameter): DuckDBType {
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "bigint") return BIGINT;
  return typeof value === "boolean" ? BOOLEAN : VARCHAR;
}

/** Returns a plain value in place of the driver's classes for blobs and maps. */
export function plainValue(value: DuckDBValue): unknown {
  if (value instanceof DuckDBMapValue) return new Map(value.entries.map((pair) => [pair.key, plainValue(pair.value)]));
  if (typeof value === "object" && value !== null && "bytes" in value) return value.bytes;
  return value;
}
