// The budget of body bytes that a service holds at once. A reservation is made before bytes are read and released when
// the work on them is done; what does not fit is refused, never queued.

import { ApiError } from "./errors.ts";

export interface Reservation {
  /** Adds to the reservation; throws the 503 when the budget is used up. */
  grow(bytes: number): void;
  release(): void;
}

export class InflightBudget {
  readonly limit: number;
  private used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get usedBytes(): number {
    return this.used;
  }

  /** With a reservation that lasts as long as the work: a client that leaves does not free the memory of its body. */
  async hold<T>(work: (held: Reservation) => Promise<T>): Promise<T> {
    const held = this.open();
    try {
      return await work(held);
    } finally {
      held.release();
    }
  }

  /** Of no bytes yet. Whoever opens it releases it, and not before the work is done. */
  open(): Reservation {
    let held = 0;
    let isOpen = true;
    return {
      grow: (bytes) => {
        // After the release nothing may be taken any more.
        if (!isOpen || this.used + bytes > this.limit) {
          throw new ApiError("agent.tooManyBytesInFlight", `more than ${this.limit} bytes in flight, try again later`, {
            "retry-after": "1",
          });
        }
        held += bytes;
        this.used += bytes;
      },
      release: () => {
        this.used -= held;
        held = 0;
        isOpen = false;
      },
    };
  }
}
