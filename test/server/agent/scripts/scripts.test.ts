// Scripts that run on the writes of the real agent: selection by source, dropped and created points, errors, reloads,
// crashes.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent, writeScript } from "../../support/running-agent.ts";

let agent: AgentProcess;

beforeAll(async () => {
  agent = await startAgent({
    config:
      '[environments]\nENV_HOSTNAME = "web01"\n[pipeline]\nmax_steps_per_point = 10000\n[http_api]\nworkers = 1\nrequest_rate_limit = 0',
    scripts: {
      "root.p": 'add_key(from, "root")',
      "logging/drop.p": 'if grok(_, "^bad") {\ndrop()\n}',
      "logging/broken.p": "x = = 1\n",
      "logging/fails.p": "add_key(before, 1)\nz = before - 1\nx = before / z\nadd_key(after, 1)",
      "logging/loops.p": "for ;; {}",
      "logging/makes.p":
        'create_point("made", {"t": "v"}, {"f": 1, "s": "dropped by metric"}, 1700000000000000000, "M")',
      "logging/status.p": 'add_key(status, "ERROR")',
      "metric/dots.p": 'add_key(s, "text")\nadd_key(n, 1)',
    },
  });
});

afterAll(() => agent.stop());

const log = (source: string, ...messages: string[]) =>
  agent.send(`/v1/write/logging?source=${source}`, {
    body: messages.map((text) => `${source} message="${text}" 1`).join("\n"),
  });

const lines = async (category: string, name: string) =>
  (await agent.output(category)).filter((line) => line.startsWith(`${name},`));

describe("the script of a write", () => {
  it("is the one that `source` names, in the folder of the category or, for logs, in its parent", async () => {
    await log("root", "x");
    expect(await lines("logging", "root")).toEqual([
      'root,host=web01 from="root",message="x",status="unknown" 1000000000',
    ]);
  });

  it("is the bundled nginx.p unless a file of this name exists", async () => {
    const access = '127.0.0.1 - - [21/Nov/2025:10:00:00 +0000] \\"GET /a HTTP/1.1\\" 404 12 \\"-\\" \\"curl/8\\"';
    await log("nginx", access);
    expect(await lines("logging", "nginx")).toEqual([
      `nginx,host=web01 bytes=12i,client_ip="127.0.0.1",http_method="GET",http_url="/a",http_version="1.1",message="${access}",status="warning",status_code=404i,user_agent="curl/8" 1763719200000000000`,
    ]);
  });

  it("does not affect the echo", async () => {
    const { text } = await agent.send("/v1/write/logging?source=root&echo=lp", { body: 'e message="x" 1' });
    expect(text).toBe('e message="x",status="unknown" 1000000000');
  });

  it("drops points", async () => {
    expect((await log("drop", "good", "bad", "better")).status).toBe(200);
    expect((await lines("logging", "drop")).map((line) => /message="(\w+)"/.exec(line)![1])).toEqual([
      "good",
      "better",
    ]);
    expect(
      await agent.metric('agent_pipeline_drop_point_total{category="logging",name="drop.p",namespace="default"}'),
    ).toBe(1);
  });

  it("creates points of other categories, which are corrected and get no global tags", async () => {
    await log("makes", "x");
    expect(await lines("metric", "made")).toEqual(["made,t=v f=1i 1700000000000000000"]);
    expect(await lines("logging", "makes")).toHaveLength(1);
  });

  it("runs before the rules of the category are applied", async () => {
    await log("status", "x");
    expect((await lines("logging", "status"))[0]).toContain('status="error"');
    await agent.send("/v1/write/metric?source=dots", { body: "dots v=1i 1" });
    expect(await lines("metric", "dots")).toEqual(["dots,host=web01 n=1i,v=1i 1000000000"]);
  });

  it("keeps what it changed before it failed", async () => {
    expect((await log("fails", "x")).status).toBe(200);
    const [line] = await lines("logging", "fails");
    expect(line).toContain("before=1i");
    expect(line).not.toContain("after");
    await expect.poll(() => agent.log()).toContain("integer division by zero");
  });

  it("does not run when it has an error or is not there", async () => {
    await expect.poll(() => agent.log()).toMatch(/script logging\/broken\.p is not in force: broken\.p:1:\d+: /);
    await log("broken", "x");
    await log("absent", "x");
    expect(await lines("logging", "broken")).toEqual(['broken,host=web01 message="x",status="unknown" 1000000000']);
    expect(await lines("logging", "absent")).toHaveLength(1);
  });

  it("is ended at its step limit, and the next write works", async () => {
    expect((await log("loops", "x")).status).toBe(200);
    expect(await lines("logging", "loops")).toHaveLength(1);
    await expect.poll(() => agent.log()).toContain("script exceeded 10000 steps");
    expect((await log("root", "after")).status).toBe(200);
  });

  it("is read anew when its file changes", async () => {
    writeScript(agent.dataDir, "logging/late.p", 'add_key(v, "one")');
    await expect
      .poll(
        async () => {
          await log("late", "x");
          return (await lines("logging", "late")).at(-1);
        },
        { interval: 300 },
      )
      .toContain('v="one"');
  });
});

describe("a worker that dies", () => {
  it("fails its request with 500, and the next request works", { timeout: 360_000 }, async () => {
    const greedy = "l = nil\nfor i = 0; i < 1000000000; i = i + 1 {\nl = [l, [i, i, i, i, i, i, i, i, i, i, i, i]]\n}";
    const own = await startAgent({
      config:
        '[pipeline]\nmax_steps_per_point = 0\nmax_steps_per_write = 0\nmax_bytes_per_point = 0\n[http_api]\nworkers = 1\ntimeout = "300s"',
      scripts: { "logging/greedy.p": greedy },
    });
    // The values of scripts may take at most 1 GiB in a worker thread. The script needs more memory than this, so
    // the worker thread crashes.
    const crashed = await own.send("/v1/write/logging?source=greedy", { body: 'greedy message="x" 1' });
    expect([crashed.status, JSON.parse(crashed.text).error_code]).toEqual([500, "agent.internalServerError"]);
    const next = await own.send("/v1/write/logging?echo=lp", { body: 'l message="x",status="ok" 1' });
    expect([next.status, next.text]).toEqual([200, 'l message="x",status="ok" 1000000000']);
    await expect.poll(() => own.metric("agent_worker_crash_total")).toBe(1);
    await own.stop();
    // The test has a long timeout, because filling 1 GiB of memory takes long.
  });

  it("does not stop other writes when two scripts loop forever, with or without limits", async () => {
    for (const limits of ["max_steps_per_write = 20000000", "max_steps_per_point = 0\nmax_steps_per_write = 0"]) {
      const own = await startAgent({
        config: `[pipeline]\n${limits}\n[http_api]\nworkers = 2\ntimeout = "2s"\nrequest_rate_limit = 0`,
        scripts: {
          "logging/forever.p": "for ;; {}",
          "metric/forever.p": "for ;; {}",
          "logging/good.p": "add_key(x, 1)",
        },
      });
      let ended = 0;
      const loops = ["logging", "metric"].flatMap((category) =>
        [1, 2].map(async () => {
          const { status } = await own.send(`/v1/write/${category}?source=forever`, { body: "l v=1i 1" });
          ended++;
          return status;
        }),
      );
      // The writes without a script are small and need no worker thread. So the agent answers them while writes with a
      // script wait for a worker thread.
      for (let at = 0; ended === 0; at++) {
        expect((await own.send("/v1/write/metric", { body: `m v=${at}i 1` })).status).toBe(200);
      }
      for (const status of await Promise.all(loops)) expect([200, 408]).toContain(status);
      // While new worker threads start, a write may time out although its script is good. So the test repeats the
      // write.
      const good = async () => (await own.send("/v1/write/logging?source=good", { body: "l v=1i 1" })).status;
      await expect.poll(good).toBe(200);
      expect((await own.output("logging")).at(-1)).toContain("x=1i");
      await own.stop();
    }
  });

  it("is ended when its request times out", async () => {
    const own = await startAgent({
      config: '[pipeline]\nmax_steps_per_point = 0\nmax_steps_per_write = 0\n[http_api]\nworkers = 1\ntimeout = "1s"',
      scripts: { "logging/forever.p": "for ;; {}" },
    });
    const late = await own.send("/v1/write/logging?source=forever", { body: 'l message="x" 1' });
    expect([late.status, late.text]).toEqual([408, "timeout(1s)"]);
    const next = async () => {
      const { status, text } = await own.send("/v1/write/logging?echo=lp", { body: 'l message="x",status="ok" 1' });
      return [status, text];
    };
    await expect.poll(next).toEqual([200, 'l message="x",status="ok" 1000000000']);
    await own.stop();
  });
});
