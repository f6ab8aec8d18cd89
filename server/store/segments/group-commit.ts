// Batches of points that wait while others are written are stored together, in one transaction: a transaction costs as much as some thousand
// points. Each batch is there as a whole or not at all, and fails alone.

import type { Encodable } from "../../../lib/index.ts";
import type { Taken } from "../points-database.ts";

export interface GroupCommitOptions<Write> {
  /** Stores all of the batches, or none and rejects. Returns what became of each. */
  readonly commit: (writes: readonly Write[]) => Promise<readonly Taken[]>;
  /** Runs the work when nothing else writes. */
  readonly after: (work: () => Promise<void>) => Promise<void>;
}

/** Points of one transaction, about: a batch that waits longer is answered later, and held in memory until it is committed. */
const groupPoints = 50_000;

interface Waiting<Write> {
  readonly write: Write;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

export class GroupCommit<Write extends { readonly points: Encodable }> {
  private readonly options: GroupCommitOptions<Write>;
  private waiting: Waiting<Write>[] = [];

  constructor(options: GroupCommitOptions<Write>) {
    this.options = options;
  }

  store(write: Write): Promise<Taken> {
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

  /** Never rejects: every write is told what became of it. */
  private async storeGroup(group: readonly Waiting<Write>[]): Promise<void> {
    try {
      const taken = await this.options.commit(group.map(({ write }) => write));
      for (const [at, { resolve }] of group.entries()) resolve(taken[at]!);
    } catch (error) {
      if (group.length === 1) group[0]!.reject(error);
      // None of them is stored. Storing each alone shows which one failed.
      else for (const each of group) await this.storeGroup([each]);
    }
  }
}

/** Points whose number is not known beforehand are a group of their own. */
function lengthOf(points: Encodable): number {
  return "length" in points && typeof points.length === "number" ? points.length : groupPoints;
}
