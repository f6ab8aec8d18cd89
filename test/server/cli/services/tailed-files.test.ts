// Tests the options `--tail` and `--source`: the entries of [[inputs.tail]] that have the same effect, and
// mistakes in the options. Also runs `millrace start --tail` on an access log, and queries the platform for the
// status codes in this log.

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { choicesOf, tailSettingOf } from "../../../../server/cli/services/tailed-files.ts";
import { ask, folder, run } from "../../support/running-platform.ts";

const access = (at: number, status = 200) =>
  `127.0.0.1 - - [24/Mar/2026:13:54:${10 + at} +0800] "GET /a/${at} HTTP/1.1" ${status} 97 "-" "curl/8"\n`;
const json = '{"level":"info","time":"2026-03-24T05:54:10Z","msg":"started","port":80}\n';

it.each<[string, Record<string, string>, readonly string[], string | undefined, readonly [string, string][]]>([
  ["lines of an access log", { "web.log": access(1) + access(2) }, ["*.log"], undefined, [["*.log", "nginx"]]],
  ["lines of JSON", { "app.log": json.repeat(3) }, ["app.log"], undefined, [["app.log", "json"]]],
  ["a first file without lines", { "a.log": "", "b.log": access(1) }, ["*.log"], undefined, [["*.log", "nginx"]]],
  ["no file yet, but a name that tells", {}, ["nginx/*.log"], undefined, [["nginx/*.log", "nginx"]]],
  ["lines that no script fits", { "a.log": "abc\n" }, ["a.log"], undefined, [["a.log", "default"]]],
  ["a source that is named", { "a.log": access(1) }, ["a.log"], "web", [["a.log", "web"]]],
  [
    "several patterns, each with its script",
    { "a.log": access(1), "b.log": json },
    ["a.log", "b.log"],
    undefined,
    [
      ["a.log", "nginx"],
      ["b.log", "json"],
    ],
  ],
])("--tail chooses the source: %s", async (_, files, patterns, source, expected) => {
  const at = path.join(folder(), "logs");
  mkdirSync(at);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(at, name), text);
  const tail = patterns.map((each) => path.join(at, each));
  const entries = (await tailSettingOf({ tail, source }, []))["inputs.tail"]!;
  expect(entries.map((entry) => [entry.files, entry.source, entry.from])).toEqual(
    expected.map(([name, chosen]) => [[path.join(at, name)], chosen, "start"]),
  );
});

it("--tail accepts the files into which the shell expands a pattern", async () => {
  const [first, ...more] = ["a.log", "b.log", "c.log"];
  const entries = (await tailSettingOf({ tail: [first!], source: "web" }, more))["inputs.tail"]!;
  expect(entries.flatMap((entry) => entry.files)).toEqual(
    ["a.log", "b.log", "c.log"].map((each) => path.resolve(each)),
  );
});

it("the message to the user groups the files by their chosen source", () => {
  const entry = (file: string, source: string) => ({ files: [file], source });
  const entries = [entry("/a.log", "nginx"), entry("/b.log", "default"), entry("/c.log", "nginx")];
  expect(choicesOf(entries)).toEqual([
    "tail: /a.log and 1 more: source nginx",
    "tail: /b.log: source default (no bundled script fits; name one with --source)",
  ]);
});

it("an argument without an option is refused, and without --tail no settings change", async () => {
  await expect(tailSettingOf({}, ["a.log"])).rejects.toThrow(
    "unexpected argument a.log; log files are named by --tail",
  );
  expect(await tailSettingOf({}, [])).toEqual({});
});

it("millrace start --tail: the platform counts the status codes", { timeout: 60_000 }, async () => {
  const dataDir = folder();
  const file = path.join(dataDir, "access.log");
  const now = new Date().toISOString();
  const time = `${now.slice(8, 10)}/${new Date().toUTCString().slice(8, 11)}/${now.slice(0, 4)}:${now.slice(11, 19)} +0000`;
  const lines = [200, 200, 404].map((status) => access(1, status).replace(/\[.*?\]/, `[${time}]`));
  writeFileSync(file, lines.join(""));
  const running = await run({
    command: "start",
    dataDir,
    args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0", "--tail", file],
    service: ["platform", "agent"],
  });
  const counts = async () => {
    const { series } = await ask(running.url, "L::nginx:(count(*)) [1h] BY status_code", running.token);
    return Object.fromEntries(series.map(({ tags, values }) => [tags!.status_code, values[0]!.at(-1)]));
  };
  await expect.poll(counts, { timeout: 40_000, interval: 300 }).toEqual({ 200: 2, 404: 1 });
});
