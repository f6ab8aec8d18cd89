// Runs `npm run bench:gateway` briefly: everything that the benchmark sends must arrive.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const bench = fileURLToPath(new URL("../../dist/test/bench/gateway/main.js", import.meta.url));

it("compares direct requests with gateways of 10, 100 and 1,000 rules", async () => {
  const json = path.join(mkdtempSync(path.join(tmpdir(), "millrace-bench-test-")), "rows.json");
  const args = [bench, "--rounds", "1", "--seconds", "0.2", "--connections", "2", "--json", json];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  const rows = JSON.parse(readFileSync(json, "utf8"));
  expect(rows.map((row: { way: string }) => row.way)).toEqual([
    "straight",
    "gateway, 10 rules",
    "gateway, 100 rules",
    "gateway, 1000 rules",
  ]);
  for (const row of rows) {
    expect(row.refused).toBe(0);
    expect(row.requestsPerSecond).toBeGreaterThan(0);
    expect(row.p99).toBeGreaterThanOrEqual(row.p50);
  }
  expect(out).toMatch(/^way +conn +requests\/s +p50 ms +p99 ms +added p50 +added p99/m);
});
