// The output of `millrace doctor` and `millrace monitor` about [[inputs.tail]], and the example of docs/inputs.md.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { examineTails } from "../../../../server/cli/doctor/tail.ts";
import { loadConfig } from "../../../../server/config/load.ts";
import { millrace } from "../../support/millrace.ts";
import { startAgent } from "../../support/running-agent.ts";

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-doctor-tail-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const entriesOf = (text: string) => {
  const { config, warnings } = loadConfig({ file: { name: "agent.toml", text } });
  expect(warnings).toEqual([]);
  return config["inputs.tail"];
};

it("reports for each entry the readable files, the unreadable ones, and patterns without a match", async () => {
  const folder = folderOfTest();
  for (const name of ["a.log", "b.log"]) writeFileSync(path.join(folder, name), "");
  mkdirSync(path.join(folder, "c.txt"));
  symlinkSync("d.txt", path.join(folder, "d.txt"));
  const entries = entriesOf(`[[inputs.tail]]
files = ["${folder}/*.log", "${folder}/*.none"]
source = "good"
[[inputs.tail]]
files = ["${folder}/[cd].txt", "${folder}/c.txt"]
source = "bad"`);
  expect(await examineTails(entries)).toEqual([
    { grade: "warn", text: `tail good: no file fits ${folder}/*.none` },
    { grade: "ok", text: "tail good: 2 files can be read" },
    { grade: "warn", text: `tail bad: no file fits ${folder}/[cd].txt` },
    { grade: "warn", text: `tail bad: no file fits ${folder}/c.txt` },
    {
      grade: "warn",
      text: `tail bad: 2 paths cannot be read: ${folder}/d.txt (ELOOP), ${folder}/c.txt (a folder)`,
    },
  ]);
});

it("appears in doctor, and in the monitor while an agent runs", async () => {
  const folder = folderOfTest();
  writeFileSync(path.join(folder, "a.log"), "one\n");
  const config = `[[inputs.tail]]\nfiles = ["${folder}/*.log"]\nsource = "web"\nfrom = "start"\n`;
  const agent = await startAgent({ config });
  onTestFinished(() => agent.stop());
  const { out } = await millrace(["doctor", "--config", path.join(agent.dataDir, "agent.toml"), "--to", agent.url]);
  expect(out).toContain("ok    input    tail web: 1 file can be read\n");
  const fed = () => agent.metric('agent_io_feed_total{name="v1-write.tail/web",category="logging"}');
  await expect.poll(fed, { timeout: 20_000 }).toBe(1);
  const shown = await millrace(["monitor", "--to", agent.url, "--once", "--modules", "inputs"]);
  expect(shown.out).toMatch(/^tail\/web +- +1 /m);
  expect(shown.out).toMatch(/TAILED FILES/);
  // The agent counts a line in its metrics a moment after it has stored the line's point. So the test repeats the
  // command.
  await expect
    .poll(async () => (await millrace(["monitor", "--to", agent.url, "--once", "--modules", "inputs"])).out)
    .toMatch(/^web +1 +0 B +0 +0 +0 +0$/m);
});

it("the examples of docs/inputs.md are configurations without mistakes", () => {
  const page = readFileSync(new URL("../../../../docs/inputs.md", import.meta.url), "utf8");
  const examples = Array.from(page.matchAll(/^```toml\n(.*?)^```/gms), ([, text]) => text!);
  expect(examples.flatMap(entriesOf)).toMatchObject([
    { source: "nginx", tags: { team: "web" } },
    { source: "app", format: "cri" },
  ]);
});
