// Starts ClickHouse's engine behind its HTTP interface, in a process of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";

export interface ClickHouseEngine {
  /** Returns the URL of a database, as the setting in the configuration file takes it. */
  url(database: string): string;
  /** Returns the statements that the engine received, with their settings. */
  log(): Promise<readonly LoggedStatement[]>;
  /** Closes the connection after the next statement that contains the string `match`, so that its answer is lost. */
  loseAnswer(match: string): Promise<void>;
  close(): Promise<void>;
}

export interface LoggedStatement {
  readonly statement: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

export async function startEngine(): Promise<ClickHouseEngine> {
  const file = fileURLToPath(new URL("./bridge.mjs", import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`the bridge ended with ${code}; is test/clickhouse installed?`);
  });
  const [text] = (await Promise.race([once(child.stdout, "data"), failed])) as [Buffer];
  failed.catch(() => {});
  const host = `127.0.0.1:${text.toString().trim()}`;
  return {
    url: (database) => `clickhouse://${host}/${database}`,
    log: async () => (await (await fetch(`http://${host}/bridge/log`)).json()) as LoggedStatement[],
    loseAnswer: async (match) => {
      await fetch(`http://${host}/bridge/lose-answers?match=${encodeURIComponent(match)}`, { method: "POST" });
    },
    close: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
