// Tests the budget for bodies in flight (the request bodies that the service has in memory at the same time):
// which bodies it accepts, which it refuses, and how long each body counts.

import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { InflightBudget, type Reservation } from "../../../../server/http/body/inflight.ts";
import { ApiError } from "../../../../server/http/errors.ts";
import { createClients } from "../../../../server/http/guards/client.ts";

const from = (remoteAddress: string) => ({ headers: {}, socket: { remoteAddress } }) as unknown as IncomingMessage;
const request = from("127.0.0.1");

describe("InflightBudget", () => {
  it("counts the bytes until the work ends, also when the work fails", async () => {
    const budget = new InflightBudget(100);
    const answer = await budget.hold(request, async (held) => {
      held.grow(60);
      await Promise.resolve();
      held.grow(40);
      expect(budget.usedBytes).toBe(100);
      return "done";
    });
    expect([answer, budget.usedBytes]).toEqual(["done", 0]);
    const failed = budget.hold(request, async (held) => {
      held.grow(60);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(budget.usedBytes).toBe(0);
  });

  it("refuses with 503 a reservation that does not fit, and keeps the others", async () => {
    const budget = new InflightBudget(100);
    await budget.hold(request, async (first) => {
      first.grow(70);
      const refused = await budget.hold(request, async (second) => second.grow(31)).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect((refused as ApiError).status).toBe(503);
      expect(budget.usedBytes).toBe(70);
      await budget.hold(request, async (second) => second.grow(30));
    });
    expect(budget.usedBytes).toBe(0);
  });

  it("refuses a reservation after its work has ended", async () => {
    const budget = new InflightBudget(100);
    const late = await budget.hold(request, async (held): Promise<Reservation> => held);
    expect(() => late.grow(1)).toThrow(ApiError);
    expect(budget.usedBytes).toBe(0);
  });

  const configured = {
    largestBody: 10,
    minBytesPerSecond: 0,
    clients: createClients({ trustedProxies: [] }),
  };
  const refusalOf = (work: () => void): string => {
    try {
      work();
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ["half of all by default", 0, 10, 50],
    ["one largest body where half is less", 0, 80, 80],
    ["as many as the setting says", 30, 10, 30],
  ])("lets one client address hold %s, and leaves the rest to others", (_name, bytesPerClient, largestBody, most) => {
    const budget = new InflightBudget(100, { ...configured, bytesPerClient, largestBody });
    const [first, second] = [budget.open(from("10.0.0.1")), budget.open(from("10.0.0.1"))];
    first.grow(most - 1);
    expect(refusalOf(() => second.grow(2))).toBe(
      `more than ${most} bytes in flight from this address, try again later`,
    );
    second.grow(1);
    const other = budget.open(from("10.0.0.2"));
    other.grow(Math.min(most, 100 - most));
    for (const held of [first, second, other]) held.release();
    expect(budget.usedBytes).toBe(0);
    const next = budget.open(from("10.0.0.1"));
    next.grow(most);
    next.release();
  });

  it("counts all addresses of one IPv6 /64 network as one client", () => {
    const budget = new InflightBudget(100, { ...configured, bytesPerClient: 0 });
    budget.open(from("2001:db8::1")).grow(50);
    expect(refusalOf(() => budget.open(from("2001:db8::ffff:9")).grow(1))).toContain("from this address");
    budget.open(from("2001:db8:0:1::1")).grow(50);
  });
});
