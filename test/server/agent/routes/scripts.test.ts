// The scripts of a running agent over HTTP: the list with origin, state and errors, saving after a check, and restoring
// the previous version.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const url = "/v1/pipeline/scripts";
let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    scripts: {
      "app.p": "add_key(a, 1)",
      "logging/broken.p": "add_key(a, 1)\nadd_key(",
      "metric/cpu.p": 'rename(load, "l")',
      "logging/uses.p": 'use("part.p")',
      "logging/part.p": "add_key(p, 1)",
    },
  });
});
afterAll(() => agent.stop());

interface Listed {
  readonly category: string;
  readonly name: string;
  readonly origin: string;
  readonly content: string;
  readonly in_force: string;
  readonly errors: readonly { error: string; places?: readonly { file: string; ln: number; col: number }[] }[];
  readonly previous?: string;
  readonly points: number;
}

async function list(its = agent): Promise<readonly Listed[]> {
  const { status, text } = await its.send(url);
  expect(status).toBe(200);
  return (JSON.parse(text) as { content: { scripts: readonly Listed[] } }).content.scripts;
}
const find = async (category: string, name: string, its = agent) =>
  (await list(its)).find((each) => each.category === category && each.name === name);
const post = async (body: unknown, to = url, its = agent) => {
  const { status, text } = await its.send(to, { body: typeof body === "string" ? body : JSON.stringify(body) });
  return {
    status,
    ...(JSON.parse(text) as {
      content?: { saved: boolean; errors: readonly unknown[] };
      message?: string;
      error_code?: string;
    }),
  };
};
const fileOf = (category: string, name: string) => path.join(agent.dataDir, "pipeline", category, name);

describe("the list of scripts", () => {
  it("has files, and scripts that come with the agent, each with its origin and state", async () => {
    const scripts = await list();
    const one = (name: string) => scripts.find((each) => each.name === name);
    expect(one("app.p")).toEqual({
      category: "logging",
      name: "app.p",
      origin: "local",
      content: "add_key(a, 1)",
      in_force: "this",
      errors: [],
      points: 0,
      dropped: 0,
      failed: 0,
    });
    expect(one("nginx.p")).toMatchObject({ origin: "ready", in_force: "this", category: "logging" });
    expect(one("cpu.p")).toMatchObject({ origin: "local", category: "metric" });
    expect(scripts.map(({ category, name }) => `${category}/${name}`)).toEqual(
      scripts.map(({ category, name }) => `${category}/${name}`).toSorted(),
    );
  });

  it("has the error of a script that does not compile, with its place", async () => {
    const broken = await find("logging", "broken.p");
    expect(broken).toMatchObject({ in_force: "none", errors: [{ error: expect.stringContaining("broken.p:2:") }] });
    expect(broken!.errors[0]!.places![0]).toMatchObject({ file: "broken.p", ln: 2 });
  });

  it("counts the points of a script", async () => {
    const sent = await agent.send("/v1/write/logging?source=app", { body: 'app message="a"\napp message="b"' });
    expect(sent.status).toBe(200);
    expect(await find("logging", "app.p")).toMatchObject({ points: 2, dropped: 0, failed: 0 });
  });

  it("has scripts of the gateway before the files that they replace", async () => {
    const gateway = await startGateway();
    const named = (name: string, text: string) => ({
      name,
      category: "logging",
      base64text: Buffer.from(text).toString("base64"),
    });
    gateway.scripts = JSON.stringify({
      remote_pipelines: {
        update_time: 5,
        pipelines: [named("app.p", "add_key(remote, 1)"), named("wrong.p", "add_key(")],
        relation_update_time: -1,
        relation: [],
      },
    });
    const own = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}?token=t"]\n`,
      scripts: { "app.p": "add_key(a, 1)" },
    });
    try {
      const apps = async () => (await list(own)).filter(({ name }) => name === "app.p");
      await expect.poll(apps).toMatchObject([
        { origin: "gateway", in_force: "this", content: "add_key(remote, 1)" },
        { origin: "local", in_force: "gateway", content: "add_key(a, 1)" },
      ]);
      expect(await find("logging", "wrong.p", own)).toMatchObject({
        origin: "gateway",
        in_force: "none",
        errors: [{ places: [{ file: "wrong.p", ln: 1 }] }],
      });
    } finally {
      await own.stop();
      await gateway.close();
    }
  });
});

describe("saving a script", () => {
  it("writes a private file that comes into force", async () => {
    const content = "add_key(saved, 1)\n";
    const answer = await post({ category: "logging", name: "fresh.p", content, present: null });
    expect(answer).toEqual({ status: 200, content: { saved: true, errors: [] } });
    expect(readFileSync(fileOf("logging", "fresh.p"), "utf8")).toBe(content);
    expect(statSync(fileOf("logging", "fresh.p")).mode & 0o777).toBe(0o600);
    await expect.poll(() => find("logging", "fresh.p")).toMatchObject({ in_force: "this", previous: "no file" });
    await agent.send("/v1/write/logging?source=fresh", { body: 'fresh message="x"' });
    await expect.poll(async () => (await agent.output("logging")).join("\n")).toContain("saved=1i");
    expect(agent.log()).toContain("script logging/fresh.p was saved by a client");
  });

  it("is refused with the errors and their places when the script does not compile, and writes nothing", async () => {
    const answer = await post({ category: "logging", name: "bad.p", content: "add_key(a, 1)\nno_such_function()" });
    expect(answer).toMatchObject({
      status: 200,
      content: {
        saved: false,
        errors: [{ category: "logging", name: "bad.p", places: [{ file: "bad.p", ln: 2, col: 1 }] }],
      },
    });
    expect(existsSync(fileOf("logging", "bad.p"))).toBe(false);
  });

  it("is refused when another script would no longer compile", async () => {
    const answer = await post({ category: "logging", name: "part.p", content: 'use("uses.p")' });
    expect(answer.content).toMatchObject({ saved: false });
    expect(readFileSync(fileOf("logging", "part.p"), "utf8")).toBe("add_key(p, 1)");
  });

  it("only checks the script when the request has check_only", async () => {
    const answer = await post({ category: "logging", name: "never.p", content: "add_key(a, 1)", check_only: true });
    expect(answer.content).toEqual({ saved: false, errors: [] });
    expect(existsSync(fileOf("logging", "never.p"))).toBe(false);
  });

  it("is refused when the file differs from the content that the client has seen", async () => {
    const content = "add_key(b, 2)";
    const wrong = { category: "metric", name: "cpu.p", content, present: "another text" };
    expect(await post(wrong)).toMatchObject({ status: 409, error_code: "agent.scriptNotSaved" });
    expect(await post({ ...wrong, present: null })).toMatchObject({ status: 409 });
    expect(readFileSync(fileOf("metric", "cpu.p"), "utf8")).toBe('rename(load, "l")');
  });

  it("replaces a bundled script, and going back restores the bundled one", async () => {
    const ready = (await find("logging", "redis.p"))!;
    await post({ category: "logging", name: "redis.p", content: "add_key(own, 1)", present: null });
    await expect.poll(() => find("logging", "redis.p")).toMatchObject({ origin: "local", in_force: "this" });
    const back = await post({ category: "logging", name: "redis.p", present: "add_key(own, 1)" }, `${url}/back`);
    expect(back).toMatchObject({ status: 200, content: { saved: true } });
    await expect
      .poll(() => find("logging", "redis.p"))
      .toMatchObject({ origin: "ready", in_force: "this", content: ready.content });
  });

  it("lets the user go back to the previous version, and forward again", async () => {
    const file = { category: "logging", name: "twice.p" };
    for (const content of ["add_key(v, 1)", "add_key(v, 2)"]) await post({ ...file, content });
    expect(await find("logging", "twice.p")).toMatchObject({ content: "add_key(v, 2)", previous: "version" });
    await post(file, `${url}/back`);
    expect(await find("logging", "twice.p")).toMatchObject({ content: "add_key(v, 1)", previous: "version" });
    await post(file, `${url}/back`);
    expect(await find("logging", "twice.p")).toMatchObject({ content: "add_key(v, 2)" });
  });

  it("refuses to go back for a script that was never saved", async () => {
    const answer = await post({ category: "metric", name: "cpu.p" }, `${url}/back`);
    expect(answer).toMatchObject({ status: 409, message: "there is no version to go back to" });
    expect(existsSync(fileOf("metric", "cpu.p"))).toBe(true);
  });

  it("returns an error when the system refuses to write the file", async () => {
    writeFileSync(path.join(agent.dataDir, "pipeline", "object"), "no folder");
    const answer = await post({ category: "object", name: "a.p", content: "add_key(a, 1)" });
    expect(answer).toMatchObject({ status: 409, message: expect.stringMatching(/^the file cannot be written: E/) });
  });

  it("accepts exactly one of many concurrent saves, and writes its whole text", async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `add_key(at, ${at})\n# ${"x".repeat(20_000)} ${at}\n`);
    const answers = await Promise.all(
      texts.map((content) => post({ category: "logging", name: "race.p", content, present: null })),
    );
    expect(answers.filter(({ content }) => content?.saved === true).length).toBe(1);
    expect(answers.filter(({ status }) => status === 409).length).toBe(19);
    expect(texts).toContain(readFileSync(fileOf("logging", "race.p"), "utf8"));
    expect(readdirSync(path.dirname(fileOf("logging", "race.p"))).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});

describe("a request that would leave the folder or is malformed", () => {
  const good = { category: "logging", name: "ok.p", content: "add_key(a, 1)" };
  it.each<[string, Record<string, unknown>]>([
    ["a parent folder", { name: "../escaped.p" }],
    ["a longer way up", { name: "../../../../../../tmp/escaped.p" }],
    ["another category", { name: "../metric/cpu.p" }],
    ["an absolute path", { name: "/tmp/escaped.p" }],
    ["a folder", { name: "a/b.p" }],
    ["a backslash", { name: "..\\escaped.p" }],
    ["a slash in percent code", { name: "..%2fescaped.p" }],
    ["a NUL", { name: "a.p\0.txt" }],
    ["a hidden file", { name: ".escaped.p" }],
    ["the file of another version", { name: "ok.p.previous" }],
    ["a device", { name: "con.p" }],
    ["a long name", { name: `${"a".repeat(300)}.p` }],
    ["no name", { name: "" }],
    ["a name that is no text", { name: ["a.p"] }],
    ["a category that is a path", { category: "../../x" }],
    ["the folder of patterns", { category: "patterns" }],
    ["an unknown member of all objects", { category: "constructor" }],
    ["a content that is no text", { content: 5 }],
    ["half a character", { content: "\ud800" }],
    ["a content over 1 MiB", { content: "#".repeat(1024 * 1024 + 1) }],
    ["a present version that is no text", { present: 5 }],
    ["a check that is no boolean", { check_only: "yes" }],
  ])("is refused: %s", async (_name, part) => {
    const before = readdirSync(path.join(agent.dataDir, "pipeline"), { recursive: true }).sort();
    const answer = await post({ ...good, ...part });
    expect([answer.status, answer.error_code]).toEqual([
      400,
      expect.stringMatching(/^agent\.invalid(?:Request|Category)$/),
    ]);
    expect(answer.message!.length).toBeLessThan(300);
    const { content: _content, check_only: _check, ...named } = { ...good, ...part } as Record<string, unknown>;
    if (!("content" in part) && !("check_only" in part)) {
      expect((await post(named, `${url}/back`)).status).toBe(400);
    }
    expect(readdirSync(path.join(agent.dataDir, "pipeline"), { recursive: true }).sort()).toEqual(before);
    expect(existsSync("/tmp/escaped.p")).toBe(false);
  });

  it.each([
    ["empty", ""],
    ["a list", "[]"],
    ["null", "null"],
    ["a text", '"text"'],
    ["cut", "{"],
    ["nested deep", '{"a":'.repeat(2000)],
  ])("is refused: the body is %s", async (_name, body) => {
    expect(await post(body)).toMatchObject({ status: 400, error_code: "agent.invalidRequest" });
  });

  it.each(["https://evil.example", "null", "http://localhost:1"])("is refused from the page %s", async (origin) => {
    const body = JSON.stringify(good);
    for (const to of [url, `${url}/back`]) {
      expect((await agent.send(to, { body, headers: { origin, "content-type": "text/plain" } })).status).toBe(403);
    }
    expect(existsSync(fileOf("logging", "ok.p"))).toBe(false);
  });
});

it("refuses to save when the setting is off, and still lists and checks scripts", async () => {
  const closed = await startAgent({ config: "[pipeline]\nsave_scripts = false" });
  try {
    const script = { category: "logging", name: "a.p", content: "add_key(a, 1)" };
    const refusal = { status: 403, error_code: "agent.scriptSavingDisabled" };
    expect(await post(script, url, closed)).toMatchObject(refusal);
    expect(await post(script, `${url}/back`, closed)).toMatchObject(refusal);
    expect((await post({ ...script, check_only: true }, url, closed)).status).toBe(200);
    expect((await list(closed)).length).toBeGreaterThan(10);
    expect(existsSync(path.join(closed.dataDir, "pipeline", "logging"))).toBe(false);
  } finally {
    await closed.stop();
  }
});
