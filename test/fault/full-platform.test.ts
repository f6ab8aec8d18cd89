// A platform on a real volume of 60 MB: it takes what fits, refuses the rest with 503 and Retry-After, says so once in its log and at /readyz, and
// takes points again by itself when there is room. Only root may mount a volume: elsewhere these tests are skipped.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { send } from "../server/support/running-agent.ts";
import { ask, platform } from "../server/support/running-platform.ts";
import { canMount } from "./volume.ts";

function volume(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-volume-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=60m", "tmpfs", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const now = Date.now();
const perBody = 2000;

it.skipIf(!canMount)(
  "takes more points than a log of them would fit on its disk, refuses while the disk is full, and recovers",
  {
    timeout: 300_000,
  },
  async () => {
    const folder = volume();
    const running = await platform(path.join(folder, "data"));
    let number = 0;
    let acknowledged = 0;
    const put = async () => {
      const lines = Array.from(
        { length: perBody },
        () => `full,host=h${number % 7} n=${number++}i,text="${"x".repeat(200)} ${number}" ${now}`,
      );
      const answer = await send(`${running.url}/v1/write/logging?token=${running.token}&precision=ms`, {
        body: lines.join("\n"),
      });
      if (answer.status === 200) acknowledged += perBody;
      return answer;
    };
    // 250 bytes a point: the log of all of them would take twice the disk.
    while (acknowledged < 500_000) expect((await put()).status).toBe(200);

    const filler = path.join(folder, "filler");
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    let refused = await put();
    for (let round = 0; round < 50 && refused.status === 200; round++) refused = await put();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    for (let round = 0; round < 5; round++) await put();
    const ready = await send(`${running.url}/readyz`);
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining("the points store does not take points")]);
    const told = () =>
      running
        .log()
        .split("\n")
        .filter((line) => line.includes("cannot take points")).length;
    expect(told()).toBe(1);

    rmSync(filler);
    // Nobody writes meanwhile.
    await expect.poll(async () => (await send(`${running.url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    expect((await put()).status).toBe(200);
    expect(running.log()).toContain("the points store takes points again");
    const { series } = await ask(running.url, "L::full:(count(n)) [1d]", running.token);
    expect(series[0]!.values[0]![1]).toBe(acknowledged);
  },
);
