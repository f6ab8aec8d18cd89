// The memory budget of request bodies, which limits the total size of the bodies that a service keeps in memory
// at the same time. Bytes are reserved as they arrive and released when the work on the body is done. A body for
// which the budget has too few bytes left is refused at once; it never waits. One client address cannot use the
// whole budget.

import { ApiError } from "../errors.ts";
import type { ClientRequest, Clients } from "../guards/client.ts";
import { raiseHeapGrowth } from "../heap.ts";

export interface Reservation {
  /**
   * Reserves more bytes for this request in the memory budget of request bodies. Throws an ApiError with status
   * 503 when the budget, or the share of the budget that this client may use, has too few bytes left.
   */
  grow(bytes: number): void;
  release(): void;
  /**
   * The slowest allowed speed of a body in bytes per second; 0 = any speed. A body that arrives more slowly is
   * refused.
   */
  readonly minBytesPerSecond: number;
}

export interface BudgetOptions {
  /**
   * Maximum number of bytes that the bodies of one client address may reserve together; absent = no limit. 0 means
   * half of the budget, or the size of the largest allowed body if this is more than half of the budget.
   */
  readonly bytesPerClient?: number;
  readonly largestBody?: number;
  readonly minBytesPerSecond?: number;
  /**
   * Identifies the client of a request: `keyOf` returns a key for the client. The limit `bytesPerClient` applies only
   * when `clients` is present and the key is not empty.
   */
  readonly clients?: Pick<Clients, "keyOf">;
}

export class InflightBudget {
  readonly limit: number;
  private readonly perClient: number;
  /**
   * The slowest allowed speed of a request body in bytes per second; 0 = any speed. Every reservation has this
   * limit.
   */
  readonly minBytesPerSecond: number;
  private readonly clients: Pick<Clients, "keyOf"> | undefined;
  private used = 0;
  /** The clients that have open reservations, by the key that identifies the client. */
  private readonly holders = new Map<string, Client>();

  constructor(limit: number, options: BudgetOptions = {}) {
    const { bytesPerClient = Number.POSITIVE_INFINITY, largestBody = 0, minBytesPerSecond = 0, clients } = options;
    this.limit = limit;
    this.perClient = bytesPerClient || Math.max(limit / 2, largestBody);
    this.minBytesPerSecond = minBytesPerSecond;
    this.clients = clients;
  }

  get usedBytes(): number {
    return this.used;
  }

  /**
   * Calls `work` with a reservation and releases the reservation when `work` has ended. The reservation is not
   * released earlier when the client disconnects, because `work` still uses the memory of the body.
   */
  async hold<T>(request: ClientRequest, work: (held: Reservation) => Promise<T>): Promise<T> {
    const held = this.open(request);
    try {
      return await work(held);
    } finally {
      held.release();
    }
  }

  /**
   * Opens a reservation of 0 bytes in the memory budget. The caller must release the reservation when the work on the
   * body is done, not earlier.
   */
  open(request: ClientRequest): Reservation {
    raiseHeapGrowth();
    const key = this.perClient < this.limit ? (this.clients?.keyOf(request) ?? "") : "";
    if (key === "") return new Held(this, undefined);
    let client = this.holders.get(key);
    if (client === undefined) this.holders.set(key, (client = { key, bytes: 0, reservations: 0 }));
    client.reservations++;
    return new Held(this, client);
  }

  /**
   * Takes bytes from the memory budget for a request body of a client. Throws an ApiError with the status 503 when too
   * few bytes are left.
   */
  take(bytes: number, client: Client | undefined): void {
    if (this.used + bytes > this.limit) throw tooMany(`${this.limit} bytes in flight`);
    if (client !== undefined) {
      if (client.bytes + bytes > this.perClient) throw tooMany(`${this.perClient} bytes in flight from this address`);
      client.bytes += bytes;
    }
    this.used += bytes;
  }

  /** Returns the bytes of a client's closed reservation to the memory budget. */
  giveBack(bytes: number, client: Client | undefined): void {
    this.used -= bytes;
    if (client === undefined) return;
    client.bytes -= bytes;
    if (--client.reservations === 0) this.holders.delete(client.key);
  }
}

/**
 * A reservation: the bytes of the memory budget that belong to one request. It is a class, because an object
 * made of closures would take five times as much memory.
 */
class Held implements Reservation {
  readonly minBytesPerSecond: number;
  private readonly budget: InflightBudget;
  private readonly client: Client | undefined;
  private bytes = 0;
  private isOpen = true;

  constructor(budget: InflightBudget, client: Client | undefined) {
    this.minBytesPerSecond = budget.minBytesPerSecond;
    this.budget = budget;
    this.client = client;
  }

  grow(bytes: number): void {
    // After a call of `release`, no more bytes may be reserved, because nobody would return them to the memory
    // budget.
    if (!this.isOpen) throw tooMany(`${this.budget.limit} bytes in flight`);
    this.budget.take(bytes, this.client);
    this.bytes += bytes;
  }

  release(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.budget.giveBack(this.bytes, this.client);
  }
}

/**
 * A client that sends request bodies. `bytes`: the number of bytes that its open reservations use in the memory
 * budget. `reservations`: the number of these reservations.
 */
interface Client {
  readonly key: string;
  bytes: number;
  reservations: number;
}

function tooMany(bound: string): ApiError {
  return new ApiError("agent.tooManyBytesInFlight", `more than ${bound}, try again later`, { "retry-after": "1" });
}
