// The input stdin in a real agent: lines written to standard input arrive as logs, and the agent ends when standard
// input ends.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "../../../support/recording-gateway.ts";
import { program } from "../../../support/running-agent.ts";

const patience = { timeout: 20_000, interval: 50 };

interface Running {
  readonly child: ChildProcess;
  readonly dataDir: string;
  log(): string;
  /** Resolves with the agent's exit code when the agent has ended. */
  readonly ended: Promise<number | null>;
  messages(): string[];
}

/** Starts an agent with `--stdin`. Standard input is a pipe, or the file `input`. */
function startWith(options: { config?: string; args?: readonly string[]; input?: string } = {}): Running {
  const { config = "", args = ["--stdin", "--source", "web"], input } = options;
  const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-stdin-"));
  const file = path.join(dataDir, "agent.toml");
  writeFileSync(file, config);
  const child = spawn(
    process.execPath,
    [program, "agent", "--listen", "127.0.0.1:0", "--data-dir", dataDir, "--config", file, ...args],
    {
      stdio: [input === undefined ? "pipe" : openSync(input, "r"), "pipe", "pipe"],
      env: { ...process.env, ENV_RELOAD_INTERVAL: "1ms" },
    },
  );
  let log = "";
  child.stderr!.on("data", (chunk) => {
    log += chunk;
  });
  child.stdout!.resume();
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  const output = path.join(dataDir, "output/logging.lp");
  return {
    child,
    dataDir,
    log: () => log,
    ended,
    messages: () => {
      const text = existsSync(output) ? readFileSync(output, "utf8") : "";
      return Array.from(text.matchAll(/^web,.*? message="((?:[^"\\]|\\.)*)"/gms), ([, message]) => message!);
    },
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`);

it("turns each line into a log as it arrives, and ends when the input ends", async () => {
  const { child, messages, ended, log } = startWith();
  child.stdin!.write("one\r\n\ntw");
  await expect.poll(messages, patience).toEqual(["one"]);
  child.stdin!.write("o\nthe last one has no end");
  await expect.poll(messages, patience).toEqual(["one", "two"]);
  child.stdin!.end();
  expect(await ended).toBe(0);
  expect(messages()).toEqual(["one", "two", "the last one has no end"]);
  expect(log()).toContain("stdin: the input has ended, and all of it is in the queue");
});

it("reads a file that is larger than one write to its end, with the script of its source", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-stdin-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const input = path.join(folder, "access.log");
  const line = '10.0.0.1 - - [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 404 12 "-" "curl/8"';
  writeFileSync(input, `${line}\n`.repeat(30_000));
  const { ended, dataDir } = startWith({ input, args: ["--stdin", "--source", "nginx"] });
  expect(await ended).toBe(0);
  const lines = readFileSync(path.join(dataDir, "output/logging.lp"), "utf8").trimEnd().split("\n");
  expect(lines.length).toBe(30_000);
  expect(lines.every((each) => each.startsWith("nginx,") && each.includes("status_code=404i"))).toBe(true);
});

it("applies the settings of [inputs.stdin]: multiline events, tags, the longest event", async () => {
  const config = `[inputs.stdin]
enable = true
source = "web"
multiline_start = "^\\\\d"
multiline_timeout = "300ms"
max_line_bytes = 1024
[inputs.stdin.tags]
team = "x"`;
  const { child, messages, ended, log, dataDir } = startWith({ config, args: [] });
  child.stdin!.write("1 a\n at b\n2 c\n at d\n");
  // After some time without new lines, the agent takes the last event as complete, although lines that continue the
  // event could still follow.
  await expect.poll(messages, patience).toEqual(["1 a\n at b", "2 c\n at d"]);
  child.stdin!.end(`3 ${"e".repeat(5000)}\n4 f\n`);
  expect(await ended).toBe(0);
  expect(messages().slice(2)).toEqual([`3 ${"e".repeat(1022)}`, "4 f"]);
  expect(log()).toContain("stdin: an event of more than 1024 bytes (max_line_bytes) is cut");
  expect(readFileSync(path.join(dataDir, "output/logging.lp"), "utf8")).toMatch(/^web,team=x,host=[^, ]+ /);
});

it("loses nothing over reloads, not even a part of a half-written line", { timeout: 60_000 }, async () => {
  const { child, messages, ended, log } = startWith();
  await expect.poll(log, patience).toBe("");
  child.stdin!.write("line 0\n");
  await expect.poll(messages, patience).toHaveLength(1);
  const reloads = () => log().split("configuration reloaded").length - 1;
  let written = 1;
  for (let round = 1; round <= 3; round++) {
    child.kill("SIGHUP");
    do {
      child.stdin!.write("line ");
      await new Promise((resolve) => setTimeout(resolve, 5));
      child.stdin!.write(`${written++}\n`);
    } while (reloads() < round);
  }
  child.stdin!.end();
  expect(await ended).toBe(0);
  expect(messages()).toEqual(numbered(written));
});

it("reads no faster than the queue accepts, and ends when all lines are in the queue", {
  timeout: 90_000,
}, async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  gateway.behave(503);
  const config = `[gateway]\nurls = ["${gateway.url}?token=tkn_0123456789abcdef"]\nretry_delay = "100ms"\n[gateway.wal]\nmax_capacity_gb = 0.002\n`;
  const { child, ended, log } = startWith({ config });
  const total = 60_000;
  let written = 0;
  const writing = (async () => {
    for (; written < total; written++) {
      const line = `${written} ${randomBytes(100).toString("hex")}\n`;
      if (!child.stdin!.write(line)) await once(child.stdin!, "drain");
    }
    child.stdin!.end();
  })();
  await expect.poll(log, { ...patience, timeout: 60_000 }).toContain("stdin: events wait until the agent takes them");
  expect(written).toBeLessThan(total);
  gateway.behave(200);
  await writing;
  expect(await ended).toBe(0);
});

it("refuses --source without --stdin", async () => {
  const { ended, log } = startWith({ args: ["--source", "web"] });
  expect(await ended).not.toBe(0);
  expect(log()).toContain("--source: needs --stdin");
});
