// The interface of the databases of points, embedded or remote.

import type { Engine } from "../../lib/dql/index.ts";
import type { Encodable } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";

export interface Taken {
  /** The number of stored points; 0 when the batch was stored before. */
  readonly points: number;
  readonly repeated: boolean;
}

/** Points older than these times are deleted: ns since 1970, by category. */
export type Expiry = Partial<Readonly<Record<CategoryName, bigint>>>;

export interface LabelledObject {
  /** The id, which is the same for the same object, key and value. */
  readonly id: string;
  readonly objectClass: string;
  readonly objectName: string;
  readonly key: string;
  /** The value as text. */
  readonly value: string;
}

export interface IngestOptions {
  /** The index of logs; `default` when absent. */
  readonly index?: string;
  /** Maximum bytes of the encoded points; absent: no limit. */
  readonly maxBytes?: number;
}

export interface PointsDatabase {
  /** Returns a query engine for one workspace. Its queries stop and fail when the signal aborts. */
  engine(workspace: string, signal?: AbortSignal): Promise<Engine>;
  /** Stores the points of a batch, once for each batch id. The points must not change until the promise resolves. */
  ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable,
    how?: IngestOptions,
  ): Promise<Taken>;
  /** Replaces the labels of an object; null removes them. */
  label(workspace: string, object: LabelledObject, labels: readonly string[] | null): Promise<void>;
  /**
   * Deletes expired points in every workspace, and ids of batches from before a time (ms since 1970) after which no
   * batch is sent again. Returns the number of points. When the signal aborts, the rest stays for the next call.
   */
  expire(before: Expiry, batchesBefore: number, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/**
 * Maximum keys and names of points that a workspace may have in one category, because the process holds all of them
 * in memory.
 */
export interface KeyLimits {
  /** Maximum number of keys; a key with two kinds counts twice. */
  readonly maxKeys: number;
  /** Maximum number of names of points. */
  readonly maxNames: number;
}

export const defaultKeyLimits: KeyLimits = { maxKeys: 100_000, maxNames: 1_000_000 };

/** An error: with this batch the category would have too many keys or names. */
export class TooManyKeys extends Error {
  /** `text`: the first key or name that exceeds the limit. */
  constructor(category: CategoryName, { maxKeys, maxNames }: KeyLimits, kind: "key" | "name", text: string) {
    const most =
      kind === "key"
        ? `${maxKeys} keys at most (platform.max_keys)`
        : `${maxNames} measurements at most (platform.max_measurements)`;
    super(`${category} has ${most}, ${quotedStart(text)} is one too many`);
  }
}

/** Returns the quoted beginning of a text, at most about 100 characters; control characters are escaped. */
function quotedStart(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

/** An error: the encoded points of a batch take more bytes than allowed. */
export class WrittenTooMuch extends Error {
  constructor(maxBytes: number) {
    super(`the points take more than ${maxBytes} bytes as they are written`);
  }
}

/** An error: a query took longer than allowed. */
export class QueryTimeout extends Error {}

/**
 * Returns the id of a workspace. Throws for an id that this program has not made, before it gets into a statement.
 */
export function checkedWorkspace(id: string): string {
  if (!/^[a-z0-9]{1,64}$/.test(id)) throw new Error(`no workspace has the id ${JSON.stringify(id)}`);
  return id;
}
