// Collects batches of points that arrive while other batches are being written, and stores each group of them in
// one transaction, because a transaction costs as much as storing a few thousand points. Each batch is stored
// completely or not at all. When one batch cannot be stored, the other batches of its group are stored all the
// same.

import type { Encodable } from "../../../lib/index.ts";
import type { StoreResult } from "../points-database.ts";

export interface GroupCommitOptions<Write> {
  /** Stores all batches of a group and returns the result of each. Rejects when none of them was stored. */
  readonly commit: (writes: readonly Write[]) => Promise<readonly StoreResult[]>;
  /** Calls `work` as soon as no other group of batches is being written. */
  readonly after: (work: () => Promise<void>) => Promise<void>;
}

/**
 * Approximate maximum number of points in one transaction. Larger groups would delay answers and hold more batches in
 * memory.
 */
const groupPoints = 50_000;

interface Waiting<Write> {
  readonly write: Write;
  resolve(taken: StoreResult): void;
  reject(error: unknown): void;
}

export class GroupCommit<Write extends { readonly points: Encodable }> {
  private readonly options: GroupCommitOptions<Write>;
  private waiting: Waiting<Write>[] = [];

  constructor(options: GroupCommitOptions<Write>) {
    this.options = options;
  }

  store(write: Write): Promise<StoreResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ write, resolve, reject });
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

  private takeGroup(): Waiting<Write>[] {
    let points = 0;
    let count = 0;
    while (count < this.waiting.length && points < groupPoints) points += lengthOf(this.waiting[count++]!.write.points);
    return this.waiting.splice(0, count);
  }

  /** Stores a group, then resolves or rejects the promise of each of its writes. Never rejects. */
  private async storeGroup(group: readonly Waiting<Write>[]): Promise<void> {
    try {
      const taken = await this.options.commit(group.map(({ write }) => write));
      for (const [at, { resolve }] of group.entries()) resolve(taken[at]!);
    } catch (error) {
      if (group.length === 1) group[0]!.reject(error);
      // When a group fails, none of its batches is stored. Each batch is then stored alone, so that only the bad batch
      // fails.
      else for (const each of group) await this.storeGroup([each]);
    }
  }
}

/** Returns the number of points in a batch. A batch of unknown length counts as a full group. */
function lengthOf(points: Encodable): number {
  return "length" in points && typeof points.length === "number" ? points.length : groupPoints;
}
