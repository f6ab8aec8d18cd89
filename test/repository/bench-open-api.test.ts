// Runs `npm run bench:open-api` briefly: every request that the benchmark sends must be answered.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const bench = fileURLToPath(new URL("../../dist/test/bench/open-api/main.js", import.meta.url));

it("compares get and list with a bare Fastify that answers the same bytes", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-bench-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const json = path.join(folder, "rows.json");
  const args = [
    bench,
    "--dashboards",
    "120",
    "--rounds",
    "1",
    "--seconds",
    "0.2",
    "--connections",
    "2",
    "--json",
    json,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  const rows = JSON.parse(readFileSync(json, "utf8"));
  expect(rows.map(({ request, server }: { request: string; server: string }) => `${request}: ${server}`)).toEqual(
    ["get", "list, first page of 10", "list, first page of 100", "list, last page of 10", "list, search"].flatMap(
      (request) => [`${request}: millrace`, `${request}: bare Fastify`],
    ),
  );
  for (const row of rows) {
    expect(row.refused).toBe(0);
    expect(row.requestsPerSecond).toBeGreaterThan(0);
  }
  expect(out).toMatch(/^120 dashboards\nrequest +server +conn +requests\/s +p50 ms +p99 ms +of bare +refused\n/);
});
