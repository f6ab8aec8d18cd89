// The budget of body bytes that a service holds at once. Bytes are reserved as they arrive and released when the work on them is
// done; a body that does not fit is refused, never queued. No client address may hold all of the budget.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../errors.ts";
import type { Clients } from "../guards/client.ts";

export interface Reservation {
  /** Adds to the reservation; throws the 503 when the budget, or the part of this client, is used up. */
  grow(bytes: number): void;
  release(): void;
  /** A body that comes more slowly than this is ended; 0 = none is. */
  readonly minBytesPerSecond: number;
}

export interface BudgetOptions {
  /** Most bytes that the bodies of one client address may take; no limit when absent. */
  readonly perClient?: number;
  readonly minBytesPerSecond?: number;
  /** Tells clients apart; without it, and for an empty key, `perClient` does not count. */
  readonly clients?: Pick<Clients, "keyOf">;
}

export class InflightBudget {
  readonly limit: number;
  private readonly perClient: number;
  /** As in Reservation. */
  readonly minBytesPerSecond: number;
  private readonly clients: Pick<Clients, "keyOf"> | undefined;
  private used = 0;
  /** Bytes by client; clients that hold nothing have no entry. */
  private readonly usedBy = new Map<string, number>();

  constructor(limit: number, { perClient, minBytesPerSecond = 0, clients }: BudgetOptions = {}) {
    this.limit = limit;
    this.perClient = perClient ?? Number.POSITIVE_INFINITY;
    this.minBytesPerSecond = minBytesPerSecond;
    this.clients = clients;
  }

  get usedBytes(): number {
    return this.used;
  }

  /** With a reservation that lasts as long as the work: a client that leaves does not free the memory of its body. */
  async hold<T>(request: IncomingMessage, work: (held: Reservation) => Promise<T>): Promise<T> {
    const held = this.open(request);
    try {
      return await work(held);
    } finally {
      held.release();
    }
  }

  /** A reservation of no bytes yet. Whoever opens it releases it, and not before the work is done. */
  open(request: IncomingMessage): Reservation {
    const client = this.clients?.keyOf(request) ?? "";
    let held = 0;
    let isOpen = true;
    return {
      minBytesPerSecond: this.minBytesPerSecond,
      grow: (bytes) => {
        // After the release nothing may be taken any more.
        if (!isOpen || this.used + bytes > this.limit) throw tooMany(`${this.limit} bytes in flight`);
        if (client !== "" && (this.usedBy.get(client) ?? 0) + bytes > this.perClient) {
          throw tooMany(`${this.perClient} bytes in flight from this address`);
        }
        held += bytes;
        this.add(client, bytes);
      },
      release: () => {
        this.add(client, -held);
        held = 0;
        isOpen = false;
      },
    };
  }

  private add(client: string, bytes: number): void {
    if (bytes === 0) return;
    this.used += bytes;
    if (client === "" || this.perClient >= this.limit) return;
    const used = (this.usedBy.get(client) ?? 0) + bytes;
    if (used === 0) this.usedBy.delete(client);
    else this.usedBy.set(client, used);
  }
}

export interface ConfiguredBudget {
  readonly bytes: number;
  /** 0 = half of `bytes`, or one body of the largest size where that is more. */
  readonly bytesPerClient: number;
  readonly largestBody: number;
  readonly minBytesPerSecond: number;
  readonly clients: Clients;
}

export function configuredBudget({ bytes, bytesPerClient, largestBody, ...rest }: ConfiguredBudget): InflightBudget {
  return new InflightBudget(bytes, { ...rest, perClient: bytesPerClient || Math.max(bytes / 2, largestBody) });
}

function tooMany(bound: string): ApiError {
  return new ApiError("agent.tooManyBytesInFlight", `more than ${bound}, try again later`, { "retry-after": "1" });
}
