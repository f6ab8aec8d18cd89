import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decompress, readBody } from "../../../server/http/body.ts";
import { InflightBudget } from "../../../server/http/inflight.ts";

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

describe("readBody", () => {
  const cap = 100_000;

  /** What is read of a request that comes in these pieces, each when the one before has been taken; `ends`: then the client goes away. */
  async function read(pieces: readonly string[], ends = false): Promise<string> {
    let piecesTaken = () => {};
    let resolve = (_text: string) => {};
    const text = new Promise<string>((resolved) => {
      resolve = resolved;
    });
    const budget = new InflightBudget(2 * cap);
    const server = createServer((request: IncomingMessage, response) => {
      const held = budget.open();
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
    ["of no told length", [`${head("transfer-encoding: chunked")}5\r\nhello\r\n`, "1\r\n!\r\n0\r\n\r\n"], "hello! (6)"],
    ["without any", [`GET / HTTP/1.1\r\nhost: a\r\n\r\n`], " (0)"],
  ])("a body %s", async (_name, pieces, expected) => {
    expect(await read(pieces)).toBe(expected);
  });

  it("a body that is told to be too large is refused before it is held", async () => {
    expect(await read([`${head(`content-length: ${cap + 1}`)}${"x".repeat(cap + 1)}`])).toBe(
      `body exceeds ${cap} bytes (0)`,
    );
  });

  it.each([
    ["told", [head("content-length: 11"), "hello"]],
    ["untold", [head("transfer-encoding: chunked"), "5\r\nhello\r\n"]],
  ])("a body of %s length whose client goes away", async (_name, pieces) => {
    expect(await read(pieces, true)).toMatch(/^(the stream ended early|aborted) \(\d+\)$/);
  });
});
