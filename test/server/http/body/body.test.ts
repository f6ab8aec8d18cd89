import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { decompress, decompressInTurns, readBody } from "../../../../server/http/body/body.ts";
import { InflightBudget } from "../../../../server/http/body/inflight.ts";
import { hasOwnMemory } from "../../../../server/http/body/own-memory.ts";
import { decompressZstd } from "../../../../server/http/body/zstd.ts";
import type { ApiError } from "../../../../server/http/errors.ts";
import { zstdZeros } from "../../support/zstd-zeros.ts";

describe("decompress", () => {
  const whole = 64 * 1024 * 1024;
  const body = gzipSync(Buffer.alloc(whole));

  it("stops when its request ends", async () => {
    const caller = new AbortController();
    let taken = 0;
    const held = {
      grow: (bytes: number) => {
        taken += bytes;
        caller.abort();
      },
      release: () => {},
      minBytesPerSecond: 0,
    };
    await expect(decompress(brotliCompressSync(Buffer.alloc(whole)), "br", whole, held, caller)).rejects.toThrow();
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(whole / 16);
  });

  it("does not start when its request has ended", async () => {
    const caller = new AbortController();
    caller.abort();
    let taken = 0;
    const held = {
      grow: (bytes: number) => {
        taken += bytes;
      },
      release: () => {},
      minBytesPerSecond: 0,
    };
    await expect(decompress(body, "gzip", whole, held, caller)).rejects.toThrow();
    expect(taken).toBe(0);
  });

  const text = Buffer.alloc(1_000_000, "some text ");
  it.each([
    ["that tells its length", gzipSync(text), text, 1_000_000, 1_000_001],
    [
      "of two parts, of which the last tells its length",
      Buffer.concat([gzipSync(text), gzipSync("end")]),
      Buffer.concat([text, Buffer.from("end")]),
      1_540_096,
      1_540_096,
    ],
    ["that is short", gzipSync("short"), Buffer.from("short"), 5, 16_384],
    ["that is empty", gzipSync(""), Buffer.alloc(0), 0, 0],
  ])("a body %s takes hardly more memory than was reserved for it", async (_name, sent, plain, reserved, memory) => {
    const budget = new InflightBudget(whole);
    const { request } = fakeRequest(sent.length);
    const body = await decompress(sent, "gzip", whole, budget.open(request));
    expect(Buffer.compare(body, plain)).toBe(0);
    expect([budget.usedBytes, body.buffer.byteLength, hasOwnMemory(body)]).toEqual([reserved, memory, true]);
  });

  it.each([
    ["the budget", 10_000_000, whole, "more than 10000000 bytes in flight, try again later"],
    ["the largest body", 2 * whole, 10_000_000, "body exceeds 10000000 bytes"],
  ])("a body that declares more bytes than %s is refused", async (_name, limit, cap, message) => {
    const budget = new InflightBudget(limit);
    const { request } = fakeRequest(body.length);
    await expect(decompress(body, "gzip", cap, budget.open(request))).rejects.toThrow(message);
    expect(budget.usedBytes).toBe(Math.min(limit, cap) === cap ? cap : 0);
  });

  it("empty bodies share no memory, so that each can be handed to another thread", async () => {
    const budget = new InflightBudget(whole);
    const { request } = fakeRequest(20);
    const empty = () => decompress(gzipSync(""), "gzip", whole, budget.open(request));
    expect((await empty()).buffer).not.toBe((await empty()).buffer);
  });

  it("a body cannot claim more memory than its own bytes could decompress to", async () => {
    const liar = Buffer.concat([gzipSync("short"), Buffer.from([255, 255, 255, 3])]);
    const budget = new InflightBudget(whole);
    const { request } = fakeRequest(liar.length);
    await decompress(liar, "gzip", whole, budget.open(request)).catch(() => {});
    expect(budget.usedBytes).toBe(liar.length * 1032);
  });
});

/**
 * Returns a text of `length` characters that uses `alphabet` different characters. The file zstd.jsonl has the
 * compressed form of such texts.
 */
function textOf(length: number, alphabet: number): string {
  let state = 7;
  let text = "";
  while (text.length < length) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const word = Math.floor(state / 65536);
    text += word % alphabet < alphabet / 3 ? `host-${word % 97} ` : String.fromCharCode(32 + (word % 90));
  }
  return text.slice(0, length);
}

describe("decompress with zstd", () => {
  const cap = 1024 * 1024;
  const mebibyte = zstdZeros(cap);
  const text = Buffer.alloc(300_000, "some text ");
  // The compressed form of `text`. `told` was made by `zstd`, which stores the length of the text. `untold` was made by
  // `zstd --no-content-size`, which does not store the length.
  const told = Buffer.from(
    "KLUv/aTgkwQAlAAAUHNvbWUgdGV4dCABAPP/zQsSTAAACG0BAPz/ORACTQAACCABANwTHQgBqwR1cg==",
    "base64",
  );
  const untold = Buffer.from("KLUv/QRYlAAAUHNvbWUgdGV4dCABAPP/zQsSTAAACG0BAPz/ORACTQAACCABANwTHQgBqwR1cg==", "base64");
  const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const block = 128 * 1024;

  it.each([
    ["that tells its length", told, text, text.length],
    ["of three blocks that does not tell its length", untold, text, 3 * block],
    ["of runs", mebibyte, Buffer.alloc(cap), cap],
    ["of several frames", Buffer.concat([told, skipped, told]), Buffer.concat([text, text]), 2 * text.length],
    ["of no frame", Buffer.alloc(0), Buffer.alloc(0), 0],
  ])(
    "reserves the decompressed size of a body %s before it decompresses the body",
    async (_name, sent, plain, reserved) => {
      const budget = new InflightBudget(2 * cap);
      const { request } = fakeRequest(sent.length);
      const body = await decompress(sent, "zstd", cap, budget.open(request));
      expect([body, budget.usedBytes]).toEqual([sent, reserved]);
      const made = [decompressZstd(sent, cap), await decompressInTurns(sent, "zstd", cap, budget.open(request))];
      for (const each of made) {
        expect(Buffer.compare(each, plain)).toBe(0);
        expect(each.buffer.byteLength).toBe(reserved);
      }
    },
  );

  it("does not move the window, even when the window is large and the blocks are short", () => {
    // The zstd frame declares a window (the output to which later blocks may refer) of 64 MiB and has 2,000 blocks of
    // one byte each. A decoder that moved the window in memory after each block would copy far more bytes than the
    // output has.
    const block = Buffer.from([0x0a, 0, 0, 0x78]);
    const last = Buffer.from([0x0b, 0, 0, 0x78]);
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x80]);
    const sent = Buffer.concat([frame, ...new Array<Buffer>(1999).fill(block), last]);
    let moved = 0;
    const spy = vi.spyOn(Uint8Array.prototype, "copyWithin").mockImplementation(function (
      this: Uint8Array,
      _to,
      from,
      to,
    ) {
      moved += (to ?? this.length) - from;
      return this;
    });
    try {
      const body = decompressZstd(sent, 64 * cap);
      expect([body.length, body.buffer.byteLength, moved]).toEqual([2000, 2000, 0]);
    } finally {
      spy.mockRestore();
    }
  });

  const made = readFileSync(new URL("zstd.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  it.each(made.map((line) => JSON.parse(line)))("decompresses a body that the zstd command made: $name", (each) => {
    const sent = Buffer.from(each.zstd, "base64");
    const text = textOf(each.length, each.alphabet);
    expect(Buffer.from(decompressZstd(sent, cap)).toString()).toBe(text);
    const hasChecksum = (sent[4]! & 4) !== 0;
    // A changed byte leads to an error, or to other output when the frame has no checksum, but never to an endless loop or
    // a write beyond the output.
    for (let at = 0; at < sent.length; at += 97) {
      const hurt = Buffer.from(sent).fill(sent[at]! ^ 0x55, at, at + 1);
      let made: Uint8Array;
      try {
        made = decompressZstd(hurt, cap);
      } catch (error) {
        expect(["Error", "RangeError", "ZstdTooLarge"]).toContain((error as Error).constructor.name);
        continue;
      }
      expect(made.length).toBeLessThanOrEqual(cap);
      if (hasChecksum) expect(Buffer.from(made).toString()).toBe(text);
    }
  });

  const damaged = readFileSync(new URL("zstd-damaged.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  it.each(damaged.map((line) => JSON.parse(line)))("refuses a damaged body: $name", async (each) => {
    const sent = Buffer.from(each.zstd, "base64");
    const budget = new InflightBudget(cap);
    const { request } = fakeRequest(sent.length);
    expect(() => decompressZstd(sent, cap)).toThrow();
    await expect(decompressInTurns(sent, "zstd", cap, budget.open(request))).rejects.toMatchObject({ status: 400 });
  });

  it("verifies the checksum of each frame, also of a frame that is decompressed with pauses", async () => {
    const budget = new InflightBudget(64 * cap);
    const { request } = fakeRequest(100);
    // The skipped frame and the text of an odd length put the last frame at an odd offset of the output.
    const line = Buffer.from("KLUv/QRYSQAAbSB2PTFpIDEKJyyYsA==", "base64");
    const sent = Buffer.concat([told, skipped, line, ...new Array<Buffer>(10).fill(told)]);
    const inTurns = (body: Buffer) => decompressInTurns(body, "zstd", 4 * cap, budget.open(request));
    expect((await inTurns(sent)).length).toBe(11 * text.length + 9);
    sent[sent.length - 1]! ^= 1;
    await expect(inTurns(sent)).rejects.toMatchObject({ code: "agent.decodeBodyFailed" });
    expect(() => decompressZstd(sent, 4 * cap)).toThrow("checksum");
  });

  it("lets other events run in between, and stops when its request ends", async () => {
    const budget = new InflightBudget(64 * cap);
    const { request } = fakeRequest(1000);
    const caller = new AbortController();
    let turns = 0;
    const count = () => {
      if (++turns === 5) caller.abort();
      else setImmediate(count);
    };
    setImmediate(count);
    const sent = zstdZeros(32 * cap);
    await expect(decompressInTurns(sent, "zstd", 32 * cap, budget.open(request), caller)).rejects.toThrow();
    expect(turns).toBe(5);
  });

  it("reserves no more memory than the largest allowed body needs", async () => {
    const budget = new InflightBudget(2 * cap);
    const { request } = fakeRequest(told.length);
    await decompress(Buffer.concat([untold, untold, untold]), "zstd", 900_000, budget.open(request));
    expect(budget.usedBytes).toBe(900_000);
    expect(decompressZstd(Buffer.concat([untold, untold, untold]), 900_000).length).toBe(900_000);
  });

  it.each([
    ["the budget", cap - 1, cap, `more than ${cap - 1} bytes in flight, try again later`],
    ["the largest body", 2 * cap, cap - 1, `body exceeds ${cap - 1} bytes`],
  ])("refuses a body that decompresses to more than %s", async (_name, limit, most, message) => {
    const budget = new InflightBudget(limit);
    const { request } = fakeRequest(mebibyte.length);
    await expect(decompress(mebibyte, "zstd", most, budget.open(request))).rejects.toThrow(message);
    expect(budget.usedBytes).toBe(0);
  });

  it.each([
    ["a text", Buffer.from("bad")],
    ["a frame that is cut off", told.subarray(0, 40)],
    ["a frame that tells fewer bytes than its blocks hold", Buffer.from(told).fill(1, 6, 7)],
    ["a frame that tells more bytes than its blocks hold", Buffer.from(told).fill(5, 7, 8)],
  ])("refuses %s", async (_name, sent) => {
    const budget = new InflightBudget(2 * cap);
    const { request } = fakeRequest(sent.length);
    const whole = async () => decompressZstd(await decompress(sent, "zstd", cap, budget.open(request)), cap);
    await expect(whole()).rejects.toThrow();
  });
});

describe("readBody", () => {
  const cap = 100_000;

  /**
   * Sends a body in these chunks. Sends each chunk after the server has read the previous one. With `ends`, the
   * client closes the connection after the last chunk. Returns the body that `readBody` has read, or its error
   * message, and the number of bytes that count in the budget for bodies.
   */
  async function read(pieces: readonly string[], ends = false): Promise<string> {
    let piecesTaken = () => {};
    let resolve = (_text: string) => {};
    const text = new Promise<string>((resolved) => {
      resolve = resolved;
    });
    const budget = new InflightBudget(2 * cap);
    const server = createServer((request: IncomingMessage, response) => {
      const held = budget.open(request);
      request.on("data", () => piecesTaken());
      readBody(request, cap, held)
        .then(
          (body) => Buffer.from(body).toString(),
          (error: Error) => error.message,
        )
        .then((found) => {
          resolve(`${found} (${budget.usedBytes})`);
          held.release();
          response.end();
        });
      piecesTaken();
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    try {
      for (const piece of pieces) {
        const taken = new Promise<void>((next) => {
          piecesTaken = next;
        });
        socket.write(piece);
        await Promise.race([taken, text]);
      }
      if (ends) socket.destroy();
      return await text;
    } finally {
      socket.destroy();
      server.close();
    }
  }
  const head = (line: string) => `POST / HTTP/1.1\r\nhost: a\r\n${line}\r\n\r\n`;

  it.each([
    ["in one piece", [`${head("content-length: 5")}hello`], "hello (5)"],
    ["in pieces", [head("content-length: 11"), "hello", " w", "orld"], "hello world (11)"],
    ["of no bytes", [head("content-length: 0")], " (0)"],
    [
      "of no declared length",
      [`${head("transfer-encoding: chunked")}5\r\nhello\r\n`, "1\r\n!\r\n0\r\n\r\n"],
      "hello! (65536)",
    ],
    ["without any", [`GET / HTTP/1.1\r\nhost: a\r\n\r\n`], " (0)"],
  ])("reads a body %s", async (_name, pieces, expected) => {
    expect(await read(pieces)).toBe(expected);
  });

  it("refuses a body that is declared too large before it keeps a byte", async () => {
    expect(await read([`${head(`content-length: ${cap + 1}`)}${"x".repeat(cap + 1)}`])).toBe(
      `body exceeds ${cap} bytes (0)`,
    );
  });

  it.each([
    ["told", [head("content-length: 11"), "hello"]],
    ["untold", [head("transfer-encoding: chunked"), "5\r\nhello\r\n"]],
  ])("rejects a body of %s length when the client disconnects", async (_name, pieces) => {
    expect(await read(pieces, true)).toMatch(/^(the stream ended early|aborted) \(\d+\)$/);
  });

  it("reserves memory as the bytes arrive, not for the declared length", async () => {
    const budget = new InflightBudget(Number.MAX_SAFE_INTEGER);
    const length = 64 * 1024 * 1024;
    const { request, give } = fakeRequest(length);
    const body = readBody(request, length, budget.open(request));
    expect(budget.usedBytes).toBe(0);
    let come = 0;
    for (const bytes of [1, 100, 64 * 1024, 1024 * 1024, 8 * 1024 * 1024]) {
      give(Buffer.alloc(bytes, bytes));
      come += bytes;
      expect(budget.usedBytes).toBeGreaterThanOrEqual(come);
      expect(budget.usedBytes).toBeLessThanOrEqual(Math.max(64 * 1024, 4 * come));
    }
    give(Buffer.alloc(length - come, 7));
    const read = await body;
    expect([read.length, read[0], read[1], read[101], read[length - 1], budget.usedBytes]).toEqual([
      length,
      1,
      100,
      0,
      7,
      length,
    ]);
  });

  it("reserves the whole memory of a short body at its first large piece", async () => {
    const budget = new InflightBudget(Number.MAX_SAFE_INTEGER);
    const length = 1024 * 1024;
    const { request, give } = fakeRequest(length);
    const body = readBody(request, length, budget.open(request));
    give(Buffer.alloc(100, 1));
    expect(budget.usedBytes).toBe(64 * 1024);
    give(Buffer.alloc(64 * 1024, 2));
    expect(budget.usedBytes).toBe(length);
    give(Buffer.alloc(length - 100 - 64 * 1024, 3));
    const read = await body;
    expect([read.length, read[99], read[100], read[length - 1], budget.usedBytes]).toEqual([length, 1, 2, 3, length]);
  });

  it("refuses a body in pieces that exceeds the budget, and discards the rest", async () => {
    const budget = new InflightBudget(100_000);
    const { request, give } = fakeRequest(150_000);
    const refused = readBody(request, 200_000, budget.open(request)).catch((error: Error) => error.message);
    for (let come = 0; come < 150_000; come += 10_000) give(Buffer.alloc(10_000));
    give(null);
    expect(await refused).toBe("more than 100000 bytes in flight, try again later");
    expect(budget.usedBytes).toBe(0);
  });

  describe("a body that arrives slowly", () => {
    beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate", "performance"] }));
    afterAll(() => void vi.useRealTimers());

    it.each([
      ["declared, nothing of it", 100_000, 0, 11],
      ["declared, 800 bytes a second", 100_000, 800, 11],
      ["declared, 1100 bytes a second", 30_000, 1100, undefined],
      ["chunked, 800 bytes a second", undefined, 800, 11],
      ["chunked, 1100 bytes a second", undefined, 1100, undefined],
    ])("%s", async (_name, length, bytesPerSecond, endsAfter) => {
      const budget = new InflightBudget(1e6, { minBytesPerSecond: 1024 });
      const { request, give } = fakeRequest(length);
      let ended: ApiError | number | undefined;
      let endedAt = 0;
      let seconds = 0;
      readBody(request, 1e6, budget.open(request)).then(
        (body) => (ended = body.length),
        (error: ApiError) => {
          ended = error;
          endedAt = seconds;
        },
      );
      for (; seconds < 25; seconds++) {
        if (bytesPerSecond > 0 && ended === undefined) give(Buffer.alloc(bytesPerSecond));
        await vi.advanceTimersByTimeAsync(1000);
      }
      if (endsAfter === undefined) {
        expect(ended).toBeUndefined();
        give(Buffer.alloc(length === undefined ? 1 : length - 25 * bytesPerSecond));
        if (length === undefined) give(null);
        await vi.advanceTimersByTimeAsync(1);
        expect(ended).toBe(length ?? 25 * bytesPerSecond + 1);
        return;
      }
      const { code, status, message, headers } = ended as unknown as ApiError;
      expect([code, status, message, headers]).toEqual([
        "agent.bodyTooSlow",
        408,
        "the body comes with less than 1024 bytes per second",
        { connection: "close" },
      ]);
      expect(endedAt).toBeLessThanOrEqual(endsAfter);
    });
  });
});

/** Makes a request whose body chunks the test provides; `null` ends the body. */
function fakeRequest(length: number | undefined): {
  readonly request: IncomingMessage;
  give(chunk: Buffer | null): void;
} {
  const stream = new Readable({ read: () => {}, highWaterMark: 1e9 });
  const headers = length === undefined ? {} : { "content-length": String(length) };
  const request = Object.assign(stream, { headers, socket: {} }) as unknown as IncomingMessage;
  return {
    request,
    give: (chunk) => {
      stream.push(chunk);
      // The stream would emit the pushed chunk only later. Calling `read` makes the stream emit the chunk at once.
      if (chunk !== null && stream.readableFlowing === true)
        for (let part = stream.read(); part !== null; part = stream.read());
    },
  };
}
