// The keys of the interactive `millrace pipeline repl`. The terminal is a pair of streams; the command is the real one.

import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { logOf } from "../../../server/cli/pipeline/input-points.ts";
import { openMillrace } from "../../../server/cli/pipeline/open-script.ts";
import { runPrompt } from "../../../server/cli/pipeline/repl.ts";
import { Session } from "../../../server/cli/pipeline/repl-session.ts";
import { commandConfig } from "../../../server/cli/read-config.ts";

const tab = "\t";
const enter = "\r";
const controlC = "\u0003";
const controlD = "\u0004";

let input: PassThrough;
let shown: string;
let ended: Promise<void>;

beforeEach(async () => {
  input = new PassThrough();
  const output = new PassThrough();
  shown = "";
  output.on("data", (chunk) => {
    shown += String(chunk);
  });
  const session = new Session(await openMillrace("unanswered", commandConfig(undefined)), logOf("10.0.0.1 get"));
  ended = runPrompt(session, { input, output, terminal: true });
});

afterEach(() => {
  input.end();
});

/**
 * Presses keys and waits until the output after them contains `wanted`. Returns this output without cursor movements.
 */
async function press(keys: string, wanted: string): Promise<string> {
  const from = shown.length;
  // Sends one key at a time, as a terminal does.
  for (const key of keys) input.write(key);
  const since = () => shown.slice(from).replaceAll(/\u001b\[[\d;]*[A-Za-z]/g, "");
  await expect.poll(since).toContain(wanted);
  return since();
}

describe("Tab", () => {
  it("completes functions, patterns, keys and commands", async () => {
    await press(`uppe${tab}`, "uppercase(");
    await press(`message)${enter}`, 'message = "10.0.0.1 GET"');
    await press(`grok(_, "%{IPO${tab}`, "%{IPORHOST");
    await press(`:client} %{WORD:verb}")${enter}`, '  client = "10.0.0.1"');
    await press(`lowercase(ver${tab}`, "lowercase(verb");
    await press(`)${enter}`, 'verb = "get"');
    await press(`.scr${tab}${enter}`, "lowercase(verb)\n");
  });

  it("lists all matches when several fit, and parameters and keys when nothing is typed", async () => {
    await press(`grok(_, "%{WORD:kind}")${enter}`, "true");
    await press(`set_t${tab}`, "set_tag(");
    const list = await press(tab + tab, "kind");
    expect(list).toContain("message");
    expect(list).not.toContain("uppercase");
    await press(controlC, "> ");
    expect(await press(`group_${tab}${tab}`, "group_in(")).toContain("group_between(");
  });
});

describe("Ctrl+C", () => {
  it("drops the unfinished input; pressed again, it ends the REPL", async () => {
    await press(`if true {${enter}`, "... ");
    await press(`x = 1${controlC}`, "> ");
    await press(`y = 2${enter}`, "variable y = 2");
    await press(`.script${enter}`, "y = 2\n");
    expect(shown).not.toContain("variable x");
    input.write(controlC);
    await ended;
  });
});

describe("Ctrl+D", () => {
  it("ends the REPL", async () => {
    await press(`1 + 1${enter}`, "2");
    input.write(controlD);
    await ended;
  });
});
