// Sink rules that change while a gateway runs (docs/reference/gateway.md#sink-rules).

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type GatewayOptions,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";

let workspaces: Workspaces;

beforeAll(async () => {
  workspaces = await startWorkspaces();
});

afterAll(() => workspaces.close());

const token = (letter: string) => `tkn_${letter.repeat(32)}`;
const rulesTo = (letter: string) => ({
  strict: true,
  rules: [{ rules: ["{ host = 'h' }"], url: `${workspaces.url}/?token=${token(letter)}` }],
});

async function started(options: GatewayOptions) {
  const gateway = await startGatewayProcess(options);
  onTestFinished(() => gateway.stop());
  const write = () => gateway.send("/v1/write/metric", { body: "m v=1", headers: { "x-global-tags": "host=h" } });
  const target = async () => {
    workspaces.seen.length = 0;
    await write();
    return workspaces.seen[0]?.token.at(-1);
  };
  return { gateway, write, target };
}

describe("sinker reload", () => {
  it("loads a changed rules file at once and logs the reload", async () => {
    const { gateway, target } = await started({ rules: rulesTo("a") });
    await expect
      .poll(() => gateway.log())
      .toMatch(/INFO sinker reload ok: 1 rules, strict=true, default=no, source=\S+sinker\.json\n/);
    expect(await target()).toBe("a");
    gateway.writeRules(rulesTo("b"));
    await expect.poll(target).toBe("b");
    writeFileSync(`${gateway.sinkerFile}.new`, JSON.stringify(rulesTo("c")));
    renameSync(`${gateway.sinkerFile}.new`, gateway.sinkerFile);
    await expect.poll(target).toBe("c");
    await expect.poll(() => gateway.log().match(/sinker reload ok/g)?.length).toBe(3);
    expect(await gateway.metric('gateway_sinker_pull_total{event="ok",source="file"}')).toBe(3);
  });

  it("keeps the old rules when the new file has mistakes, and reports each mistake", async () => {
    const { gateway, target } = await started({ rules: rulesTo("a") });
    gateway.writeRules({ rules: [{ rules: ["{ host = 'h'"], url: `${workspaces.url}/?token=${token("b")}` }] });
    const failed = `sinker reload failed: sinker rules[0].rules[0]: 1:13 parse error: unclosed left brace; sinker rules: default rule "*" missing, keep 1 old rules`;
    await expect.poll(() => gateway.log()).toContain(failed);
    expect(await target()).toBe("a");
    expect(JSON.parse((await gateway.send("/v1/ping")).text).content.sinker).toBe("on");
    rmSync(gateway.sinkerFile);
    await expect.poll(() => gateway.log()).toMatch(/sinker reload failed: ENOENT.*, keep 1 old rules/);
    expect(await target()).toBe("a");
    gateway.writeRules(rulesTo("b"));
    await expect.poll(target).toBe("b");
  });

  it("reads the file again on SIGHUP and on a request from this machine", async () => {
    const { gateway } = await started({ rules: rulesTo("a") });
    gateway.signal("SIGHUP");
    await expect.poll(() => gateway.log().match(/sinker reload ok/g)?.length).toBe(2);
    const answer = await gateway.send("/v1/sinker/reload", { method: "POST" });
    expect([answer.status, answer.text]).toEqual([200, '{"content":{"sinker":"on"}}']);
    await expect.poll(() => gateway.log().match(/sinker reload ok/g)?.length).toBe(3);
    const foreign = { method: "POST", headers: { "x-forwarded-for": "10.0.0.1" } };
    expect((await gateway.send("/v1/sinker/reload", foreign)).status).toBe(403);
    const page = { method: "POST", headers: { origin: "http://evil.example" } };
    expect((await gateway.send("/v1/sinker/reload", page)).status).toBe(403);
  });

  it("makes one reload of signals that come together", async () => {
    const { gateway } = await started({ rules: rulesTo("a"), env: { ENV_RELOAD_INTERVAL: "1h" } });
    const told = (text: string) => gateway.log().split(text).length - 1;
    gateway.signal("SIGHUP");
    await expect.poll(() => told("sinker reload ok")).toBe(2);
    gateway.signal("SIGHUP");
    await expect.poll(() => told("the rules are read again in")).toBe(1);
    for (let count = 0; count < 20; count++) {
      gateway.signal("SIGHUP");
      expect((await gateway.send("/healthz")).status).toBe(200);
    }
    expect([told("sinker reload ok"), told("the rules are read again in")]).toEqual([2, 1]);
  });

  it("answers 503 until the rules file is valid for the first time", async () => {
    const { gateway, write, target } = await started({ rules: "{ oops" });
    await expect
      .poll(() => gateway.log())
      .toMatch(/sinker reload failed: sinker rules: invalid JSON: .*, keep 0 old rules/);
    const refused = await write();
    expect([refused.status, refused.headers["retry-after"], JSON.parse(refused.text).error_code]).toEqual([
      503,
      "5",
      "gateway.sinkRulesInvalid",
    ]);
    expect(JSON.parse((await gateway.send("/v1/ping")).text).content.sinker).toMatch(/^invalid: sinker rules/);
    expect((await gateway.send("/readyz")).text).toMatch(/the sink rules cannot be used: sinker rules: invalid JSON/);
    expect(await gateway.metric("gateway_sinker_rule_error{")).toBe(1);
    gateway.writeRules(rulesTo("a"));
    await expect.poll(target).toBe("a");
    expect(await gateway.metric("gateway_sinker_rule_error{")).toBe(0);
  });

  it("reports a missing configured file; a missing file at the default path may appear later", async () => {
    const missing = await started({ args: ["--sinker", "/does/not/exist.json"] });
    expect((await missing.write()).status).toBe(503);
    await expect.poll(() => missing.gateway.log()).toMatch(/sinker reload failed: ENOENT/);
    const later = await started({});
    expect(later.gateway.log()).not.toContain("sinker");
    mkdirSync(path.join(later.gateway.dataDir, "gateway"), { recursive: true });
    writeFileSync(path.join(later.gateway.dataDir, "gateway/sinker.json"), JSON.stringify(rulesTo("d")));
    await expect.poll(later.target).toBe("d");
  });

  it("lets requests in progress end with the rules with which they began", async () => {
    const { gateway, write } = await started({ rules: rulesTo("a") });
    workspaces.behave(token("a"), "silent");
    workspaces.seen.length = 0;
    const under = write();
    await expect.poll(() => workspaces.seen.length).toBe(1);
    gateway.writeRules(rulesTo("b"));
    await expect.poll(() => gateway.log().match(/sinker reload ok/g)?.length).toBe(2);
    expect((await write()).status).toBe(200);
    expect(workspaces.seen.map((each) => each.token.at(-1))).toEqual(["a", "b"]);
    workspaces.behave(token("a"), { status: 200 });
    under.catch(() => {});
  });
});
