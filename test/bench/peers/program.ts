// Peers in other languages: small programs beside this file, built when their toolchain is present.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const sources = path.join(root, "test/bench/peers");
// Not beside the sources: what is built is no part of the repository.
const builds = path.join(root, "node_modules/.millrace-peers");

export interface Peer {
  readonly name: string;
  /** Of its sources, beside this file. */
  readonly folder: string;
  readonly language: "go" | "rust";
  /** Of what is built; a crate's own name. */
  readonly binary: string;
}

/** Path of the built program; null, after a word about why, when it cannot be built here. */
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
