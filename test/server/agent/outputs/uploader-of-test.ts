// Makes an uploader (the part of the agent that sends queued points to gateways), with one gateway or more. The test
// decides the answers of the gateways and sees the requests that they receive.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Gateway, GatewayAnswer, GatewayCall } from "../../../../server/agent/outputs/gateways.ts";
import type { Output } from "../../../../server/agent/outputs/output.ts";
import { createUploader, type UploaderOptions } from "../../../../server/agent/outputs/uploader.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

export const taken: GatewayAnswer = {
  status: 200,
  contentType: "",
  retryAfterMs: undefined,
  bytes: new Uint8Array(0),
  date: "",
  closes: false,
  isSent: false,
};
const quietLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, isDebug: false };

export interface Uploader {
  readonly output: Output;
  readonly calls: readonly GatewayCall[];
}

export async function uploaderOfTest(
  options: Pick<UploaderOptions, "gzip" | "spareTime"> & Partial<UploaderOptions>,
  answer: () => Promise<GatewayAnswer> = () => Promise.resolve(taken),
  gatewayCount = 1,
): Promise<Uploader> {
  const calls: GatewayCall[] = [];
  const gatewayAt = (at: number): Gateway => ({
    origin: `http://gateway${at}`,
    token: "",
    note: () => {},
    isOpen: false,
    successes: 0,
    call: (call) => {
      calls.push(call);
      return answer();
    },
  });
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-uploader-"));
  const output = await createUploader({
    gateways: {
      all: Array.from({ length: gatewayCount }, (_, at) => gatewayAt(at)),
      uploadsInFlight: 4,
      close: () => Promise.resolve(),
    },
    mode: "failover",
    retryDelayMs: 1,
    form: "lp",
    maxBodyBytes: 1024 * 1024,
    enoughPoints: 1,
    maxAgeMs: 0,
    folder,
    queueBytes: 64 * 1024 * 1024,
    sync: "os",
    full: "refuse",
    host: "here",
    log: quietLog,
    metrics: createMetrics(),
    ...options,
  });
  onTestFinished(async () => {
    await output.close();
    rmSync(folder, { recursive: true });
  });
  return { output, calls };
}
