// Grok patterns in <data-dir>/pipeline/patterns/*.grok: pattern files of Logstash with field names of the Elastic
// Common Schema (ECS), wrong files, and changed files.

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type AgentProcess, startAgent, writeScript } from "../../support/running-agent.ts";

const ecs = readFileSync("test/lib/grok/logstash-core/ecs-v1.grok", "utf8");
const patience = { interval: 100, timeout: 20_000 };

let written = 0;

/** Writes a log and returns its point as line protocol, without its time. */
async function lineOf(agent: AgentProcess, source: string, message: string): Promise<string> {
  const id = `w${++written}`;
  const body = `${id} message=${JSON.stringify(message)} 1`;
  const { status } = await agent.send(`/v1/write/logging?source=${source}`, { body });
  expect(status).toBe(200);
  const line = async () => (await agent.output("logging")).find((each) => each.startsWith(`${id},`));
  await expect.poll(line, patience).toBeDefined();
  return (await line())!;
}

it("the scripts of an agent use pattern files and their changes, and each mistake is logged", async () => {
  const agent = await startAgent({
    config: '[environments]\nENV_HOSTNAME = "h"\n[pipeline]\necs_patterns = true\n[http_api]\nworkers = 1',
    scripts: {
      "patterns/core.grok": ecs,
      "patterns/own.grok": "PLATE [A-Z]{2}-\\d++\n# a mistake\nBAD (?<=a)b",
      "web.p": 'grok(_, "%{HTTPD_COMBINEDLOG}")\nadd_key("seen", get_key("source.address"))',
      "own.p": 'grok(_, "%{PLATE:[car][plate]}")',
      "metric/bad.p": 'grok(_, "%{BAD:x}")',
    },
  });
  onTestFinished(() => agent.stop());

  const access = '127.0.0.1 - - [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 404 12 "-" "curl/8"';
  const line = await lineOf(agent, "web", access);
  // The agent replaces dots in the keys of logs by underscores.
  expect(line).toContain('source_address="127.0.0.1"');
  expect(line).toContain("http_response_status_code=404i");
  expect(line).toContain('url_original="/a"');
  expect(line).toContain('seen="127.0.0.1"');
  expect(await lineOf(agent, "own", "car AB-12 c")).toContain('car_plate="AB-12"');
  const mistake = "own.grok:3: pattern BAD: lookbehind is not supported: `(?<=a)b`";
  await expect.poll(() => agent.log(), patience).toContain(mistake);
  expect(agent.log()).toMatch(/script metric\/bad\.p is not in force: .*no pattern found for %\{BAD\}/);

  writeScript(agent.dataDir, "patterns/own.grok", "PLATE [a-z]+\nBAD (?<=a)b");
  await expect.poll(() => lineOf(agent, "own", "car AB-12 c"), patience).toContain('car_plate="car"');
  await expect.poll(() => agent.log(), patience).toContain("own.grok:2: pattern BAD: lookbehind");
  expect(agent.log().split(mistake)).toHaveLength(2);

  const debug = await agent.send("/v1/pipeline/debug", {
    body: JSON.stringify({
      pipeline: { logging: { t: Buffer.from('grok(_, "%{PLATE:[car][plate]}")').toString("base64") } },
      script_name: "t",
      category: "logging",
      data: [Buffer.from("x-1").toString("base64")],
    }),
  });
  expect(debug.text).toMatch(/"car[._]plate":"x"/);
});

it("the previous pattern files stay in force when a script no longer compiles with the new ones", async () => {
  const agent = await startAgent({
    config: "[http_api]\nworkers = 1",
    scripts: { "patterns/own.grok": "PLATE [A-Z]{2}", "own.p": 'grok(_, "%{PLATE:plate}")' },
  });
  onTestFinished(() => agent.stop());
  expect(await lineOf(agent, "own", "car AB c")).toContain('plate="AB"');

  rmSync(path.join(agent.dataDir, "pipeline/patterns/own.grok"));
  const kept = "patterns: the files of before stay in force until logging/own.p compiles with those of now";
  await expect.poll(() => agent.log(), patience).toContain(kept);
  expect(agent.log()).toMatch(/script logging\/own\.p does not compile, its version of .* goes on running: /);
  expect(await lineOf(agent, "own", "car AB c")).toContain('plate="AB"');

  writeScript(agent.dataDir, "patterns/own.grok", "PLATE [a-z]+");
  await expect.poll(() => lineOf(agent, "own", "car AB c"), patience).toContain('plate="car"');
  await expect.poll(() => agent.log(), patience).toContain("script logging/own.p compiles again");
});
