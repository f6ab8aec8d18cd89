// Peers in other languages: small programs beside this file, built when their toolchain is present.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const sources = path.join(root, "test/bench/peers");
// The folder of the built programs, which do not belong to the repository.
const builds = path.join(root, "node_modules/.millrace-peers");

export interface Peer {
  readonly name: string;
  /** The folder of the sources, beside this file. */
  readonly folder: string;
  readonly language: "go" | "rust";
  /** The name of the built program; for Rust the name of the crate. */
  readonly binary: string;
}

/** Returns the path of the built program, or prints why it cannot be built here and returns null. */
export function buildPeer({ name, folder, language, binary }: Peer): string | null {
  const target = path.join(builds, folder);
  const file = process.platform === "win32" ? `${binary}.exe` : binary;
  const program = language === "go" ? path.join(target, file) : path.join(target, "release", file);
  const [tool, ...args] =
    language === "go"
      ? ["go", "build", "-o", program, "."]
      : ["cargo", "build", "--release", "--locked", "--target-dir", target];
  mkdirSync(target, { recursive: true });
  process.stderr.write(`building ${name} ...\n`);
  const built = spawnSync(tool as string, args, { cwd: path.join(sources, folder), encoding: "utf8" });
  if (built.status === 0) return program;
  if (built.error !== undefined) console.log(`${name}: skipped, ${tool} is not installed`);
  else console.log(`${name}: skipped, it does not build:\n${built.stderr.trim()}`);
  return null;
}

/** The numbers that a program prints. */
export function runPeer(program: string, args: readonly string[]): number[] {
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
  return done.stdout.trim().split(" ").map(Number);
}
