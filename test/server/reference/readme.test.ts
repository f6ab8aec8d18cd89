// Runs the commands of the README unchanged, except for the ports, against the services that `millrace start` starts.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { addressOf, folder, run } from "../support/running-platform.ts";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

it("the line that the README sends is counted under its status code", async () => {
  const running = await run({
    command: "start",
    dataDir: folder(),
    args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"],
    service: ["platform", "agent"],
  });
  const { host } = new URL(addressOf("agent", running.out()));
  const [, block] = /Then, in another shell:\n\n```sh\n(.*?)^```$/ms.exec(readme)!;
  // The README sends a line, waits a fixed time, and then queries. Instead of waiting, the test repeats the query until
  // the answer contains the line.
  const [send, ask] = block!.replaceAll("localhost:9529", host).split(/^sleep .*\n/m);
  const shell = (script: string) => spawnSync("bash", ["-euc", script], { encoding: "utf8" });
  expect(shell(send!)).toMatchObject({ status: 0, stdout: "" });
  await expect.poll(() => shell(ask!).stdout).toContain('"tags":{"status_code":"404"}');
});
