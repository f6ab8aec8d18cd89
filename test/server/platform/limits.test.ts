// The platform limits the size of bodies of points, the size of bodies of queries, and the number of measurements. It
// refuses requests beyond a limit and stores nothing of them.

import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Sent, send } from "../support/running-agent.ts";
import { ask, folder, platform, type Running, run, write } from "../support/running-platform.ts";
import { zstdPadded } from "../support/zstd-zeros.ts";

interface Refused {
  readonly error_code?: string;
  readonly message?: string;
}

async function answered({ url, token }: Running, path: string, sent: Sent) {
  const { status, text } = await send(`${url}${path}${path.includes("?") ? "&" : "?"}token=${token}`, sent);
  const { error_code: code, message } = JSON.parse(text || "{}") as Refused;
  return code === undefined ? status : [status, code, message];
}

describe("platform.max_body_bytes", () => {
  const most = 1000;
  /** Returns a body of exactly `bytes` bytes: a line with one point, and then a comment line that fills the body up. */
  const bodyOf = (bytes: number) => "cpu v=1i\n".padEnd(bytes, "#");
  const ways: readonly (readonly [way: string, encoded: (text: string) => Pick<Sent, "body" | "headers">])[] = [
    ["as it is", (body) => ({ body })],
    ["in chunks", (body) => ({ body, headers: { "transfer-encoding": "chunked" } })],
    ["gzip", (text) => ({ body: gzipSync(text), headers: { "content-encoding": "gzip" } })],
    ["deflate", (text) => ({ body: deflateRawSync(text), headers: { "content-encoding": "deflate" } })],
    ["br", (text) => ({ body: brotliCompressSync(text), headers: { "content-encoding": "br" } })],
    ["zstd", (text) => ({ body: zstdPadded(text), headers: { "content-encoding": "zstd" } })],
  ];
  const tooLarge = [413, "platform.bodyTooLarge", `body exceeds ${most} bytes`];

  it("bounds bodies of points and of session replays, in every encoding, after decompression", async () => {
    const running = await platform(folder(), { PLATFORM_MAX_BODY_BYTES: String(most) });
    for (const [way, encoded] of ways) {
      const path = "/v1/write/metric";
      expect([way, await answered(running, path, encoded(bodyOf(most + 1)))]).toEqual([way, tooLarge]);
      expect((await ask(running.url, "M::cpu:(count(v)) [1h]", running.token)).series).toEqual([]);
    }
    expect(await answered(running, "/v1/write/rum/replay", { body: bodyOf(most + 1) })).toEqual(tooLarge);
    for (const [, encoded] of ways)
      expect(await answered(running, "/v1/write/metric", encoded(bodyOf(most)))).toBe(200);
    const { series } = await ask(running.url, "M::cpu:(count(v)) [1h]", running.token);
    expect(series[0]!.values[0]![1]).toBe(ways.length);
  });
});

describe("a body of queries", () => {
  const most = 8 * 1024 * 1024;
  const question = '{"queries":[{"query":"M::cpu [1h]"}]}';

  it.each([
    ["as it is", (text: string) => ({ body: text })],
    ["gzip", (text: string) => ({ body: gzipSync(text), headers: { "content-encoding": "gzip" } })],
    ["zstd", (text: string) => ({ body: zstdPadded(text), headers: { "content-encoding": "zstd" } })],
  ])("can be 8 MiB long, %s", async (_way, encoded) => {
    const running = await platform(folder());
    const asked = (bytes: number) => answered(running, "/v1/query/raw", encoded(question.padEnd(bytes)));
    expect(await asked(most)).toBe(200);
    expect(await asked(most + 1)).toEqual([413, "platform.bodyTooLarge", `body exceeds ${most} bytes`]);
  });
});

describe("platform.max_measurements", () => {
  const start = (dataDir: string) =>
    run({
      ...{ command: "platform", dataDir, args: ["--listen", "127.0.0.1:0"], service: ["platform"] },
      env: { PLATFORM_MAX_MEASUREMENTS: "3", PLATFORM_TOKENS: `tkn_${"b".repeat(32)}` },
    });
  const refused = {
    error_code: "platform.invalidPoints",
    message: 'metric has 3 measurements at most (platform.max_measurements), "d" is one too many',
  };

  it("bounds the measurements of one workspace in one category, over a restart too", async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    const put = async ({ url, token }: Running, body: string) => {
      const { status, text } = await write(url, token, body);
      return status === 200 ? status : [status, JSON.parse(text)];
    };
    expect(await put(first, "a v=1i\nb v=1i")).toBe(200);
    // The batch has one measurement more than allowed, so none of its points are stored.
    expect(await put(first, "c v=1i\nd v=1i")).toEqual([400, refused]);
    expect((await ask(first.url, "M::c [1h]", first.token)).series).toEqual([]);
    expect(await put(first, "c v=1i")).toBe(200);
    expect(await put(first, "d v=1i")).toEqual([400, refused]);
    await first.kill();

    const second = await start(dataDir);
    expect(await put(second, "d v=1i")).toEqual([400, refused]);
    expect(await put(second, "a v=2i\nb v=2i\nc v=2i")).toBe(200);
    // The limit counts the measurements of each category and each workspace separately.
    expect(await answered(second, "/v1/write/network", { body: "d v=1i" })).toBe(200);
    expect((await write(second.url, `tkn_${"b".repeat(32)}`, "d v=1i")).status).toBe(200);
  });
});
