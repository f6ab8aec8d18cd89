// The interface of the databases that hold points: the embedded store or ClickHouse.

import type { Engine } from "../../lib/dql/index.ts";
import type { Encodable } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";

export interface StoreResult {
  /** The number of stored points; 0 when the same batch was stored before. */
  readonly points: number;
  readonly repeated: boolean;
}

/**
 * For each category, the time limit of retention: points before this time are deleted. Times are in ns since
 * 1970.
 */
export type Expiry = Partial<Readonly<Record<CategoryName, bigint>>>;

export interface LabelledObject {
  /**
   * The id of a labelled object (such as a host), computed from its class, name, `key` and `value`. Equal input always
   * gives the same id.
   */
  readonly id: string;
  readonly objectClass: string;
  readonly objectName: string;
  readonly key: string;
  /** The value of the key that identifies the object, converted to a string. */
  readonly value: string;
}

export interface IngestOptions {
  /** The name of the index in which logs are stored, as the sender of the logs has chosen it; `default` when absent. */
  readonly index?: string;
  /** Maximum size in bytes of the encoded points; no limit when absent. */
  readonly maxBytes?: number;
}

export interface PointsDatabase {
  /** Returns a query engine for one workspace. When the signal aborts, running queries of the engine stop and fail. */
  engine(workspace: string, signal?: AbortSignal): Promise<Engine>;
  /**
   * Stores a batch of points. A batch with an id that was stored before is not stored again. The points must not change
   * until the promise resolves.
   */
  ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable,
    how?: IngestOptions,
  ): Promise<StoreResult>;
  /** Replaces the labels of an object. `null` removes the labels. */
  label(workspace: string, object: LabelledObject, labels: readonly string[] | null): Promise<void>;
  /**
   * Deletes expired points of all workspaces. Also deletes batch ids that are older than a time (ms since 1970),
   * because senders do not repeat older batches. Returns the number of deleted points. When the signal aborts, the
   * remaining work is left to the next call.
   */
  expire(before: Expiry, batchesBefore: number, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/**
 * Maximum number of keys (tags and fields) and names of points that a workspace may have in one category. The process
 * holds all of them in memory.
 */
export interface KeyLimits {
  /** Maximum number of keys; a key with values of two types counts twice. */
  readonly maxKeys: number;
  /** Maximum number of different names of points. */
  readonly maxNames: number;
}

export const defaultKeyLimits: KeyLimits = { maxKeys: 100_000, maxNames: 1_000_000 };

/** Thrown when storing a batch would exceed the allowed number of keys or of names of points in a category. */
export class TooManyKeys extends Error {
  /**
   * Makes the error for a batch that exceeds a limit of its category. `text` is the first key or name that exceeds the
   * limit.
   */
  constructor(category: CategoryName, { maxKeys, maxNames }: KeyLimits, kind: "key" | "name", text: string) {
    const most =
      kind === "key"
        ? `${maxKeys} keys at most (platform.max_keys)`
        : `${maxNames} measurements at most (platform.max_measurements)`;
    super(`${category} has ${most}, ${quotedStart(text)} is one too many`);
  }
}

/** Returns the beginning of a string in quotes, at most about 100 characters, with escaped control characters. */
function quotedStart(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

/** Thrown when the encoded points of a batch take more bytes than the request allows. */
export class WrittenTooMuch extends Error {
  constructor(maxBytes: number) {
    super(`the points take more than ${maxBytes} bytes as they are written`);
  }
}

/** Thrown when a query takes longer than its time limit. */
export class QueryTimeout extends Error {}

/**
 * Returns the id of a workspace unchanged. Throws for an id with characters that generated ids never have, because the
 * id becomes a part of SQL statements.
 */
export function checkedWorkspace(id: string): string {
  if (!/^[a-z0-9]{1,64}$/.test(id)) throw new Error(`no workspace has the id ${JSON.stringify(id)}`);
  return id;
}
