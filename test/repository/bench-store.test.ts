// Runs `npm run bench:store -- --load NAME` for each load: the benchmark counts exactly and prints a line for each
// figure (measured value). The test does not check goals of time and size, because tiny loads on a busy machine prove
// nothing about them.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { holds, lineOf } from "../bench/store/figures.ts";
import { folder } from "../server/support/running-platform.ts";

const bench = fileURLToPath(new URL("../../dist/test/bench/store/main.js", import.meta.url));

interface Ran {
  readonly code: number | null;
  readonly lines: readonly string[];
}

async function run(args: readonly string[], env = {}): Promise<Ran> {
  const small = ["--scale", "0.001", "--minutes", "0.05", "--quiet-seconds", "0.2"];
  const child = spawn(process.execPath, [bench, ...args, ...small], { env: { ...process.env, ...env } });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, lines: out.split("\n").filter((line) => line !== "") };
}

const ordinaryNames = ["metric, 1 sender", "metric, 12 senders", "logging, 1 sender", "logging, 12 senders"];
/**
 * The figures (measured values) that each load prints. A figure that ends in "goal N: measured N: holds" is an exact
 * count, so it must hold even for tiny loads.
 */
const figures: Readonly<Record<string, readonly string[]>> = {
  wide: [
    "writes not answered with 200: goal 0: measured 0: holds",
    "points taken in a second",
    "SIGTERM to exit",
    "restart to the first answer",
    "points that DQL counts: goal 2000: measured 2000: holds",
    "keys whose count differs: goal 0: measured 0: holds",
    "query of the common field",
    "query of the rare field",
    "resident memory, most",
  ],
  measurements: [
    "writes not answered with 200: goal 0: measured 0: holds",
    "points taken in a second",
    "points that DQL counts: goal 500: measured 500: holds",
    "measurements whose count differs: goal 0: measured 0: holds",
    "query of one measurement",
    "SIGTERM to exit",
    "resident memory, most",
  ],
  workspaces: [
    "writes not answered with 200: goal 0: measured 0: holds",
    "points taken in a second",
    "workspaces whose counts differ: goal 0: measured 0: holds",
    "query of one workspace",
    "SIGTERM to exit",
    "resident memory, most",
    "restart to the first answer",
    "disk of a workspace's points in one file",
    "disk of a workspace beyond them",
  ],
  ordinary: ordinaryNames.flatMap((name) => [
    `${name}: writes not answered with 200: goal 0: measured 0: holds`,
    `${name}: taken`,
    `${name}: processor time until quiet`,
    `${name}: points that DQL counts: goal 1000: measured 1000: holds`,
    `${name}: disk`,
  ]),
};

for (const [load, expected] of Object.entries(figures)) {
  it(`sends the load ${load} and prints a line for each figure`, async () => {
    const { code, lines } = await run(["--load", load]);
    expect(lines.length).toBe(expected.length);
    for (const [at, figure] of expected.entries()) expect(lines[at]).toContain(`${load}: ${figure}`);
    expect(code).toBe(lines.some((line) => line.endsWith("DOES NOT HOLD")) ? 1 : 0);
  });
}

it("compares the samples of a real Prometheus with the store, or reports that none is installed", async () => {
  const isThere = ["prometheus", "prometheus-node-exporter"].every((name) =>
    (process.env.PATH ?? "").split(path.delimiter).some((each) => existsSync(path.join(each, name))),
  );
  const { lines } = await run(["--load", "prometheus"]);
  if (isThere) {
    expect(lines[0]).toBe("prometheus: samples failed: goal 0: measured 0: holds");
    expect(lines[1]).toBe("prometheus: samples dropped: goal 0: measured 0: holds");
    expect(lines.find((line) => line.includes("points in the store"))).toMatch(/goal [1-9]\d*: measured \d+: holds$/);
  } else expect(lines).toEqual([expect.stringMatching(/^prometheus: left out: prometheus.* is not installed/)]);
});

it("leaves the load prometheus out where Prometheus is not installed", async () => {
  expect(await run(["--load", "prometheus"], { PATH: folder() })).toEqual({
    code: 0,
    lines: ["prometheus: left out: prometheus is not installed (Debian: apt-get install prometheus)"],
  });
});

it("refuses an unknown load", async () => {
  expect(await run(["--load", "unknown"])).toEqual({ code: 2, lines: [] });
});

it.each([
  [{ name: "writes", unit: "", measured: 3 }, true, "wide: writes: measured 3"],
  [
    { name: "writes", unit: "", measured: 3, goal: { exactly: 0 } },
    false,
    "wide: writes: goal 0: measured 3: DOES NOT HOLD",
  ],
  [{ name: "exit", unit: "s", measured: 5, goal: { atMost: 5 } }, true, "wide: exit: goal <= 5 s: measured 5 s: holds"],
  [
    { name: "exit", unit: "s", measured: Number.NaN, goal: { atMost: 5 } },
    false,
    "wide: exit: goal <= 5 s: measured NaN s: DOES NOT HOLD",
  ],
])("prints a figure with its goal, its number and whether the goal holds: %j", (figure, expected, line) => {
  expect(holds(figure)).toBe(expected);
  expect(lineOf("wide", figure)).toBe(line);
});
