// Tests [[inputs.tail]] with the logs of containers, with a real agent.

import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { agentOfTest, entryFor, folderOfTest, patience } from "../../../../support/tailing.ts";

const uid = "1b2c3d4e-0000-1111-2222-333344445555";

it("reads the logs of pods, with the tags of the pod and the times of the records", { timeout: 180_000 }, async () => {
  const folder = folderOfTest();
  const pod = path.join(folder, `pods/shop_web-1_${uid}/nginx`);
  mkdirSync(pod, { recursive: true });
  mkdirSync(path.join(folder, "docker"));
  const file = path.join(pod, "0.log");
  appendFileSync(file, "2024-01-02T03:04:05.5Z stdout P one \n2024-01-02T03:04:06Z stderr F two\n");
  const config = `${entryFor(pod, 'format = "auto"')}${entryFor(path.join(folder, "docker"), 'format = "docker"')}`;
  const first = await agentOfTest(config);
  const lines = async (agent: typeof first) =>
    (await agent.output("logging").catch(() => [])).map((line) => line.replace(/,host=[^, ]+/, "").trim()).sort();
  const tags = `filename=${file},namespace=shop,pod=web-1,container=nginx`;
  const two = expect.stringMatching(new RegExp(`^web,stream=stderr,${tags} message="two".* 1704164646000000000$`));
  await expect.poll(() => lines(first), patience).toEqual([two]);
  await first.kill();
  // Before it was killed, the agent read only the first part of this line. The next agent must read the first part
  // again to complete the line.
  appendFileSync(file, "2024-01-02T03:04:07Z stdout F line\n");
  const docker = path.join(folder, "docker/a.log");
  appendFileSync(docker, '{"log":"x","stream":"stdout","time":"2024-01-02T03:04:08Z"}\n');
  symlinkSync(file, path.join(folder, "docker/link.log"));
  const second = await agentOfTest(config, { dataDir: first.dataDir });
  appendFileSync(docker, '{"log":"\\"y\\"\\n","stream":"stdout","time":"2024-01-02T03:04:08Z"}\n');
  const joined = expect.stringMatching(
    new RegExp(`^web,stream=stdout,${tags} message="one line".* 1704164645500000000$`),
  );
  const quoted = expect.stringMatching(
    new RegExp(String.raw`^web,stream=stdout,filename=${docker} message="x\\"y\\"".* 1704164648000000000$`),
  );
  await expect.poll(async () => [...new Set(await lines(second))], patience).toEqual([two, quoted, joined]);
});

it("joins the parts of a line before it joins the lines of a multiline event", async () => {
  const folder = folderOfTest();
  const more = 'format = "cri"\nmultiline_start = "^\\\\d"\nmultiline_timeout = "300ms"';
  const agent = await agentOfTest(entryFor(folder, more));
  const record = (stream: string, tag: string, text: string) => `2024-01-02T03:04:05Z ${stream} ${tag} ${text}\n`;
  const records = [
    record("stdout", "P", "1 bo"),
    record("stderr", "F", "2 other"),
    record("stdout", "F", "om"),
    record("stdout", "F", "  at x"),
    record("stderr", "F", "3 last"),
  ];
  appendFileSync(path.join(folder, "a.log"), records.join(""));
  const messages = async () => {
    const text = (await agent.output("logging").catch(() => [])).join("\n");
    return Array.from(text.matchAll(/message="([^"]*)"/g), ([, message]) => message).sort();
  };
  await expect.poll(messages, patience).toEqual(["1 boom\n  at x", "2 other", "3 last"]);
});
