import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Batch } from "../../../server/agent/protocol.ts";
import { createUploader, type Outlet } from "../../../server/agent/uploader.ts";
import { createLog } from "../../../server/http/log.ts";

interface Got {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let gateway: Server;
let got: Got[];
let statuses: number[];
let dropped: string[];
let outlet: Outlet;

async function open(bufferBytes = 1_000_000): Promise<void> {
  got = [];
  dropped = [];
  gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    got.push({ url: request.url!, headers: request.headers, body: gunzipSync(Buffer.concat(chunks)).toString() });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  outlet = createUploader({
    urls: [`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/ignored?token=t&a=b`],
    timeoutMs: 2000,
    retryDelayMs: 10,
    gzip: true,
    bufferBytes,
    host: "web01",
    log: createLog("error", () => {}),
    events: {
      sent: () => {},
      dropped: (batch, reason) => dropped.push(`${text(batch)} ${reason}`),
      retried: () => {},
      waiting: () => {},
    },
  });
}

const text = (batch: Batch) => Buffer.from(batch.body).toString();
const batch = (body: string, points = 1): Batch => ({ category: "logging", body: Buffer.from(body), points });

afterEach(async () => {
  await outlet.close();
  gateway.closeAllConnections();
  gateway.close();
});

describe("uploader", () => {
  it("posts line protocol with gzip and the number of points, query of the URL kept and sorted", async () => {
    statuses = [];
    await open();
    await outlet.put([batch("a v=1i 1\nb v=1i 1", 2)], "idx");
    await expect.poll(() => got.length).toBe(1);
    expect(got[0].url).toBe("/v1/write/logging?a=b&token=t");
    expect(got[0].body).toBe("a v=1i 1\nb v=1i 1");
    expect(got[0].headers).toMatchObject({
      "content-type": "application/line-protocol",
      "content-encoding": "gzip",
      "x-points": "2",
      "x-storage-index-name": "idx",
    });
    expect(got[0].headers["x-pkg-id"]).toMatch(/^ag_./);
  });

  it("sends again after a 5xx and keeps what waits meanwhile", async () => {
    statuses = [500, 503];
    await open();
    await outlet.put([batch("one")]);
    await outlet.put([batch("two")]);
    await expect.poll(() => got.length).toBe(4);
    expect(new Set(got.slice(2).map((each) => each.body))).toEqual(new Set(["one", "two"]));
    expect(dropped).toEqual([]);
  });

  it("drops what a 4xx refuses, once", async () => {
    statuses = [400];
    await open();
    await outlet.put([batch("bad")]);
    await expect.poll(() => dropped).toEqual(["bad write point 4xx"]);
    await outlet.put([batch("good")]);
    await expect.poll(() => got.map((each) => each.body)).toEqual(["bad", "good"]);
  });

  it("drops the oldest when the buffer is full", async () => {
    statuses = Array(1000).fill(500);
    await open(60);
    for (const name of ["one", "two", "three", "four", "five"]) await outlet.put([batch(name)]);
    await expect.poll(() => dropped.length).toBeGreaterThan(0);
    expect(dropped.every((each) => each.endsWith("buffer full"))).toBe(true);
    expect(dropped[0]).not.toContain("five");
    statuses = [];
    await expect.poll(() => got.at(-1)!.body).toBe("five");
  });
});
