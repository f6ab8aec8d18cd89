// Runs a command in a real pseudo terminal and computes what its screen shows. Knows only the control sequences that
// the commands of Millrace use.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { displayWidth } from "../../../server/cli/terminal/display-width.ts";
import { program } from "./running-agent.ts";

export const hasTerminals = spawnSync("script", ["--version"]).status === 0;

export interface Terminal {
  type(keys: string): void;
  /** Changes the size of the terminal, as when a user resizes the window. */
  resize(columns: number, rows: number): void;
  /** Sends a signal to the command in the terminal. */
  signal(signal: NodeJS.Signals): void;
  /** Returns the current rows of the screen. */
  rows(): string[];
  /** Returns everything that the command has written so far. */
  written(): string;
  /**
   * Waits for the end of the command. Returns its exit code, and whether the terminal has the same settings as before
   * the start.
   */
  ended(): Promise<{ readonly code: number; readonly isAsBefore: boolean }>;
}

/** Runs `millrace ARGS` in a terminal of the given size. The signal SIGUSR2 makes the command crash. */
export async function openTerminal(args: readonly string[], columns: number, rows: number): Promise<Terminal> {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-terminal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8").trim() : "");
  writeFileSync(
    at("first.mjs"),
    `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(at("pid"))}, String(process.pid));
process.on("SIGUSR2", () => { throw new Error("crashed on purpose"); });
`,
  );
  const command = [process.execPath, "--import", at("first.mjs"), program, ...args]
    .map((each) => `'${each}'`)
    .join(" ");
  writeFileSync(
    at("run.sh"),
    `tty > tty; stty cols ${columns} rows ${rows}; stty -g > before; ${command}; echo $? > code; stty -g > after\n`,
  );
  const child: ChildProcess = spawn("script", ["-qfc", "sh run.sh", "/dev/null"], {
    cwd: folder,
    env: { ...process.env, SHELL: "/bin/sh", TERM: "xterm" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const size = { columns, rows };
  let written = "";
  child.stdout!.setEncoding("utf8").on("data", (chunk) => {
    written += chunk;
  });
  child.stdin!.on("error", () => {});
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await expect.poll(() => text("pid")).not.toBe("");
  return {
    type: (keys) => void child.stdin!.write(keys),
    resize: (wanted, high) => {
      Object.assign(size, { columns: wanted, rows: high });
      execFileSync("stty", ["-F", text("tty"), "cols", String(wanted), "rows", String(high)]);
    },
    signal: (signal) => process.kill(Number(text("pid")), signal),
    rows: () => screenOf(written, size.columns, size.rows),
    written: () => written,
    ended: async () => {
      await closed;
      return { code: Number(text("code")), isAsBefore: text("before") !== "" && text("before") === text("after") };
    },
  };
}

/** Returns the rows that the screen shows. Throws when a text continues beyond the last column. */
function screenOf(written: string, columns: number, rows: number): string[] {
  const screen: string[] = Array(rows).fill("");
  let row = 0;
  // The screen shows the last complete frame (one redrawing). A frame that is cut off, or was drawn before the terminal
  // became smaller, is ignored.
  const begun = written.lastIndexOf("\x1b[1;1H");
  const isWhole = written.includes(`\x1b[${rows};1H`, begun);
  const frame = isWhole ? written.slice(begun) : written.slice(written.lastIndexOf("\x1b[1;1H", begun - 1), begun);
  for (const [, sequence, text] of frame.matchAll(/(\x1b\[[?\d;]*[A-Za-z])|([^\x1b]+)/g)) {
    const place = /^\x1b\[(\d+);1H$/.exec(sequence ?? "")?.[1];
    if (place !== undefined) row = Number(place) - 1;
    else if (sequence === "\x1b[2K") screen[row] = "";
    else if (text !== undefined) screen[row] += text;
    if (displayWidth(screen[row] ?? "") > columns) throw new Error(`row ${row + 1} wraps: ${screen[row]}`);
  }
  return screen.slice(0, rows);
}
