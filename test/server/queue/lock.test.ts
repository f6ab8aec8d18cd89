// The lock of a folder: of a process that runs, of one that is gone.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FolderInUse, lockFolder } from "../../../server/queue/lock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** State and start of a process. */
function statOf(pid: number): readonly [state: string, start: string] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return [fields[0]!, fields[19]!];
}

const lockIn = (folder: string) => path.join(folder, "lock");

it("keeps out another as long as the process runs, and is gone when it is given back", () => {
  const folder = temporaryFolder();
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  unlock();
  lockFolder(folder)();
});

it("of a number that another process has got since is taken over", () => {
  const folder = temporaryFolder();
  lockFolder(folder);
  const file = lockIn(folder);
  const [pid, start] = readFileSync(file, "utf8").trim().split(" ");
  writeFileSync(file, `${pid} ${process.platform === "linux" ? Number(start) - 1 : "earlier"}\n`);
  lockFolder(folder)();
});

it.runIf(process.platform === "linux")("of a process that has ended unseen by its parent is taken over", async () => {
  const folder = temporaryFolder();
  // Its parent becomes another program, which waits for none.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill());
  const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (line) => resolve(Number(line))));
  await expect.poll(() => statOf(pid)[0]).toBe("Z");
  writeFileSync(lockIn(folder), `${pid} ${statOf(pid)[1]}\n`);
  lockFolder(folder)();
});
