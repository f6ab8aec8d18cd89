// A fatal error of the database ends the store's thread. A new thread then serves all points that were stored. The text
// of a query or point cannot be mistaken for such an error.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFatal } from "../../../server/store/without-paths.ts";
import { ask, folder, platform, type Running, write } from "../support/running-platform.ts";

it("recognizes a fatal error of DuckDB, and every error after it", async () => {
  const instance = await DuckDBInstance.create(path.join(folder(), "own.db"), {
    debug_checkpoint_abort: "before_header",
  });
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  const failure = (statement: string) =>
    connection.run(statement).then(
      () => "",
      (error: Error) => error.message,
    );
  const text = "'FATAL Error: database has been invalidated'";
  expect(isFatal(await failure(`SELECT CAST(${text} AS INTEGER)`))).toBe(false);
  expect(isFatal(await failure(`SELECT error(${text})`))).toBe(false);
  await connection.run("CREATE TABLE t AS SELECT 1 AS a");
  const messages = [await failure("CHECKPOINT"), await failure("SELECT 1")];
  expect(messages).toEqual([expect.any(String), expect.stringContaining("database has been invalidated")]);
  expect(messages.map(isFatal)).toEqual([true, true]);
});

describe("a platform", () => {
  const preload = new URL("./fatal.mjs", import.meta.url).href;
  const trigger = (dataDir: string) => path.join(dataDir, "fatal");
  const started = (dataDir: string) =>
    platform(dataDir, { NODE_OPTIONS: `--import=${preload}`, MILLRACE_FATAL: trigger(dataDir) });
  const count = async ({ url, token }: Running) => {
    const { status, series } = await ask(url, "M::cpu:(count(v)) [1h]", token);
    return status === 200 ? series[0]!.values[0]![1] : status;
  };
  const ended = (running: Running) => running.log().split("the points store ended with 1").length - 1;

  it.each([
    ["query", async (running: Running) => [await count(running), 500]],
    ["write", async ({ url, token }: Running) => [(await write(url, token, "cpu v=3i")).status, 503]],
  ])("restarts its store after a fatal error in a %s, and keeps every point", async (_job, fail) => {
    const dataDir = folder();
    const running = await started(dataDir);
    expect((await write(running.url, running.token, "cpu v=1i")).status).toBe(200);
    expect(await count(running)).toBe(1);
    writeFileSync(trigger(dataDir), "");
    const [status, expected] = await fail(running);
    expect(status).toBe(expected);
    await expect.poll(() => ended(running)).toBe(1);
    await expect.poll(() => count(running), { timeout: 10_000 }).toBe(1);
    expect((await write(running.url, running.token, "cpu v=2i")).status).toBe(200);
    expect(await count(running)).toBe(2);
    expect(ended(running)).toBe(1);
  });
});
