// Batches of points on their way into the tables. Those that wait while others are written are stored together, in one transaction: a
// transaction costs as much as some thousand points. Each is there as a whole or not at all, once for each id, and fails alone.

import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import { arrayText } from "../../lib/dql/sql/array-text.ts";
import type { Encodable, Millrace } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { appendChunk, chunkRows } from "./append.ts";
import type { Taken } from "./points-database.ts";
import type { Tables } from "./tables.ts";

/** What of a workspace is needed to write to it. */
export interface Owner {
  readonly tables: Tables;
  /** The number of the next point by arrival. */
  sequence: bigint;
}

export interface Write {
  readonly owner: Owner;
  readonly category: CategoryName;
  readonly batchId: string;
  /** They stay as they are until the write has ended. */
  readonly points: Encodable;
  readonly index: string;
}

export interface GroupCommitOptions {
  readonly connection: DuckDBConnection;
  /** ms since 1970. */
  readonly now: () => number;
  readonly mill: Pick<Millrace, "columnsUsed" | "columnChunks">;
  /** Does it when the connection is free. */
  readonly after: (work: () => Promise<void>) => Promise<void>;
}

/** Points of one transaction, about: what waits longer is answered later, and held in memory until it is committed. */
const groupPoints = 50_000;

interface Waiting extends Write {
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

export class GroupCommit {
  private readonly options: GroupCommitOptions;
  private waiting: Waiting[] = [];

  constructor(options: GroupCommitOptions) {
    this.options = options;
  }

  store(write: Write): Promise<Taken> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...write, resolve, reject });
      if (this.waiting.length === 1) this.next();
    });
  }

  private next(): void {
    void this.options.after(async () => {
      const group = this.takeGroup();
      if (this.waiting.length > 0) this.next();
      await this.storeGroup(group);
    });
  }

  private takeGroup(): Waiting[] {
    let points = 0;
    let count = 0;
    while (count < this.waiting.length && points < groupPoints) points += lengthOf(this.waiting[count++]!.points);
    return this.waiting.splice(0, count);
  }

  /** Never rejects: every write is told what became of it. */
  private async storeGroup(group: readonly Waiting[]): Promise<void> {
    const { connection, mill } = this.options;
    const ready: Waiting[] = [];
    for (const write of group) {
      try {
        await write.owner.tables.grow(connection, write.category, mill.columnsUsed(write.points));
        ready.push(write);
      } catch (error) {
        write.reject(error);
      }
    }
    if (ready.length === 0) return;
    try {
      const taken = await this.transaction(ready);
      for (const [at, { resolve }] of ready.entries()) resolve(taken[at]!);
    } catch (error) {
      if (ready.length === 1) ready[0]!.reject(error);
      // Nothing of them is stored. Which one failed shows when each is stored alone.
      else
        for (const write of ready)
          await this.transaction([write]).then(([taken]) => write.resolve(taken!), write.reject);
    }
  }

  private async transaction(writes: readonly Write[]): Promise<Taken[]> {
    const { connection } = this.options;
    const appenders = new Map<string, DuckDBAppender>();
    await connection.run("BEGIN");
    try {
      const taken: Taken[] = [];
      for (const write of writes) taken.push(await this.append(write, appenders));
      for (const appender of appenders.values()) appender.closeSync();
      await connection.run("COMMIT");
      return taken;
    } catch (error) {
      // Else the rows they hold would come into the table when they are collected.
      for (const appender of appenders.values()) discard(appender);
      await connection.run("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  private async append(write: Write, appenders: Map<string, DuckDBAppender>): Promise<Taken> {
    const { connection, mill, now } = this.options;
    const { owner, category, batchId, points, index } = write;
    const { tables } = owner;
    const received = BigInt(now());
    const fresh = await connection.runAndReadAll(
      `INSERT INTO ${tables.batches} VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id`,
      [batchId, received],
    );
    if (fresh.currentRowCount === 0) return { points: 0, repeated: true };
    const name = tables.table(category);
    let appender = appenders.get(name);
    if (appender === undefined) {
      const [schema, table] = name.split(".") as [string, string];
      appender = await connection.createAppender(table, schema);
      appenders.set(name, appender);
    }
    const kinds = tables.kinds(category);
    let count = 0;
    for (const chunk of mill.columnChunks(points, { rows: chunkRows, arrayText })) {
      appendChunk(appender, kinds, ({ key, kind }) => tables.place(category, key, kind), chunk, {
        sequence: owner.sequence,
        index,
        received,
      });
      owner.sequence += BigInt(chunk.rows);
      count += chunk.rows;
    }
    return { points: count, repeated: false };
  }
}

function discard(appender: DuckDBAppender): void {
  try {
    appender.clear();
    appender.closeSync();
  } catch {
    // It failed before, and holds nothing any more.
  }
}

/** Points whose number is not known beforehand are a group of their own. */
function lengthOf(points: Encodable): number {
  return "length" in points && typeof points.length === "number" ? points.length : groupPoints;
}
