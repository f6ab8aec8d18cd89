// Live points of a running agent: a client gets them as they were before and after the script.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const url = "/v1/pipeline/live";
let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    config: "[pipeline]\nlive_points_per_second = 1000\nlive_points_max_count = 20",
    scripts: { "logging/app.p": 'if level == "debug" { drop() }\nuppercase(level)' },
  });
});
afterAll(() => agent.stop());

interface Answer {
  readonly last: number;
  readonly missed: number;
  readonly points: readonly {
    readonly number: number;
    readonly category: string;
    readonly script: string;
    readonly dropped: boolean;
    readonly before: { readonly entries: readonly { readonly key: string; readonly text: string }[] };
    readonly after: Answer["points"][0]["before"] | null;
  }[];
}

async function ask(body: Record<string, unknown> = {}, its = agent): Promise<Answer> {
  const { status, text } = await its.send(url, { body: JSON.stringify(body) });
  expect([status, text]).toEqual([200, text]);
  return (JSON.parse(text) as { content: Answer }).content;
}
const write = async (category: string, body: string, query = "") => {
  const { status } = await agent.send(`/v1/write/${category}${query}`, { body });
  expect(status).toBe(200);
};
const textOf = (point: Answer["points"][0]["before"] | null, key: string) =>
  point?.entries.find((each) => each.key === key)?.text;

describe("live points", () => {
  it("contain the point before and after the script, from the first poll of a client on", async () => {
    await write("logging", 'app level="info",message="early"', "?source=app");
    const { last } = await ask({ category: "logging" });
    const waiting = ask({ category: "logging", after: last, wait_ms: 10_000 });
    await write("logging", 'app level="info",message="a"\napp level="debug",message="b"', "?source=app");
    const { points } = await waiting;
    expect(
      points.map(({ script, dropped, before, after }) => [
        script,
        dropped,
        textOf(before, "level"),
        textOf(after, "level"),
        textOf(after, "message"),
      ]),
    ).toEqual([
      ["app.p", false, "info", "INFO", "a"],
      ["app.p", true, "debug", undefined, undefined],
    ]);
  });

  it("are shown without a script too, with the agent's tags", async () => {
    const { last } = await ask({ category: "metric" });
    await write("metric", "cpu load=0.5");
    const { points } = await ask({ category: "metric", after: last, wait_ms: 10_000 });
    expect(points.length).toBe(1);
    expect([points[0]!.script, textOf(points[0]!.before, "load"), textOf(points[0]!.before, "host")]).toEqual([
      "",
      "0.5",
      expect.stringMatching(/./),
    ]);
    expect(points[0]!.after).toEqual(points[0]!.before);
  });

  it("are limited to the configured number, however many points arrive", async () => {
    const { last } = await ask({});
    const many = Array.from({ length: 500 }, (_, at) => `cpu load=${at}`).join("\n");
    for (let turn = 0; turn < 10; turn++) await write("metric", many);
    const { points, missed } = await ask({ after: last, wait_ms: 10_000 });
    expect([points.length, missed]).toEqual([20, 30]);
  });

  it("do not change what the agent writes", async () => {
    await ask({ category: "object" });
    await write("object", "host,name=a load=1i 1700000000000000000");
    expect((await agent.output("object")).at(-1)).toMatch(/^host,name=a,host=[^ ]+ load=1i 1700000000000000000$/);
    expect((await ask({ category: "object" })).points.length).toBe(1);
  });
});

describe("a wrong request for live points", () => {
  it.each<[unknown, string]>([
    [{ seconds: 61 }, "seconds must be a whole number from 0 to 60"],
    [{ seconds: "10" }, "seconds must be a whole number from 0 to 60"],
    [{ wait_ms: -1 }, "wait_ms must be a whole number from 0 to 20000"],
    [{ after: 1.5 }, `after must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`],
    [{ category: "nothing" }, "invalid category"],
    [[], "a JSON object is needed"],
  ])("%j is refused", async (body, message) => {
    const { status, text } = await agent.send(url, { body: JSON.stringify(body) });
    expect([status, JSON.parse(text).message]).toEqual([400, message]);
  });

  it("from a page of another origin is refused", async () => {
    const { status } = await agent.send(url, { body: "{}", headers: { origin: "https://evil.example" } });
    expect(status).toBe(403);
  });
});

it("live points are refused when the setting is off", async () => {
  const closed = await startAgent({ config: "[pipeline]\nlive_points = false" });
  try {
    const { status, text } = await closed.send(url, { body: "{}" });
    expect([status, JSON.parse(text).error_code]).toEqual([403, "agent.livePointsDisabled"]);
  } finally {
    await closed.stop();
  }
});

it("a client that waits for live points delays neither a reload nor the end of the agent", async () => {
  const own = await startAgent({ config: "" });
  const waiting = own.send(url, { body: JSON.stringify({ wait_ms: 15_000, seconds: 60 }) });
  await own.send("/v1/ping");
  const began = performance.now();
  own.signal("SIGHUP");
  expect((await waiting).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(5000);
  await own.stop();
});
