import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { prepareService } from "../../../server/cli/read-config.ts";
import { createLogFile } from "../../../server/telemetry/log-file.ts";
import { startAgent } from "../support/running-agent.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Makes every attempt to rename `file` fail with EBUSY until the returned function is called. On Windows, renaming a
 * file fails with this error while another program has the file open.
 */
function hold(file: string): () => void {
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    if (from === file) throw Object.assign(new Error(`EBUSY: ${file}`), { code: "EBUSY" });
    renameSync(from, to);
  };
  const release = () => {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  };
  syncBuiltinESMExports();
  onTestFinished(release);
  return release;
}

describe("a log file", () => {
  const logIn = (folder: string, backups: number) => {
    const file = path.join(folder, "below", "agent.log");
    const instead: string[] = [];
    const write = createLogFile({ file, maxBytes: 10, backups, instead: (line) => instead.push(line) });
    const kept = () =>
      Object.fromEntries(
        readdirSync(path.dirname(file))
          .sort()
          .map((name) => [name, readFileSync(path.join(path.dirname(file), name), "utf8")]),
      );
    return { file, write, kept, instead };
  };

  it("is renamed to .1 when it is full, .1 becomes .2, and the oldest file is deleted", () => {
    const { write, kept } = logIn(folderOfTest(), 2);
    for (const line of ["one\n", "two\n", "three\n", "a line that is longer\n", "four\n", "5\n"]) write(line);
    expect(kept()).toEqual({
      "agent.log": "four\n5\n",
      "agent.log.1": "a line that is longer\n",
      "agent.log.2": "three\n",
    });
  });

  it("starts empty again when no backups are kept, and continues the file of an earlier process", () => {
    const { file, write, kept } = logIn(folderOfTest(), 0);
    mkdirSync(path.dirname(file));
    writeFileSync(file, "before\n");
    write("1\n");
    expect(kept()).toEqual({ "agent.log": "before\n1\n" });
    write("three\n");
    expect(kept()).toEqual({ "agent.log": "three\n" });
  });

  it("is created again after it was moved away", () => {
    const { file, write } = logIn(folderOfTest(), 1);
    write("one\n");
    rmSync(file);
    write("two\n");
    expect(readFileSync(file, "utf8")).toBe("two\n");
  });

  it("that cannot be renamed loses no backup, and is renamed as soon as this is possible", () => {
    const { file, write, kept, instead } = logIn(folderOfTest(), 3);
    for (const line of ["line one\n", "line two\n", "line three\n"]) write(line);
    const release = hold(file);
    for (const line of ["four\n", "five\n", "six\n", "seven\n"]) write(line);
    expect(kept()).toEqual({
      "agent.log": "line three\n",
      "agent.log.2": "line two\n",
      "agent.log.3": "line one\n",
    });
    expect(instead).toEqual([
      `the log cannot be written: EBUSY: ${file}; it goes on here\n`,
      ...["four\n", "five\n", "six\n", "seven\n"],
    ]);
    release();
    write("line eight\n");
    expect(kept()).toEqual({
      "agent.log": "line eight\n",
      "agent.log.1": "line three\n",
      "agent.log.2": "line two\n",
      "agent.log.3": "line one\n",
    });
  });

  it("that cannot be written loses no line: lines go elsewhere, with the reason once", () => {
    const { file, write, instead } = logIn(folderOfTest(), 1);
    writeFileSync(path.dirname(file), "a file");
    write("one\n");
    write("two\n");
    expect(instead).toEqual([
      expect.stringMatching(/^the log cannot be written: .*; it goes on here\n$/),
      "one\n",
      "two\n",
    ]);
    rmSync(path.dirname(file));
    write("three\n");
    expect([readFileSync(file, "utf8"), instead.length]).toEqual(["three\n", 3]);
  });
});

describe("[logging] log", () => {
  it("is rotated at the configured size, with the configured number of backups", () => {
    const folder = folderOfTest();
    const file = path.join(folder, "agent.log");
    const configFile = path.join(folder, "agent.toml");
    const linesIn = () =>
      readdirSync(folder)
        .filter((name) => name.startsWith("agent.log"))
        .sort()
        .map((name) => [name, readFileSync(path.join(folder, name), "utf8").split("\n").length - 1]);
    const write = (count: number, settings: string) => {
      writeFileSync(configFile, `[logging]\nlog = ${JSON.stringify(file)}\n${settings}`);
      const { log } = prepareService({ configFile, flags: {}, check: () => {} });
      for (let at = 0; at < count; at++) log.info("x".repeat(60_000));
    };
    // The log cuts each text to 1 KiB. With its other members, a line has 1,081 bytes and a newline. So 969 lines fill
    // 1 MiB, and 1,938 lines fill 2 MiB.
    write(3 * 969 + 5, "rotate = 1\nrotate_backups = 2");
    const backups = [
      ["agent.log.1", 969],
      ["agent.log.2", 969],
    ];
    expect(linesIn()).toEqual([["agent.log", 5], ...backups]);
    write(1938 - 5, "rotate = 2\nrotate_backups = 0");
    expect(linesIn()).toEqual([["agent.log", 1938], ...backups]);
    write(1, "rotate = 2\nrotate_backups = 0");
    expect(linesIn()).toEqual([["agent.log", 1], ...backups]);
  });

  it("can be a file, standard output or standard error", async () => {
    const folder = folderOfTest();
    const file = path.join(folder, "agent.log");
    const agent = await startAgent({ config: `[logging]\nlog = ${JSON.stringify(file)}\nlevel = "debug"` });
    await agent.send("/v1/write/metric", { body: "no point" });
    // The agent logs a request after its answer, so the client may have the answer before the line is in the file.
    await expect
      .poll(() => readFileSync(file, "utf8"))
      .toMatch(
        /WARN write metric: agent\.invalidLinePoint: .*\n.*DEBUG 127\.0\.0\.1:\d+ POST \/v1\/write\/metric 400 /s,
      );
    expect(agent.log()).toBe("");
    await agent.stop();
    const loud = await startAgent();
    await loud.send("/v1/write/metric", { body: "no point" });
    await expect.poll(() => loud.log()).toMatch(/WARN write metric: agent\.invalidLinePoint/);
    await loud.stop();
    expect(existsSync(file)).toBe(true);
  });
});
