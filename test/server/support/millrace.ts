// Runs the command line as a child process with a given input until it ends.

import { spawn } from "node:child_process";
import { program } from "./running-agent.ts";

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function millrace(
  args: readonly string[],
  input = "",
  entry = program,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry, ...args], { env: { ...process.env, ...env } });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
