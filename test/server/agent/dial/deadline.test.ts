// Dial tests that would take too long must end at their deadline and return a result.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { debugDial } from "../../../../server/agent/dial/dial.ts";
import { createNetwork } from "../../../../server/agent/dial/networks.ts";

/** A server that accepts connections and sends nothing. */
const silent = createServer((socket) => void socket.on("error", () => {}));
/** A server that answers every HTTP request with 200 and an empty body. */
const polite = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
});
const hostOf = (server: typeof silent) => `127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeAll(async () => {
  for (const server of [silent, polite]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
});
afterAll(() => {
  for (const server of [silent, polite]) server.close();
});

const isOk = [{ status_code: [{ is: "200" }] }];

async function dial(task_type: string, task: object) {
  const { status, error_msg, fields } = await debugDial(
    { task_type, task },
    {
      network: createNetwork({ check: false, cidrs: [] }),
      checksHosts: false,
      userAgent: "test",
      longestMs: 100,
      signal: new AbortController().signal,
      runScript: (_script, _text, signal) =>
        new Promise((_resolve, reject) => {
          const end = () => reject(new Error("ended"));
          if (signal.aborted) end();
          else signal.addEventListener("abort", end);
        }),
    },
  );
  return { outcome: [status, error_msg], fields: fields as Readonly<Record<string, unknown>> };
}

const late = ["fail", "timeout after 100ms"];

it.each<[type: string, task: () => object]>([
  ["http", () => ({ url: `http://${hostOf(silent)}/`, success_when: isOk })],
  ["tcp", () => ({ host: "127.0.0.1", port: hostOf(silent).split(":")[1], message: "x", success_when: [{}] })],
  ["websocket", () => ({ url: `ws://${hostOf(silent)}/`, message: "x", success_when: [{}] })],
  ["multi", () => ({ steps: [{ type: "http", task: `{"url":"http://${hostOf(silent)}/","post_script":"x = 1"}` }] })],
])("a %s test ends at the deadline when the other side sends nothing", async (type, task) => {
  expect((await dial(type, task())).outcome).toEqual(late);
});

it("a test of several steps ends at the deadline, even when a step waits, is retried or may fail", async () => {
  const task = (server: typeof silent) => JSON.stringify({ url: `http://${hostOf(server)}/`, success_when: isOk });
  const wait = { type: "wait", value: 180 };
  const waited = await dial("multi", { steps: [{ type: "http", task: task(polite) }, wait] });
  expect(waited.outcome).toEqual(late);
  const steps = [
    { type: "http", task: task(silent), allow_failure: true, retry: { retry: 5, interval: 5000 } },
    { type: "http", task: task(polite) },
  ];
  const tried = await dial("multi", { steps });
  expect([tried.outcome, tried.fields.last_step]).toEqual([late, 0]);
});

it("a post script that runs too long ends at the deadline", async () => {
  const { outcome } = await dial("http", { url: `http://${hostOf(polite)}/`, post_script: "for ;; {}" });
  expect(outcome).toEqual(["fail", "run pipeline failed: timeout after 100ms"]);
});

it("a ping and a traceroute that run too long end at the deadline", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["ping", "traceroute"]) {
    writeFileSync(path.join(folder, name), "#!/bin/sh\nread -r line\n");
    chmodSync(path.join(folder, name), 0o755);
  }
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { outcome, fields } = await dial("icmp", {
    host: "127.0.0.1",
    success_when: [{ hops: [{ op: "lt", target: 9 }] }],
  });
  expect(outcome).toEqual(["fail", "ping: timeout after 100ms"]);
  expect(fields.traceroute_error).toBe("traceroute: timeout after 100ms");
});
