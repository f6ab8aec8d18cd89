// Counts the log lines that have arrived at a gateway. The message of a line begins with a name and a number; the lines
// with the same name are numbered from 0.

import type { RecordingGateway } from "../server/support/recording-gateway.ts";

/** Records which of the lines with one name have arrived. */
interface Counted {
  /**
   * The element at index n says how often the line with the number n has arrived. A hole in the array is a line that
   * has not arrived.
   */
  readonly counts: number[];
  /** Every line whose number is below this number has arrived. */
  complete: number;
  /**
   * A line whose number is below this number must not arrive again, because the agent has saved its position after this
   * line.
   */
  settled: number;
}

/** Largest number of lines that one error message lists. */
const mostListed = 10;

/**
 * Counts how often each line has arrived at the gateway. Uploads with the same id count once: a retry has the id of the
 * first attempt, so that receivers can ignore it. Counted uploads are removed from the lists of the gateway, and each
 * count reads only the new uploads, so that a run of many hours takes little memory and time.
 */
export class Arrivals {
  /** Number of different lines that have arrived, and number of arrivals that only repeated an earlier one. */
  different = 0;
  repeated = 0;
  /**
   * Lines that arrived again although their number was below `settled`, so that they should not have arrived
   * again. The list has at most `mostListed` of them.
   */
  readonly settledAgain: string[] = [];
  private readonly gateway: RecordingGateway;
  private readonly names = new Map<string, Counted>();
  private readonly ids = new Set<string>();

  constructor(gateway: RecordingGateway) {
    this.gateway = gateway;
  }

  /** Counts the lines in the uploads that the gateway has accepted since the last call. */
  look(): this {
    const { taken, seen } = this.gateway;
    seen.length = 0;
    for (const { headers, body } of taken.splice(0)) {
      const id = String(headers["x-pkg-id"]);
      if (this.ids.has(id)) continue;
      this.ids.add(id);
      for (const [, name, number] of body.toString("latin1").matchAll(/message="(\w+) (\d+) /g))
        this.count(name!, Number(number));
    }
    return this;
  }

  /**
   * Returns at most `mostListed` lines of `name` that have not arrived. Looks only at lines whose number is below
   * `written`, the lowest number first.
   */
  lost(name: string, written: number): string[] {
    this.look();
    const its = this.of(name);
    while (its.counts[its.complete] !== undefined) its.complete++;
    const lost: string[] = [];
    for (let at = its.complete; at < written && lost.length < mostListed; at++)
      if (its.counts[at] === undefined) lost.push(`${name} ${at}`);
    return lost;
  }

  /** Records that the agent has saved its position after the first `written` lines of `name`. */
  settle(name: string, written: number): void {
    this.of(name).settled = written;
  }

  private count(name: string, number: number): void {
    const its = this.of(name);
    const before = its.counts[number];
    its.counts[number] = (before ?? 0) + 1;
    if (before === undefined) this.different++;
    else this.repeated++;
    if (number < its.settled && this.settledAgain.length < mostListed) this.settledAgain.push(`${name} ${number}`);
  }

  private of(name: string): Counted {
    let its = this.names.get(name);
    if (its === undefined) this.names.set(name, (its = { counts: [], complete: 0, settled: 0 }));
    return its;
  }
}
