// Starts the installed PostgreSQL for a test, in a folder of its own, and connects through a Unix socket in that
// folder.

import { execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const versions = "/usr/lib/postgresql";

/** Returns the folder of the commands `initdb` and `postgres`, or undefined when PostgreSQL is not installed. */
function programs(): string | undefined {
  if (!existsSync(versions)) return undefined;
  const folders = readdirSync(versions)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(versions, version, "bin"));
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(path.join(folder, name))));
}

/**
 * Returns the user that runs PostgreSQL, or undefined for the user of this process. PostgreSQL refuses to run as root.
 * So when this process runs as root, the user `postgres` runs PostgreSQL.
 */
function runAs(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  if (line === undefined) throw new Error("PostgreSQL is installed, but there is no user postgres to run it as");
  const [, , uid, gid] = line.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

export const hasPostgres = programs() !== undefined;

export interface RunningPostgres {
  /** Makes an empty database and returns its URL. */
  newDatabase(): string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<RunningPostgres> {
  const bin = programs()!;
  const user = runAs();
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-postgres-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, "data");
  const options: SpawnOptions = { cwd: folder, stdio: ["ignore", "pipe", "pipe"], ...user };
  execFileSync(
    path.join(bin, "initdb"),
    ["-D", data, "-U", "millrace", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"],
    { cwd: folder, stdio: "pipe", ...user },
  );
  const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"];
  const child = spawn(path.join(bin, "postgres"), args, options);
  await new Promise<void>((resolve, reject) => {
    let log = "";
    child.stderr!.on("data", (chunk) => {
      log += chunk;
      if (log.includes("ready to accept connections")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`postgres ended with ${code}: ${log}`)));
  });
  let made = 0;
  return {
    newDatabase: () => {
      const name = `test${++made}`;
      execFileSync(path.join(bin, "createdb"), ["-h", folder, "-U", "millrace", name], { stdio: "pipe", ...user });
      return `postgres://millrace@/${name}?host=${encodeURIComponent(folder)}`;
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGQUIT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
