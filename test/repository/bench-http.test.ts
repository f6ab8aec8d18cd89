// Runs `npm run bench:http` briefly: it must count the accepted points and name the servers that it left out.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { residentBytesOf } from "../bench/http/process-use.ts";

const bench = fileURLToPath(new URL("../../dist/test/bench/http/main.js", import.meta.url));

it("measures the agent, and names the servers that are not installed", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-bench-test-"));
  const json = path.join(folder, "rows.json");
  const args = [
    bench,
    "--seconds",
    "0.3",
    "--rounds",
    "1",
    "--warmup",
    "0.2",
    "--points",
    "100",
    "--connections",
    "2",
    "--memory-points",
    "1000",
    "--json",
    json,
  ];
  const child = spawn(process.execPath, args, { env: { ...process.env, PATH: folder } });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  const rows = JSON.parse(readFileSync(json, "utf8"));
  const processes = `x${Math.max(2, availableParallelism())}`;
  const targets = [
    "node:http",
    "millrace fdatasync",
    "millrace os",
    "millrace os gzip",
    `millrace os ${processes}`,
    `millrace os gzip ${processes}`,
  ];
  expect(rows.map((row: { target: string }) => row.target)).toEqual([...targets, ...targets]);
  for (const row of rows) {
    expect(row.refused).toBe(0);
    expect(row.points).toBe(row.accepted * row.pointsPerBody);
    expect(row.points).toBeGreaterThan(0);
    expect(row.p99).toBeGreaterThanOrEqual(row.p50);
  }
  expect(rows.at(-1).points).toBeGreaterThanOrEqual(1000);
  if (process.platform === "linux") expect(rows.at(-1).residentBytes).toBeGreaterThan(50 * 1024 ** 2);
  expect(out).toMatch(/^target +points\/body +conn +points\/s/m);
  expect(out).toMatch(/^victoria-metrics left out: .*not installed/m);
  expect(out).toMatch(/^influxdb left out: .*not installed/m);
});

it.skipIf(process.platform !== "linux")("adds up the memory of a process and its children", async () => {
  const wait = "setInterval(() => {}, 1000)";
  const own = `process.stdout.write("ready"); ${wait}`;
  const parentOf = (code: string) =>
    `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(code)}], { stdio: "inherit" }); ${wait}`;
  const memoryOf = async (code: string) => {
    const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"], detached: true });
    await once(child.stdout, "data");
    const bytes = residentBytesOf(child.pid!)!;
    process.kill(-child.pid!, "SIGKILL");
    return bytes;
  };
  const [alone, both] = [await memoryOf(own), await memoryOf(parentOf(own))];
  expect(alone).toBeGreaterThan(20 * 1024 ** 2);
  expect(both).toBeGreaterThan(1.5 * alone);
});
