import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decompress } from "../../../server/http/body.ts";

describe("decompress", () => {
  const whole = 64 * 1024 * 1024;
  const body = gzipSync(Buffer.alloc(whole));

  it("ends with its request", async () => {
    const caller = new AbortController();
    let taken = 0;
    const held = {
      grow: (bytes: number) => {
        taken += bytes;
        caller.abort();
      },
      release: () => {},
    };
    await expect(decompress(body, "gzip", whole, held, caller)).rejects.toThrow();
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(whole / 16);
  });

  it("does not begin when its request has ended", async () => {
    const caller = new AbortController();
    caller.abort();
    let taken = 0;
    const held = {
      grow: (bytes: number) => {
        taken += bytes;
      },
      release: () => {},
    };
    await expect(decompress(body, "gzip", whole, held, caller)).rejects.toThrow();
    expect(taken).toBe(0);
  });
});
