// The lock of a folder is a file that contains the id of the process that owns the lock. The tests check the
// lock while this process runs and after it has ended.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { linkSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { FolderInUse, lockFolder } from "../../../../server/queue/lock/lock.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Returns the state and the start time of a process, read from /proc. */
function statOf(pid: number): readonly [state: string, start: string] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return [fields[0]!, fields[19]!];
}

/** A process id that no process has. */
const gone = 2 ** 22 + 1;

const lockIn = (folder: string) => path.join(folder, "lock");

it("a lock keeps others out until it is released, and its file is then removed", async () => {
  const folder = temporaryFolder();
  const unlock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUse);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
  (await lockFolder(folder))();
});

it("exactly one of many simultaneous requests gets the lock", async () => {
  const folder = temporaryFolder();
  writeFileSync(lockIn(folder), `${gone} 1 lock-00000000\n`);
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
  const got = asked.filter((each) => each.status === "fulfilled");
  expect(got).toHaveLength(1);
  for (const each of asked) if (each.status === "rejected") expect(each.reason).toBeInstanceOf(FolderInUse);
  got[0]!.value();
  expect(readdirSync(folder)).toEqual([]);
});

it("exactly one of several starting processes takes over a stale lock", async () => {
  const folder = temporaryFolder();
  const script = `import(process.argv[1]).then(({ lockFolder }) => {
    process.stdin.once("data", () => lockFolder(process.argv[2]).then(() => "got it", () => "in use").then((said) => console.log(said)));
    console.log("ready");
  })`;
  const module = fileURLToPath(new URL("../../../../dist/server/queue/lock/lock.js", import.meta.url));
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["-e", script, module, folder], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
  const said = () => Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()));
  expect(await said()).toEqual(children.map(() => "ready"));
  writeFileSync(lockIn(folder), `${gone} 1 lock-00000000\n`);
  const answers = said();
  for (const { stdin } of children) stdin.write("go");
  expect((await answers).sort()).toEqual(["got it", "in use", "in use", "in use"]);
});

it("a stale lock is taken over even when a process was killed during an earlier takeover", async () => {
  const folder = temporaryFolder();
  const text = `${gone} 1\n`;
  writeFileSync(lockIn(folder), text);
  const name = `lock.dead.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  linkSync(lockIn(folder), path.join(folder, name));
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  (await lockFolder(folder))();
  expect(readdirSync(folder)).toEqual([]);
});

it("a lock is taken over when another process has reused its process id", async () => {
  const folder = temporaryFolder();
  (await lockFolder(folder))();
  const unlock = await lockFolder(folder);
  const file = lockIn(folder);
  const [pid, start] = readFileSync(file, "utf8").trim().split(" ");
  unlock();
  writeFileSync(file, `${pid} ${process.platform === "linux" ? Number(start) - 1 : "earlier"}\n`);
  (await lockFolder(folder))();
});

it.runIf(process.platform === "linux")("of a process that has ended unseen by its parent is taken over", async () => {
  const folder = temporaryFolder();
  // The shell starts a child process and then replaces itself with `sleep`. Because `sleep` never waits for child
  // processes, the child stays a zombie after its end.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill());
  const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (line) => resolve(Number(line))));
  await expect.poll(() => statOf(pid)[0]).toBe("Z");
  writeFileSync(lockIn(folder), `${pid} ${statOf(pid)[1]}\n`);
  (await lockFolder(folder))();
});

// The process id of a process in another container means nothing in this container. So the lock also names a socket, on
// which only a running process listens.
it.each([
  ["a folder", 0],
  ["a folder whose path is longer than that of a socket may be", 150],
])("a lock of a process in another container keeps others out while that process runs: %s", async (_name, length) => {
  const folder = path.join(temporaryFolder(), "x".repeat(length));
  const unlock = await lockFolder(folder);
  const [, start, sign] = readFileSync(lockIn(folder), "utf8").trim().split(" ");
  expect(sign).toMatch(/^lock-[\da-f]{8}$/);
  writeFileSync(lockIn(folder), `${gone} ${start} ${sign}\n`);
  await expect(lockFolder(folder)).rejects.toThrow("a process of another container already uses");
  unlock();
  (await lockFolder(folder))();
  expect(readdirSync(folder)).toEqual([]);
});

it("a lock whose process was killed is taken over; its socket is removed, but no other file", async () => {
  const folder = temporaryFolder();
  const sign = "lock-0a1b2c3d";
  const script = `require("node:net").createServer().listen(process.argv[1], () => process.stdout.write("here"))`;
  const child = spawn(process.execPath, ["-e", script, path.join(folder, sign)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  writeFileSync(lockIn(folder), `${gone} 1 ${sign}\n`);
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUse);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(readdirSync(folder)).toContain(sign);
  (await lockFolder(folder))();
  expect(readdirSync(folder)).toEqual([]);

  writeFileSync(path.join(folder, "kept"), "");
  writeFileSync(lockIn(folder), `${gone} 1 ./kept\n`);
  (await lockFolder(folder))();
  expect(readdirSync(folder)).toEqual(["kept"]);
});

const hasNamespaces = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

it.runIf(hasNamespaces)("a lock keeps out a process in another container that shares the folder", async () => {
  const folder = temporaryFolder();
  const script = `import(process.argv[1]).then(({ lockFolder }) => lockFolder(process.argv[2]))
    .then(() => { console.log("locked by " + process.pid); setInterval(() => {}, 1000); })`;
  const module = fileURLToPath(new URL("../../../../dist/server/queue/lock/lock.js", import.meta.url));
  const args = ["--pid", "--fork", "--kill-child", "--mount-proc", process.execPath, "-e", script, module, folder];
  const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(String((await once(child.stdout, "data"))[0])).toBe("locked by 1\n");
  await expect(lockFolder(folder)).rejects.toThrow("a process of another container already uses");
  child.kill("SIGKILL");
  await expect.poll(async () => (await lockFolder(folder))(), { timeout: 5000 }).toBeUndefined();
});
