// A platform on a real volume of 60 MB that becomes full. It stores the points that fit, refuses others with 503 and
// Retry-After, reports the full disk once in its log and at /readyz, and accepts points again when there is room. Only
// root may mount a volume, so the test is skipped for other users.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
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
  "stores more points than fit on its disk unpacked, refuses points while the disk is full, and recovers",
  {
    timeout: 300_000,
  },
  async () => {
    const folder = volume();
    const running = await platform(path.join(folder, "data"));
    let number = 0;
    let acknowledged = 0;
    const put = async (textOf = () => "x".repeat(200)) => {
      const lines = Array.from(
        { length: perBody },
        () => `full,host=h${number % 7} n=${number++}i,text="${textOf()} ${number}" ${now}`,
      );
      const answer = await send(`${running.url}/v1/write/logging?token=${running.token}&precision=ms`, {
        body: lines.join("\n"),
      });
      if (answer.status === 200) acknowledged += perBody;
      return answer;
    };
    // A point has about 250 bytes. The store first writes new points to its log, and later packs them into smaller
    // files. Without this packing, the 500,000 points would need twice the size of the disk.
    while (acknowledged < 500_000) expect((await put()).status).toBe(200);

    const filler = path.join(folder, "filler");
    // While the test runs, the store packs its log into smaller files, which frees disk space again and again. So each
    // round first fills all free space with the file `filler`. Then it sends a point with random text. The store cannot
    // compress this text, so the point needs space that the disk no longer has.
    const putOnFullDisk = async () => {
      const { bavail, bsize } = statfsSync(folder);
      try {
        appendFileSync(filler, Buffer.alloc(bavail * bsize));
      } catch (error) {
        // The store has used some of the space in the meantime, so the disk became full before the test had written all
        // bytes of the file `filler`.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
      return await put(() => randomBytes(150).toString("base64"));
    };
    let refused = await putOnFullDisk();
    for (let round = 0; round < 50 && refused.status === 200; round++) refused = await putOnFullDisk();
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    for (let round = 0; round < 5; round++) await putOnFullDisk();
    const ready = async () => {
      await putOnFullDisk();
      const { status, text } = await send(`${running.url}/readyz`);
      return [status, text];
    };
    const unready = [503, expect.stringContaining("the points store does not take points")];
    await expect.poll(ready, { timeout: 30_000 }).toEqual(unready);
    // The log has one message each time the disk became full, and one each time it had room again.
    const told = (message: string) => running.log().split(message).length - 1;
    await expect.poll(() => told("cannot take points") - told("takes points again")).toBe(1);

    rmSync(filler);
    // No client writes while the platform recovers, so the platform must notice by itself that the disk has room again.
    await expect.poll(async () => (await send(`${running.url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    expect((await put()).status).toBe(200);
    await expect.poll(() => told("cannot take points") - told("takes points again")).toBe(0);
    const { series } = await ask(running.url, "L::full:(count(n)) [1d]", running.token);
    expect(series[0]!.values[0]![1]).toBe(acknowledged);
  },
);
