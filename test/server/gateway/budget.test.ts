// Tests the limit for the request bodies that a gateway has in memory at the same time. A body counts until the
// gateway has freed its bytes. Bytes that the gateway makes from a body, for example by decompressing it, count
// in the same way.

import { mkdtempSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import {
  type GatewayOptions,
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";
import { zstdZeros } from "../support/zstd-zeros.ts";

const a = `tkn_${"a".repeat(32)}`;
const mebibyte = 1024 * 1024;

let workspaces: Workspaces;

beforeEach(async () => {
  workspaces = await startWorkspaces();
});

afterEach(() => workspaces.close());

async function started(options: GatewayOptions): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({
    rules: { strict: false, rules: [{ rules: ["*"], url: `${workspaces.url}/?token=${a}` }] },
    ...options,
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const heldBytes = (gateway: GatewayProcess) => gateway.metric("gateway_http_inflight_bytes");

it.each(["/v1/write/logging", "/v1/query/raw"])("%s: a client that leaves frees nothing of it", async (api) => {
  const gateway = await started({ config: `[gateway_api]\nhttp_timeout = "60s"\n` });
  workspaces.behave(a, "silent");
  const call = request(`${gateway.url}${api}`, { method: "POST", headers: { "x-global-tags": "a=1" } });
  call.on("error", () => {});
  call.end(Buffer.alloc(mebibyte));
  await expect.poll(() => workspaces.seen.length, { timeout: 10_000 }).toBe(1);
  call.destroy();
  const over = () => gateway.metric(`gateway_http_api_total{api="${api}"`);
  await expect.poll(over, { timeout: 10_000 }).toBe(1);
  expect(await heldBytes(gateway)).toBe(mebibyte);
  await workspaces.close();
  await expect.poll(() => heldBytes(gateway), { timeout: 10_000 }).toBe(0);
});

it.each([
  ["gzip", gzipSync(Buffer.alloc(3 * mebibyte, " "))],
  ["zstd", zstdZeros(3 * mebibyte)],
])(
  "%s: the decompressed size counts in the budget; a body over the budget gets 503 with Retry-After",
  async (encoding, body) => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-gateway-"));
    const gateway = await started({
      dataDir,
      files: { "tags.yaml": "- fields: host\n" },
      config: `[gateway_api]\nmax_inflight_bytes = 4194304\nhttp_timeout = "60s"\n[sinker.tags]\npath = "${dataDir}/tags.yaml"\n`,
    });
    workspaces.behave(a, "silent");
    const write = () => gateway.send("/v1/write/logging", { body, headers: { "content-encoding": encoding } });
    const first = write();
    await expect.poll(() => heldBytes(gateway), { timeout: 10_000 }).toBe(3 * mebibyte + body.length);
    const second = await write();
    expect([second.status, JSON.parse(second.text).error_code]).toEqual([503, "gateway.tooManyBytesInFlight"]);
    expect(second.headers["retry-after"]).toBe("1");
    await workspaces.close();
    await first;
    await expect.poll(() => heldBytes(gateway)).toBe(0);
  },
);
