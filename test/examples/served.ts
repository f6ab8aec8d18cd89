// Starts an example that is a server as a child process on a free port, and reads its address from its output.

import { spawn } from "node:child_process";
import process from "node:process";
import type { Project } from "./project.ts";

export interface Served {
  /** The address that the server printed. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a command in the project with PORT=0, so that the server takes any free port. */
export function serve(
  project: Project,
  [command, ...args]: readonly [string, ...string[]],
  env: Record<string, string> = {},
): Promise<Served> {
  const child = spawn(command, args, { cwd: project.folder, env: { ...process.env, PORT: "0", ...env } });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const stop = (): Promise<void> => {
    child.kill();
    return ended;
  };
  return new Promise((resolve, reject) => {
    let printed = "";
    const read = (text: string): void => {
      printed += text;
      const url = /https?:\/\/[^\s]+/.exec(printed)?.[0].replace("[::1]", "127.0.0.1");
      if (url !== undefined) resolve({ url, stop });
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.on("error", reject);
    ended.then(() => reject(new Error(`${args.at(-1)} ended: ${printed}`)));
  });
}
