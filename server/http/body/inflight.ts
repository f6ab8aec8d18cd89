// The budget of body bytes that a service holds at once. Bytes are reserved as they arrive and released when the work
// on them is done. A body that does not fit is refused, never queued. One client address cannot take the whole budget.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../errors.ts";
import type { Clients } from "../guards/client.ts";

export interface Reservation {
  /**
   * Adds to the reservation. Throws an ApiError with status 503 when the budget or the share of this client is used up.
   */
  grow(bytes: number): void;
  release(): void;
  /** Least speed of a body; a slower body is refused. 0 = any speed. */
  readonly minBytesPerSecond: number;
}

export interface BudgetOptions {
  /** Most bytes that the bodies of one client address may take; no limit when absent. */
  readonly perClient?: number;
  readonly minBytesPerSecond?: number;
  /** Gives the key of a client. Without it, and for an empty key, `perClient` does not apply. */
  readonly clients?: Pick<Clients, "keyOf">;
}

export class InflightBudget {
  readonly limit: number;
  private readonly perClient: number;
  /** Least speed of a body, as in Reservation. */
  readonly minBytesPerSecond: number;
  private readonly clients: Pick<Clients, "keyOf"> | undefined;
  private used = 0;
  /** Clients that have an open reservation, by key. */
  private readonly holders = new Map<string, Client>();

  constructor(limit: number, { perClient, minBytesPerSecond = 0, clients }: BudgetOptions = {}) {
    this.limit = limit;
    this.perClient = perClient ?? Number.POSITIVE_INFINITY;
    this.minBytesPerSecond = minBytesPerSecond;
    this.clients = clients;
  }

  get usedBytes(): number {
    return this.used;
  }

  /**
   * Runs `work` with a reservation that is released when the work ends, not earlier: when a client disconnects, the
   * memory of its body is still in use.
   */
  async hold<T>(request: IncomingMessage, work: (held: Reservation) => Promise<T>): Promise<T> {
    const held = this.open(request);
    try {
      return await work(held);
    } finally {
      held.release();
    }
  }

  /** Opens a reservation of 0 bytes. The caller releases it when the work is done, not earlier. */
  open(request: IncomingMessage): Reservation {
    const client = this.holderOf(this.perClient < this.limit ? (this.clients?.keyOf(request) ?? "") : "");
    let held = 0;
    let isOpen = true;
    return {
      minBytesPerSecond: this.minBytesPerSecond,
      grow: (bytes) => {
        // A released reservation must not grow.
        if (!isOpen || this.used + bytes > this.limit) throw tooMany(`${this.limit} bytes in flight`);
        if (client !== undefined && client.bytes + bytes > this.perClient) {
          throw tooMany(`${this.perClient} bytes in flight from this address`);
        }
        held += bytes;
        this.used += bytes;
        if (client !== undefined) client.bytes += bytes;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        this.used -= held;
        if (client === undefined) return;
        client.bytes -= held;
        if (--client.reservations === 0) this.holders.delete(client.key);
      },
    };
  }

  /** Returns the client with this key, with one more reservation; undefined for an empty key. */
  private holderOf(key: string): Client | undefined {
    if (key === "") return undefined;
    let client = this.holders.get(key);
    if (client === undefined) this.holders.set(key, (client = { key, bytes: 0, reservations: 0 }));
    client.reservations++;
    return client;
  }
}

/** One client and the bytes that its open reservations hold. */
interface Client {
  readonly key: string;
  bytes: number;
  reservations: number;
}

export interface ConfiguredBudget {
  readonly bytes: number;
  /** Share of one client; 0 = half of `bytes`, or the largest body when that is more. */
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
