// `npm run bench:peers [-- NAME PART...]`: compares Millrace with other software at the same work: decoding line
// protocol, running scripts, parsing log lines with grok, and searching with large counted repeats. Programs in other
// languages are built here when their toolchain is installed.

import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { loadMillrace } from "../../conformance/node-millrace.ts";
import { grokTable } from "./grok.ts";
import { lineProtocolTable } from "./line-protocol.ts";
import { regexTable } from "./regex.ts";
import { scriptTable } from "./scripts.ts";

const parts = process.argv.slice(2);
const isWanted = (name: string): boolean => parts.length === 0 || parts.some((part) => name.includes(part));
const folder = path.join(tmpdir(), `millrace-peers-${process.pid}`);
mkdirSync(folder);
try {
  if (isWanted("line protocol")) console.log(`${lineProtocolTable(await loadMillrace(), folder)}\n`);
  if (isWanted("scripts")) console.log(`${scriptTable(await loadMillrace(), folder)}\n`);
  if (isWanted("grok")) console.log(`${await grokTable(folder)}\n`);
  if (isWanted("regex")) console.log(regexTable(await loadMillrace(), folder));
} finally {
  rmSync(folder, { recursive: true });
}
