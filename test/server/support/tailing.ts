// Functions that the tests of [[inputs.tail]] share: they make a folder for log files, configure and stop the
// agent that reads the files, and return the messages of its points.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { type AgentProcess, startAgent } from "./running-agent.ts";

export const patience = { timeout: 40_000, interval: 50 };

/** Returns a new folder for log files, which is removed after the test. */
export function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-tail-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the configuration text of an entry [[inputs.tail]] for the files of a folder whose names match a pattern. */
export const entryFor = (folder: string, more = "", names = "*.log") => `[[inputs.tail]]
files = ["${folder}/${names}"]
source = "web"
from = "start"
${more}
`;

export async function agentOfTest(
  config: string,
  options: Parameters<typeof startAgent>[0] = {},
): Promise<AgentProcess> {
  const agent = await startAgent({ config, ...options });
  onTestFinished(() => agent.stop());
  return agent;
}

/**
 * Stops an agent with a signal after which it can end properly, and does not delete its data folder. The method `kill`
 * would end the agent before it has saved its last read positions, so that the next agent would send the last lines
 * again.
 */
export async function endOf(agent: AgentProcess): Promise<void> {
  agent.signal("SIGTERM");
  await expect.poll(() => agent.exitCode(), patience).toBe(0);
}

/** Returns the messages of all points that the agent has written, in order. */
export async function messagesOf(agent: AgentProcess): Promise<string[]> {
  if (!existsSync(path.join(agent.dataDir, "output"))) return [];
  const text = (await agent.output("logging")).join("\n");
  const found = text.matchAll(/^(?:web|default),.*? message="((?:[^"\\]|\\.)*)"/gms);
  return Array.from(found, ([, message]) => message!.replace(/\\(["\\])/g, "$1"));
}

export const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

export const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
