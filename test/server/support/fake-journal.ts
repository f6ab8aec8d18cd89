// A systemd journal for tests: its entries are in a file, and a program prints them as journalctl does.

import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/**
 * A program that behaves like `journalctl --output=export`. It reads the file `journal` in its own folder, which has
 * one JSON object on each line, and prints each object as an entry. It accepts only the options that the agent passes.
 */
const fake = `#!${process.execPath}
const fs = require("node:fs");
const path = require("node:path");
const file = path.join(__dirname, "journal");
const args = process.argv.slice(2);
fs.appendFileSync(path.join(__dirname, "runs"), JSON.stringify(args) + "\\n");
const known = /^--(output=export|no-pager|quiet|priority=\\w+|unit=.+|follow|no-tail|lines=1|after-cursor=.+)$/;
for (const each of args) if (!known.test(each)) throw new Error("unknown option " + each);
const after = args.find((each) => each.startsWith("--after-cursor="))?.slice(15);
if (after?.startsWith("bad")) {
  process.stderr.write("Failed to seek to cursor: Invalid argument\\n");
  process.exit(1);
}
const entries = [];
let [length, rest] = [0, ""];
const readNew = () => {
  if (!fs.existsSync(file)) return;
  const descriptor = fs.openSync(file, "r");
  const bytes = Buffer.alloc(fs.fstatSync(descriptor).size - length);
  length += fs.readSync(descriptor, bytes, 0, bytes.length, length);
  fs.closeSync(descriptor);
  const lines = (rest + bytes.toString()).split("\\n");
  rest = lines.pop();
  for (const line of lines) entries.push(JSON.parse(line));
};
readNew();
let at = after === undefined ? 0 : entries.findIndex((each) => each.__CURSOR === after) + 1;
if (args.includes("--lines=1")) at = Math.max(0, entries.length - 1);
const show = () => {
  readNew();
  for (; at < entries.length; at++) {
    const parts = [];
    for (const [key, value] of Object.entries(entries[at])) {
      if (!value.includes("\\n")) parts.push(Buffer.from(key + "=" + value + "\\n"));
      else {
        const length = Buffer.alloc(8);
        length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
        parts.push(Buffer.from(key + "\\n"), length, Buffer.from(value + "\\n"));
      }
    }
    fs.writeSync(1, Buffer.concat([...parts, Buffer.from("\\n")]));
  }
};
show();
if (args.includes("--follow")) setInterval(show, 20);
`;

export interface Journal {
  readonly env: Readonly<Record<string, string>>;
  write(messages: readonly string[], more?: Readonly<Record<string, string>>): void;
  /** Returns the command-line options of each run of the fake journalctl. */
  runs(): string[][];
}

/** Makes an empty journal. Returns it with the environment in which commands find its fake journalctl. */
export function journalOfTest(): Journal {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The fake journalctl is a CommonJS program. Without this package.json, a package.json in a parent folder could make
  // Node run the program as an ES module.
  writeFileSync(path.join(folder, "package.json"), '{"type":"commonjs"}');
  writeFileSync(path.join(folder, "journalctl"), fake);
  chmodSync(path.join(folder, "journalctl"), 0o755);
  let written = 0;
  return {
    env: { PATH: `${folder}:${process.env.PATH}` },
    write: (messages, more = {}) => {
      const lines = messages.map((message) => {
        written++;
        const micros = `${Date.now()}000`;
        return JSON.stringify({
          __CURSOR: `s=a;i=${written}`,
          __REALTIME_TIMESTAMP: micros,
          ...more,
          MESSAGE: message,
        });
      });
      appendFileSync(path.join(folder, "journal"), lines.map((line) => `${line}\n`).join(""));
    },
    runs: () => {
      const file = path.join(folder, "runs");
      return existsSync(file)
        ? readFileSync(file, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [];
    },
  };
}
