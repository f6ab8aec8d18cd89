// Script files of the agent while the threads that compile them crash, and while the configuration is reloaded.

import { expect, it, onTestFinished } from "vitest";
import { createLocalScripts, type KeptScripts, noKeptScripts } from "../../../../server/agent/scripts/local-scripts.ts";
import { createScriptErrors } from "../../../../server/agent/scripts/script-errors.ts";
import type { ChooseVersionsJob, ChosenScripts } from "../../../../server/agent/scripts/script-sources.ts";
import { Pool } from "../../../../server/agent/thread-pool.ts";
import { createLog } from "../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

const crashes = "compiling it or another: exit code 3";

/**
 * Makes an agent that compiles its script files in a worker thread (crashing-worker.mjs). For each attempt to compile,
 * the thread gets the next job of `jobs`, which may make the thread crash. Every file compiles, except files with the
 * text `broken`.
 */
function agentOfTest(jobs: string[] = []) {
  const pool = new Pool<number | string, number>({
    script: new URL("../crashing-worker.mjs", import.meta.url),
    size: 1,
    mostWaiting: 4,
    workerData: () => ({}),
    onCrash: () => {},
  });
  onTestFinished(() => pool.close());
  const chooseVersions = async ({ files, patterns, before }: ChooseVersionsJob): Promise<ChosenScripts> => {
    await pool.run(jobs.shift() ?? 1, []);
    const all = Object.entries(files.metric ?? {});
    const old = before.scripts.metric ?? {};
    const scripts = all.flatMap(([name, text]) => {
      const runs = text === "broken" ? old[name] : text;
      return runs === undefined ? [] : [[name, runs]];
    });
    const failed = all.flatMap(([name, text]) =>
      text === "broken" ? [{ category: "metric" as const, name, error: "it is broken" }] : [],
    );
    const wrongPatterns = Object.values(patterns);
    return { scripts: { metric: Object.fromEntries(scripts) }, helpers: {}, patterns, failed, wrongPatterns };
  };
  const metrics = createMetrics();
  const showErrors = createScriptErrors("default", metrics);
  let log = "";
  const start = (kept: KeptScripts) => {
    const take = createLocalScripts({
      kept,
      chooseVersions,
      onChange: () => {},
      showErrors,
      log: createLog("info", (line) => {
        log += line;
      }),
      metrics,
    });
    return (texts: Readonly<Record<string, string>>, patterns: Readonly<Record<string, string>> = {}) =>
      take({ sources: { metric: texts }, unreadable: [], patterns });
  };
  return {
    start,
    log: () => log,
    /** Returns the errors of scripts that the agent shows at /metrics. */
    errors: async () => {
      const gauges = [metrics.pipelineCompileErrors, metrics.lastErrors];
      const shown = await Promise.all(gauges.map((gauge) => gauge.get()));
      return shown.map(({ values }) => values.map(({ labels }) => labels.error));
    },
  };
}

it("compiles local scripts in another thread when the first thread dies", async () => {
  const { start, errors } = agentOfTest(["exit"]);
  const kept = noKeptScripts();
  await start(kept)({ "a.p": "a1" });
  expect(kept.inForce.scripts).toEqual({ metric: { "a.p": "a1" } });
  expect(await errors()).toEqual([[], []]);
});

it("rejects new and changed files when every thread dies, until the files change again", async () => {
  const jobs: string[] = [];
  const { start, errors, log } = agentOfTest(jobs);
  const kept = noKeptScripts();
  const take = start(kept);
  await take({ "a.p": "a1", "b.p": "b1", "gone.p": "g1" });
  jobs.push("exit", "exit");
  await take({ "a.p": "a2", "b.p": "b1", "new.p": "n1" });
  expect(kept.inForce).toEqual({
    scripts: { metric: { "a.p": "a1", "b.p": "b1" } },
    helpers: { metric: { "a.p": "a1", "b.p": "b1", "gone.p": "g1" } },
    patterns: {},
  });
  expect(await errors()).toEqual([
    [crashes, crashes],
    [crashes, crashes],
  ]);
  expect(log()).toMatch(/script metric\/a\.p does not compile, its version of \S+ goes on running: compiling it or/);
  expect(log()).toContain(`script metric/new.p is not in force: ${crashes}`);
  await take({ "a.p": "a3", "b.p": "b1", "new.p": "n1" });
  expect(kept.inForce).toEqual({
    scripts: { metric: { "a.p": "a3", "b.p": "b1", "new.p": "n1" } },
    helpers: {},
    patterns: {},
  });
  expect(await errors()).toEqual([[], []]);
  expect(log()).toContain("script metric/a.p compiles again");
});

it("logs each error once over reloads of the configuration, and shows it only while it exists", async () => {
  const { start, errors, log } = agentOfTest();
  const kept = noKeptScripts();
  await start(kept)({ "a.p": "a1" });
  await start(kept)({ "a.p": "broken", "b.p": "broken" });
  await start(kept)({ "a.p": "broken", "b.p": "broken" });
  expect(await errors()).toEqual([
    ["it is broken", "it is broken"],
    ["it is broken", "it is broken"],
  ]);
  expect(log().match(/it is broken/g)).toHaveLength(2);
  await start(kept)({ "a.p": "a2" });
  expect(await errors()).toEqual([[], []]);
  expect(log().match(/compiles again/g)).toHaveLength(1);
  expect(log()).toContain("script metric/a.p compiles again");
});

it("logs each problem of a pattern file once over reloads, and again when it returns", async () => {
  const { start, log } = agentOfTest();
  const kept = noKeptScripts();
  const wrong = { "x.grok": "x.grok:1: pattern X: it is wrong" };
  await start(kept)({ "a.p": "a1" }, wrong);
  await start(kept)({ "a.p": "a2" }, { ...wrong, "y.grok": "y.grok:2: pattern Y: it is wrong" });
  expect(log().match(/it is wrong/g)).toHaveLength(2);
  expect(kept.inForce.patterns).toMatchObject(wrong);
  await start(kept)({ "a.p": "a2" });
  await start(kept)({ "a.p": "a2" }, wrong);
  expect(log().match(/x\.grok:1: pattern X: it is wrong/g)).toHaveLength(2);
});

it("keeps the previous pattern files when every thread dies", async () => {
  const jobs: string[] = [];
  const { start } = agentOfTest(jobs);
  const kept = noKeptScripts();
  await start(kept)({ "a.p": "a1" }, { "x.grok": "1" });
  jobs.push("exit", "exit");
  await start(kept)({ "a.p": "a1" }, { "x.grok": "2" });
  expect(kept.inForce.patterns).toEqual({ "x.grok": "1" });
});
