// What every database of points does for the store, embedded or at the other end of a connection.

import type { Engine } from "../../lib/dql/evaluate/engine.ts";
import type { Encodable } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";

export interface Taken {
  /** Points stored; none when the batch was there already. */
  readonly points: number;
  readonly repeated: boolean;
}

/** ns since 1970 by category: older points go. */
export type Expiry = Partial<Readonly<Record<CategoryName, bigint>>>;

export interface LabelledObject {
  /** The same for the same object, key and value. */
  readonly id: string;
  readonly objectClass: string;
  readonly objectName: string;
  readonly key: string;
  /** As text. */
  readonly value: string;
}

export interface IngestOptions {
  /** The index of logs: `default` when absent. */
  readonly index?: string;
  /** The most bytes that the points may take as they are written: any number when absent. */
  readonly maxBytes?: number;
}

export interface PointsDatabase {
  /** Asks about one workspace; its queries end, and fail, when the signal comes. */
  engine(workspace: string, signal?: AbortSignal): Promise<Engine>;
  /** Stores the points of a batch, once for each id. The points must stay as they are until it resolves. */
  ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable,
    how?: IngestOptions,
  ): Promise<Taken>;
  /** Replaces the labels of an object; null takes them away. */
  label(workspace: string, object: LabelledObject, labels: readonly string[] | null): Promise<void>;
  /**
   * Deletes points that are too old, in every workspace, and ids of batches from before (ms since 1970) that no repeat needs any more. Gives
   * the number of points. When the signal comes it leaves the rest to the next time.
   */
  expire(before: Expiry, batchesBefore: number, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** The most keys and names that a workspace may have in one category: the process holds all of them. */
export interface KeyLimits {
  /** Keys, each kind on its own. */
  readonly maxKeys: number;
  /** Names of points. */
  readonly maxNames: number;
}

export const defaultKeyLimits: KeyLimits = { maxKeys: 100_000, maxNames: 1_000_000 };

/** A batch with more keys or names than a category may have. */
export class TooManyKeys extends Error {
  /** `text`: the first key or name that has no room. */
  constructor(category: CategoryName, { maxKeys, maxNames }: KeyLimits, kind: "key" | "name", text: string) {
    const most =
      kind === "key"
        ? `${maxKeys} keys at most (platform.max_keys)`
        : `${maxNames} measurements at most (platform.max_measurements)`;
    super(`${category} has ${most}, ${quotedStart(text)} is one too many`);
  }
}

/** JSON text of at most some 100 characters: it escapes control characters. */
function quotedStart(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}

/** A batch that takes more bytes than it may as it is written. */
export class WrittenTooMuch extends Error {
  constructor(maxBytes: number) {
    super(`the points take more than ${maxBytes} bytes as they are written`);
  }
}

/** A query that took longer than it may. */
export class QueryTimeout extends Error {}

/** Ids are made by this program; others are refused before they come near a database. */
export function checkedWorkspace(id: string): string {
  if (!/^[a-z0-9]{1,64}$/.test(id)) throw new Error(`no workspace has the id ${JSON.stringify(id)}`);
  return id;
}
