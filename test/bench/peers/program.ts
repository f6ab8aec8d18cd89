// Builds and runs the compared programs in other languages. Their sources are in folders next to this file; they are
// built when their toolchain is installed.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const sources = path.join(root, "test/bench/peers");
// The folder for the built programs, which are not committed to the repository.
const builds = path.join(root, "node_modules/.millrace-peers");

export interface Peer {
  readonly name: string;
  /** The folder of the program's sources, next to this file. */
  readonly folder: string;
  readonly language: "go" | "rust";
  /** File name of the built program; for Rust, the name of the crate. */
  readonly binary: string;
}

/**
 * Builds the program and returns its path. When it cannot be built on this machine, prints the reason and returns null.
 */
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

/** Runs a built program and returns the numbers that it prints. */
export function runPeer(program: string, args: readonly string[]): number[] {
  const done = spawnSync(program, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
  return done.stdout.trim().split(" ").map(Number);
}
