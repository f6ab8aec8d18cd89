// Global tags (added to all points) are read and changed over HTTP (docs/reference/agent.md#global-tags).

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

let agent: AgentProcess;
afterEach(() => agent.stop());

const ask = async (method: string, at: string) => {
  const { status, text } = await agent.send(`/v1/global/${at}`, { method });
  return [status, JSON.parse(text)];
};
const names = '[environments]\nENV_HOSTNAME = "web01"\n';

describe("an agent without election", () => {
  it("shows, sets and deletes host tags, copies them to the election tags, and adds them to the next write", async () => {
    agent = await startAgent({ config: `${names}[global_host_tags]\nh = "h"\n` });
    expect(await ask("GET", "host/tags")).toEqual([200, { "host-tags": { h: "h", host: "web01" } }]);
    expect(await ask("POST", "host/tags?tag1=v1&tag2=&tag1=second&host=other")).toEqual([
      200,
      {
        "gateway-tags": { h: "h", host: "web01", tag1: "v1", tag2: "" },
        "election-tags": { h: "h", host: "web01", tag1: "v1", tag2: "" },
        "host-tags": { h: "h", host: "web01", tag1: "v1", tag2: "" },
      },
    ]);
    await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    expect(await agent.output("metric")).toEqual(["m,h=h,host=web01,tag1=v1 v=1i 1000000000"]);
    const [, left] = await ask("DELETE", "host/tags?tags=h,nope,host&tags=tag1");
    expect(left["host-tags"]).toEqual({ host: "web01", tag1: "v1", tag2: "" });
    expect(left["election-tags"]).toEqual(left["host-tags"]);
    expect(Object.keys(left)).toEqual(["gateway-tags", "election-tags", "host-tags"]);
  });

  it("refuses to change election tags, but shows them", async () => {
    agent = await startAgent({ config: names });
    expect(await ask("GET", "election/tags")).toEqual([200, { "election-tags": { host: "web01" } }]);
    for (const method of ["POST", "DELETE"]) {
      expect(await ask(method, "election/tags?a=b&tags=a")).toEqual([
        403,
        {
          error_code: "agent.electionDisabled",
          message: "Can't use this command when global-election is false.",
        },
      ]);
    }
  });

  it("returns tags in the order of their names", async () => {
    agent = await startAgent({ config: `${names}[global_host_tags]\nzone = "z"\n` });
    const { text } = await agent.send("/v1/global/host/tags?b=1&a=2&Z=3", { method: "POST" });
    const tags = '{"Z":"3","a":"2","b":"1","host":"web01","zone":"z"}';
    expect(text).toBe(`{"gateway-tags":${tags},"election-tags":${tags},"host-tags":${tags}}`);
    expect((await agent.send("/v1/global/host/tags")).text).toBe(`{"host-tags":${tags}}`);
  });

  it("also reads host tags from the older table global_tags", async () => {
    agent = await startAgent({
      config: `${names}[global_tags]\nh = "older"\no = "o"\nhost = "h"\n[global_host_tags]\nh = "h"\n`,
    });
    expect((await ask("GET", "host/tags"))[1]).toEqual({ "host-tags": { h: "h", host: "web01", o: "o" } });
    expect(agent.log()).not.toContain("unknown key");
  });

  it("returns the current tags for a POST without parameters", async () => {
    agent = await startAgent({ config: names });
    expect((await ask("POST", "host/tags"))[1]["host-tags"]).toEqual({ host: "web01" });
  });

  it("refuses clients that are not local", async () => {
    agent = await startAgent({ config: names });
    for (const method of ["GET", "POST", "DELETE"]) {
      const { status } = await agent.send("/v1/global/host/tags?a=b", {
        method,
        headers: { "x-forwarded-for": "127.0.0.1" },
      });
      expect(status).toBe(403);
    }
  });

  it("accepts tag names such as __proto__", async () => {
    agent = await startAgent({ config: names });
    const [status, tags] = await ask("POST", "host/tags?__proto__=a&constructor=b");
    expect(status).toBe(200);
    expect(Object.entries(tags["host-tags"])).toEqual(expect.arrayContaining([["constructor", "b"]]));
    await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    expect(await agent.output("metric")).toEqual(["m,host=web01,__proto__=a,constructor=b v=1i 1000000000"]);
  });
});

it("adds the namespace of the election to the election tags, when the configuration says so", async () => {
  const own = await startAgent({
    config: `${names}[election]\nenable = true\nnamespace = "blue"\nenable_namespace_tag = true\n`,
  });
  try {
    const { text } = await own.send("/v1/global/election/tags");
    expect(JSON.parse(text)).toEqual({ "election-tags": { election_namespace: "blue" } });
  } finally {
    await own.stop();
  }
});

describe("an agent with election", () => {
  it("keeps host tags and election tags apart", async () => {
    agent = await startAgent({ config: `${names}[election]\nenable = true\n[election.tags]\np = "1"\n` });
    expect((await ask("POST", "election/tags?q=2"))[1]).toEqual({
      "gateway-tags": { host: "web01", p: "1", q: "2" },
      "election-tags": { p: "1", q: "2" },
      "host-tags": { host: "web01" },
    });
    expect((await ask("POST", "host/tags?h=3"))[1]["election-tags"]).toEqual({ p: "1", q: "2" });
    expect((await ask("DELETE", "election/tags?tags=p"))[1]["gateway-tags"]).toEqual({ h: "3", host: "web01", q: "2" });
    expect((await ask("DELETE", "host/tags?tags=h"))[1]["election-tags"]).toEqual({ q: "2" });
    await agent.send("/v1/write/metric?global_election_tags=1", { body: "m v=1i 1" });
    expect(await agent.output("metric")).toEqual(["m,q=2,host=web01 v=1i 1000000000"]);
  });
});

describe("the configuration file", () => {
  const fileOf = ({ dataDir }: AgentProcess) => path.join(dataDir, "agent.toml");

  it("contains changed tags after a change, and keeps its comments", async () => {
    agent = await startAgent({
      config: `# ours\n${names}[global_host_tags]\nh = "h" # keep me\n`,
    });
    await ask("POST", "host/tags?h=2&n=3");
    const text = readFileSync(path.join(agent.dataDir, "agent.toml"), "utf8");
    expect(text).toBe(`# ours\n${names}[global_host_tags]\nh = "2" # keep me\nn = "3"\n`);
  });

  it("contains a removed tag no longer, not even in the older table global_tags", async () => {
    agent = await startAgent({ config: `${names}[global_tags]\no = "o"\nq = "q"\n[global_host_tags]\nh = "h"\n` });
    await ask("DELETE", "host/tags?tags=o,h");
    const text = readFileSync(path.join(agent.dataDir, "agent.toml"), "utf8");
    expect(text).toBe(`${names}[global_tags]\nq = "q"\n[global_host_tags]\n`);
  });

  it("contains changed election tags, whatever their names, also after later starts", async () => {
    const head = `${names}[election]\nenable = true # keep me\n\n`;
    agent = await startAgent({ config: `${head}[election.tags]\np = "1"\nold = "o"\n\n[global_host_tags]\nh = "h"\n` });
    await ask("POST", `election/tags?p=2&__proto__=3&${encodeURIComponent('a."b')}=${encodeURIComponent('\n"')}`);
    const [, shown] = await ask("DELETE", "election/tags?tags=old,host");
    const text = readFileSync(fileOf(agent), "utf8");
    expect(text).toBe(
      `${head}[election.tags]\np = "2"\n__proto__ = "3"\n"a.\\"b" = "\\n\\""\n\n[global_host_tags]\nh = "h"\n`,
    );
    const { dataDir } = agent;
    await agent.kill();
    agent = await startAgent({ dataDir, config: text });
    const tags = JSON.parse('{"__proto__":"3","a.\\"b":"\\n\\"","p":"2"}');
    expect(shown["election-tags"]).toEqual(tags);
    expect(await ask("GET", "election/tags")).toEqual([200, { "election-tags": tags }]);
  });

  it("is not written when nothing changes, and stays a link with its mode when something changes", async () => {
    agent = await startAgent({ config: `${names}[global_host_tags]\nh = "h"\n` });
    const [link, target] = [fileOf(agent), `${fileOf(agent)}.target`];
    renameSync(link, target);
    symlinkSync(target, link);
    chmodSync(target, 0o640);
    const { ino } = statSync(target);
    await ask("POST", "host/tags?h=h&host=other");
    await ask("DELETE", "host/tags?tags=nope,host");
    expect(statSync(target).ino).toBe(ino);
    await ask("POST", "host/tags?h=2");
    expect([lstatSync(link).isSymbolicLink(), statSync(target).mode & 0o777]).toEqual([true, 0o640]);
    expect(readFileSync(target, "utf8")).toBe(`${names}[global_host_tags]\nh = "2"\n`);
  });

  it("is reported in the log when it cannot be written, and the tags change nevertheless", async () => {
    agent = await startAgent({ config: names });
    const file = fileOf(agent);
    const change = async (value: string, reason: string) => {
      const [status, tags] = await ask("POST", `host/tags?t=${value}`);
      expect([status, tags["host-tags"]]).toEqual([200, { host: "web01", t: value }]);
      await expect
        .poll(() => agent.log())
        .toMatch(new RegExp(`ERROR .*the change of \\[global_host_tags\\] is not kept: ${reason}`));
    };
    const obstacle = `${file}.${agent.pid}.tmp`;
    mkdirSync(obstacle);
    await change("1", "EISDIR");
    expect(readFileSync(file, "utf8")).toBe(names);
    rmdirSync(obstacle);
    for (const [value, text, reason] of [
      ["2", `${names}[oops`, "Invalid TOML"],
      ["3", `global_host_tags = { t = "0" }\n${names}`, "\\[global_host_tags\\] is not written one key a line"],
    ]) {
      writeFileSync(file, text);
      await change(value, reason);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
    renameSync(file, `${file}.away`);
    await change("4", "ENOENT");
    expect(existsSync(file)).toBe(false);
    // The configuration file is writable again. With the next change the agent writes all current tags, also the
    // changes that it could not write before.
    renameSync(`${file}.away`, file);
    writeFileSync(file, names);
    await ask("POST", "host/tags?t=5");
    expect(readFileSync(file, "utf8")).toBe(`${names}\n[global_host_tags]\nt = "5"\n`);
  });

  it("may be missing, as in a container: changed tags last until the agent ends", async () => {
    agent = await startAgent({ config: null, env: { ENV_HOSTNAME: "web01", ENV_GLOBAL_HOST_TAGS: "h=1" } });
    const [status, tags] = await ask("POST", "host/tags?h=2&n=3");
    expect([status, tags["host-tags"]]).toEqual([200, { h: "2", host: "web01", n: "3" }]);
    expect(tags.warning).toBe(
      "[global_host_tags] changed until the next start: there is no configuration file to keep it in",
    );
    // The tag h already has the value 2, so this request changes nothing. No change can be lost when the agent ends, so
    // the answer has no warning.
    expect((await ask("POST", "host/tags?h=2"))[1]).not.toHaveProperty("warning");
    await expect
      .poll(() => agent.log())
      .toContain("[global_host_tags] changed until the next start: there is no configuration file to keep it in");
    await agent.send("/v1/write/metric", { body: "m v=1i 1" });
    expect(await agent.output("metric")).toEqual(["m,h=2,host=web01,n=3 v=1i 1000000000"]);
    expect(existsSync(fileOf(agent))).toBe(false);
  });
});
