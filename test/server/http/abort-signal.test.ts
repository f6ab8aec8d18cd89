import { describe, expect, it } from "vitest";
import { RequestAbort } from "../../../server/http/abort-signal.ts";

describe("RequestAbort", () => {
  it("aborts a signal that was requested before the end", () => {
    const ending = new RequestAbort();
    const { signal } = ending;
    expect([signal.aborted, ending.wasEarly]).toEqual([false, false]);
    ending.early();
    expect([signal.aborted, ending.wasEarly]).toEqual([true, true]);
  });

  it("returns an aborted signal after the end, always the same one", () => {
    const ending = new RequestAbort();
    ending.early();
    expect(ending.signal.aborted).toBe(true);
    expect(ending.signal).toBe(ending.signal);
  });
});
