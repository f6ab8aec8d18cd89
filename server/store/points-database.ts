// What every database of points does for the store, embedded or at the other end of a connection.

import type { Engine } from "../../lib/dql/engine.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { Encodable } from "../../lib/point/codec/encode.ts";
import type { PointView } from "../../lib/point/view.ts";

export interface Taken {
  /** Points stored; none when the batch was there already. */
  readonly points: number;
  readonly repeated: boolean;
}

export interface PointsDatabase {
  /** Asks about one workspace; its queries end, and fail, when the signal comes. */
  engine(workspace: string, signal: AbortSignal): Promise<Engine>;
  /** Stores the points of a batch, once for each id. They must stay as they are until it resolves. */
  ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable & Iterable<PointView>,
    index?: string,
  ): Promise<Taken>;
  /** Deletes the points of a category that are older than `before`, ns since 1970, and batch ids that no repeat needs any more. */
  expire(workspace: string, category: CategoryName, before: bigint, batchesBefore: number): Promise<void>;
  close(): Promise<void>;
}

/** Ids are made by this program; others are refused before they come near a database. */
export function checkedWorkspace(id: string): string {
  if (!/^[a-z0-9]{1,64}$/.test(id)) throw new Error(`no workspace has the id ${JSON.stringify(id)}`);
  return id;
}
