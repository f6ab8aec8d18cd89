// The memory that an agent takes while it has nothing to do, the limit of its memory for new objects, and the code that
// it loads at start. The tests run the published package.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../server/support/running-agent.ts";
import { repository } from "./install.ts";

const isLinux = process.platform === "linux";
const server = path.join(repository, "dist/server");

/** Returns the resident memory of a process in MB (10^6 bytes). */
function residentMb(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1];
  return (Number(kibibytes) * 1024) / 1e6;
}

function nodeThatWaits(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => {
    child.kill();
  });
  return child;
}

/** Returns the files that a module imports directly or through other modules, not counting dynamic imports. */
function filesOf(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const imports = readFileSync(entry, "utf8").matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"(\..+?)";$/gm);
  for (const [, target] of imports) filesOf(path.join(path.dirname(entry), target!), seen);
  return seen;
}

// An agent takes about 30 MB more than Node itself, which takes 41 MB on Linux with Node 20. If it started a worker
// thread and loaded the script language at once, it would take 100 MB more.
it.runIf(isLinux)(
  "an idle agent takes at most 50 MB more than a program that only waits",
  { timeout: 60_000 },
  async () => {
    const bare = nodeThatWaits();
    const agent = await startAgent();
    onTestFinished(() => agent.stop());
    await wait(10_000);
    expect(residentMb(agent.pid) - residentMb(bare.pid!)).toBeLessThan(50);
  },
);

// In this test an agent decodes many points and is then idle. If it kept its threads and the garbage of the last bodies
// in memory, it would take 200 MB more than Node itself.
it.runIf(isLinux)(
  "an agent ends a worker thread after a busy time, and then takes at most 150 MB more than bare Node",
  { timeout: 120_000 },
  async () => {
    const bare = nodeThatWaits();
    const agent = await startAgent({ config: "[http_api]\nrequest_rate_limit = 0\nworkers = 2\n" });
    onTestFinished(() => agent.stop());
    const threads = () => readdirSync(`/proc/${agent.pid}/task`).length;
    const body = Array.from({ length: 1000 }, (_, at) => `cpu,host=h${at % 50},core=${at % 8} user=${at}.5,sys=${at}i`);
    let left = 800;
    const client = async () => {
      while (left-- > 0)
        expect((await agent.send("/v1/write/metric", { body: `${body.join("\n")} ${left}` })).status).toBe(200);
    };
    await Promise.all(Array.from({ length: 16 }, client));
    const busy = threads();
    const patience = { timeout: 40_000, interval: 500 };
    await expect.poll(threads, patience).toBeLessThan(busy);
    await expect.poll(() => residentMb(agent.pid) - residentMb(bare.pid!), patience).toBeLessThan(150);
  },
);

/**
 * Runs a program and returns the largest size in MiB that the young generation of V8's heap (both halves) has in
 * it. The program first runs the code `prepare`, in which `heap` is the module http/heap.js of the server. Then
 * the program makes objects that survive several collections. In each turn of the event loop, it makes far fewer
 * objects than fit into the young generation, because Node reports a collection only some turns later.
 */
function youngMebibytes(prepare: string): number {
  const program = `
    const heap = await import(${JSON.stringify(pathToFileURL(path.join(server, "http/heap.js")).href)});
    const { getHeapSpaceStatistics } = await import("node:v8");
    ${prepare}
    let kept = [];
    let most = 0;
    for (let turn = 0; turn < 8000; turn++) {
      for (let i = 0; i < 1000; i++) kept.push({ i, list: [i] });
      if (kept.length > 200_000) kept = [];
      await new Promise(setImmediate);
      const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
      most = Math.max(most, young.space_size);
    }
    console.log(most / 1024 / 1024);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
}

it("the young generation of the main thread stays at 2 MiB at the start, and later at most at 8 MiB", () => {
  expect(youngMebibytes("")).toBeGreaterThan(8);
  expect(youngMebibytes("heap.keepHeapsSmall();")).toBe(2);
  expect(youngMebibytes("heap.keepHeapsSmall(); heap.limitYoungGeneration();")).toBe(8);
});

it("an agent loads less than 1.2 MB of code before it can take writes", () => {
  const main = readFileSync(path.join(server, "main.js"), "utf8");
  const entry = /import\("(\.\/joined\/agent-[^"]+)"\)/.exec(main)![1]!;
  const texts = [...filesOf(path.join(server, entry))].map((file) => readFileSync(file, "utf8"));
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(1_200_000);
  // V8 stores a text in one byte per character if all characters are in Latin-1. A single character outside
  // Latin-1 would double the memory that V8 takes for the source text of a JavaScript module. So the built modules
  // may have no such character.
  for (const text of texts) expect(text).not.toMatch(/[^\0-\xff]/);
});
