// `millrace tail`: it prints lines when its output is a pipe, shows a table in a terminal, and can send points to an
// agent.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { displayWidth } from "../../../../server/cli/terminal/display-width.ts";
import { millrace } from "../../support/millrace.ts";
import { program, startAgent } from "../../support/running-agent.ts";
import { hasTerminals, openTerminal } from "../../support/terminal.ts";

const patience = { timeout: 20_000, interval: 50 };

const access = (path: string) =>
  `10.0.0.1 - - [21/Nov/2025:10:00:00 +0000] "GET ${path} HTTP/1.1" 404 12 "-" "curl/8"\n`;

function fileOfTest(text: string, name = "web.log"): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-tail-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/**
 * Runs `millrace tail` with a pipe as its output. Of the returned functions, `lines` and `err` return what the command
 * has printed so far, and `stop` ends the command.
 */
function following(...args: string[]) {
  const child = spawn(process.execPath, [program, "tail", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  return {
    lines: () => out.split("\n").slice(0, -1),
    err: () => err,
    stop: async () => {
      child.kill("SIGTERM");
      return (await once(child, "close"))[0] as number;
    },
  };
}

it("shows the last lines with the fields that the chosen script extracts", async () => {
  const file = fileOfTest(["/a", "/b", "/c"].map(access).join(""));
  const { code, out, err } = await millrace(["tail", "--once", "-n", "2", file]);
  expect(code).toBe(0);
  expect(err).toBe("script nginx: it fits 3 of the first 3 lines\n");
  const lines = out.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^2025-11-21T10:00:00Z warning client_ip=10\.0\.0\.1 .*http_url=\/b .*status_code=404 bytes=12/,
  );
});

it.each<[lines: string, count: number]>([
  ["0", 0],
  ["1", 1],
  ["3", 3],
  ["100", 4],
  ["all", 4],
])("begins with the last lines that --lines %s asks for", async (lines, count) => {
  const file = fileOfTest(`${["/a", "/b", "/c"].map(access).join("")}${access("/without-an-end").trimEnd()}`);
  const { out } = await millrace(["tail", "--once", "--lines", lines, file]);
  expect(out.split("\n").filter((line) => line.includes("client_ip")).length).toBe(count);
});

it("writes points as JSON with --json, using the script given by --script", async () => {
  const file = fileOfTest("7 apples\n");
  const script = fileOfTest('grok(_, "%{INT:count:int} %{WORD:what}")', "fruit.p");
  const { out, err } = await millrace(["tail", "--once", "--json", "--script", script, file]);
  expect(err).toBe("script fruit\n");
  expect(JSON.parse(out)).toMatchObject({ measurement: "fruit", fields: { count: 7, what: "apples" } });
});

it("follows a file that grows, is renamed, and is emptied", async () => {
  const file = fileOfTest("one\n");
  const { lines, stop } = following(file);
  const texts = () => lines().map((line) => line.split(" ").slice(2).join(" "));
  await expect.poll(texts, patience).toEqual(["one"]);
  appendFileSync(file, "tw");
  appendFileSync(file, "o\n");
  await expect.poll(texts, patience).toEqual(["one", "two"]);
  renameSync(file, `${file}.1`);
  appendFileSync(`${file}.1`, "rest\n");
  writeFileSync(file, "new\n");
  await expect.poll(texts, patience).toEqual(["one", "two", "rest", "new"]);
  truncateSync(file);
  await new Promise((resolve) => setTimeout(resolve, 600));
  appendFileSync(file, "x\n");
  await expect.poll(texts, patience).toEqual(["one", "two", "rest", "new", "x"]);
  expect(await stop()).toBe(0);
});

it("escapes control characters", async () => {
  const { out } = await millrace(["tail", "--once", fileOfTest("a\x1b[2J\u009bb\u202ec\n")]);
  expect(out).toContain("a\\x1b[2J\\x9bb\\u202ec");
});

it("sends the shown points to the agent given by --to", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  const file = fileOfTest(["/a", "/b"].map(access).join(""));
  const { code } = await millrace(["tail", "--once", "--to", agent.url, file]);
  expect(code).toBe(0);
  const lines = await agent.output("logging");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^nginx,host=.*http_url="\/b".*status_code=404i.* 1763719200000000000$/);
});

it.each<[args: string[], message: RegExp]>([
  [[], /^Usage: millrace tail/],
  [["/nowhere/a.log"], /^there is no file \/nowhere\/a\.log/],
  [[tmpdir()], / is no file/],
  [["--lines", "x", "a"], /^--lines: x is neither a number nor all/],
  [["--to", "nowhere", "a"], /^nowhere is no URL/],
  [["--script", "nothing", program], /^there is no file nothing\.p/],
])("reports the mistake in %j", async (args, message) => {
  const { code, err } = await millrace(["tail", ...args]);
  expect(code).not.toBe(0);
  expect(err).toMatch(message);
});

describe.skipIf(!hasTerminals)("in a terminal", () => {
  it("shows a growing table that fits the terminal, and ends at the key q", async () => {
    const file = fileOfTest(access("/a"));
    const terminal = await openTerminal(["tail", file], 100, 20);
    await expect.poll(() => terminal.rows().join("\n"), patience).toMatch(/404/);
    const rows = terminal.rows();
    expect(rows[0]).toMatch(/^web\.log {2}script nginx: it fits 1 of the first 1 line/);
    expect(rows[1]).toMatch(/^time +status +client_ip/);
    expect(rows[2]).toMatch(/^10:00:00 +warning +10\.0\.0\.1/);
    appendFileSync(file, Array.from({ length: 40 }, (_, at) => access(`/\x1b[2J${at}`)).join(""));
    await expect.poll(() => terminal.rows().at(-1), patience).toMatch(/41 lines/);
    for (const row of terminal.rows()) expect(displayWidth(row), row).toBeLessThanOrEqual(100);
    expect(terminal.rows()).toHaveLength(20);
    terminal.type("q");
    expect(await terminal.ended()).toEqual({ code: 0, isAsBefore: true });
  });
});
