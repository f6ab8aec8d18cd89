import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { GzipContent } from "../../../../../server/agent/inputs/tail/gzip-content.ts";

/** Returns a stand-in for an open file with the content `bytes`. */
function fileWith(bytes: Uint8Array): ConstructorParameters<typeof GzipContent>[0] {
  return {
    read: async (target: Uint8Array, at: number, length: number, from: number) => {
      const part = bytes.subarray(from, from + length);
      target.set(part, at);
      return { bytesRead: part.length, buffer: target };
    },
  } as never;
}

/**
 * Reads the decompressed content in steps of at most `length` bytes. Returns the whole content, and the state that the
 * last step reported.
 */
async function readAll(content: GzipContent, length: number, from = 0): Promise<{ text: Buffer; state: string }> {
  const parts: Buffer[] = [];
  let offset = from;
  for (;;) {
    const window = Buffer.alloc(length);
    const { length: read, state } = await content.read(window, offset);
    parts.push(window.subarray(0, read));
    offset += read;
    if (state !== "more") return { text: Buffer.concat(parts), state };
    expect(read).toBe(length);
  }
}

const text = Buffer.from(Array.from({ length: 20_000 }, (_, at) => `line ${at} ${at * at}\n`).join(""));
const mixed = Buffer.concat([randomBytes(100_000), Buffer.alloc(3_000_000), text]);

it.each([1000, 65_536, 5_000_000])("returns the original content, in windows of %i bytes", async (length) => {
  expect(await readAll(new GzipContent(fileWith(gzipSync(text))), length)).toEqual({ text, state: "whole" });
});

it("reads mixed content, several members, and an empty file", async () => {
  expect(await readAll(new GzipContent(fileWith(gzipSync(mixed))), 70_000)).toEqual({ text: mixed, state: "whole" });
  const members = Buffer.concat([text, mixed, text].map((each) => gzipSync(each)));
  const all = Buffer.concat([text, mixed, text]);
  expect(await readAll(new GzipContent(fileWith(members)), 70_000)).toEqual({ text: all, state: "whole" });
  const empty = new GzipContent(fileWith(gzipSync("")));
  expect(await readAll(empty, 100)).toEqual({ text: Buffer.alloc(0), state: "whole" });
});

it("skips to an offset, and starts again for an earlier offset", async () => {
  const content = new GzipContent(fileWith(gzipSync(text)));
  expect((await readAll(content, 1000, 123_456)).text).toEqual(text.subarray(123_456));
  expect((await readAll(content, 1000, 5)).text).toEqual(text.subarray(5));
  expect(await readAll(content, 1000, text.length + 10)).toMatchObject({ text: Buffer.alloc(0), state: "whole" });
});

it("returns the readable part of data that is cut or damaged", async () => {
  const bytes = gzipSync(mixed);
  for (const length of [1, 9, 10, 500, bytes.length - 9, bytes.length - 1]) {
    const { text: read, state } = await readAll(new GzipContent(fileWith(bytes.subarray(0, length))), 4096);
    expect([length, state]).toEqual([length, "cut"]);
    expect(read).toEqual(mixed.subarray(0, read.length));
  }
  const damaged = Buffer.from(bytes);
  damaged.fill(0xff, bytes.length - 2000, bytes.length - 1000);
  const { text: read, state } = await readAll(new GzipContent(fileWith(damaged)), 4096);
  expect(state).toBe("damaged");
  expect(read.length).toBeGreaterThan(3_000_000);
  expect(await readAll(new GzipContent(fileWith(Buffer.from("no gzip at all"))), 100)).toMatchObject({
    text: Buffer.alloc(0),
    state: "damaged",
  });
});

it("stops a decompression bomb, in bounded memory", { timeout: 60_000 }, async () => {
  const bomb = gzipSync(Buffer.alloc(300_000_000));
  const content = new GzipContent(fileWith(bomb), { freeBytes: 50_000_000, mostExpansion: 250 });
  const window = Buffer.alloc(100_000);
  let offset = 0;
  let state = "more";
  const before = process.memoryUsage().rss;
  let most = 0;
  while (state === "more") {
    const read = await content.read(window, offset);
    offset += read.length;
    state = read.state;
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  expect(state).toBe("bomb");
  expect(offset).toBeGreaterThan(50_000_000);
  expect(offset).toBeLessThan(70_000_000);
  // The garbage collector may run late, so the allowed memory is high: half of what the decompressed bomb would take.
  expect(most).toBeLessThan(150_000_000);
});
