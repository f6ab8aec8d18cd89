// The budget of bodies in flight: what is held, what is refused, and for how long.

import { describe, expect, it } from "vitest";
import { ApiError } from "../../../server/http/errors.ts";
import { InflightBudget, type Reservation } from "../../../server/http/inflight.ts";

describe("InflightBudget", () => {
  it("holds until the work is done, whatever it ends with", async () => {
    const budget = new InflightBudget(100);
    const answer = await budget.hold(async (held) => {
      held.grow(60);
      await Promise.resolve();
      held.grow(40);
      expect(budget.usedBytes).toBe(100);
      return "done";
    });
    expect([answer, budget.usedBytes]).toEqual(["done", 0]);
    const failed = budget.hold(async (held) => {
      held.grow(60);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(budget.usedBytes).toBe(0);
  });

  it("refuses what does not fit with a 503 and keeps the rest", async () => {
    const budget = new InflightBudget(100);
    await budget.hold(async (first) => {
      first.grow(70);
      const refused = await budget.hold(async (second) => second.grow(31)).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect((refused as ApiError).status).toBe(503);
      expect(budget.usedBytes).toBe(70);
      await budget.hold(async (second) => second.grow(30));
    });
    expect(budget.usedBytes).toBe(0);
  });

  it("gives nothing to work that has ended", async () => {
    const budget = new InflightBudget(100);
    const late = await budget.hold(async (held): Promise<Reservation> => held);
    expect(() => late.grow(1)).toThrow(ApiError);
    expect(budget.usedBytes).toBe(0);
  });
});
