// Runs `npm run bench:inputs` briefly: all lines that the benchmark sends must arrive, and its output must name
// the programs that are not installed.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const bench = fileURLToPath(new URL("../../dist/test/bench/inputs/main.js", import.meta.url));

it("measures files and syslog, and names the programs that are not installed", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-bench-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const json = path.join(folder, "figures.json");
  const few = { mb: "1", rounds: "1", files: "10", lines: "5", "idle-files": "0", rates: "200", seconds: "1" };
  const args = [bench, ...Object.entries({ ...few, json }).flatMap(([name, value]) => [`--${name}`, value])];
  const child = spawn(process.execPath, args, { env: { ...process.env, PATH: folder } });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  expect(out).toContain("rsyslog left out");
  expect(out).toContain("syslog-ng left out");
  expect(JSON.parse(readFileSync(json, "utf8"))).toMatchObject({
    tail: [{ name: "millrace", megabytes: expect.closeTo(1, 1), megabytesPerSecond: expect.any(Number) }],
    latency: { files: 10, lines: 5, p99Ms: expect.any(Number) },
    syslog: [{ name: "millrace", perSecond: expect.any(Number) }],
  });
});
