import { describe, expect, it } from "vitest";
import { RequestAbort } from "../../../server/http/abort-signal.ts";

describe("createEnding", () => {
  it("aborts the signal that was asked for before the end", () => {
    const ending = new RequestAbort();
    const { signal } = ending;
    expect([signal.aborted, ending.wasEarly]).toEqual([false, false]);
    ending.early();
    expect([signal.aborted, ending.wasEarly]).toEqual([true, true]);
  });

  it("gives an aborted signal to who asks after the end, always the same", () => {
    const ending = new RequestAbort();
    ending.early();
    expect(ending.signal.aborted).toBe(true);
    expect(ending.signal).toBe(ending.signal);
  });
});
