// A gateway returns its current rules over HTTP: without secrets, and only to certain clients.

import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadSinkRules } from "../../../../lib/sharding/index.ts";
import { send } from "../../support/running-agent.ts";
import { type GatewayOptions, startGatewayProcess } from "../../support/running-gateway.ts";
import { temporaryFolder } from "../../support/running-platform.ts";

/**
 * An IPv4 address of this machine other than loopback. A service treats a client at this address like a client on
 * another machine. Undefined when this machine has no such address.
 */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find((each) => !each.internal && each.family === "IPv4")?.address;

const token = `tkn_${"0123456789abcdef".repeat(2)}`;
const sinks = {
  strict: true,
  rules: [
    {
      rules: ["{ token='shop', host = 'a' }"],
      url: `https://user:pass@a.example/p?token=${token}&secret=s3cret#x`,
      info: token,
    },
    { rules: ["{ host = 'b' }"], url: `http://b.example/${token}?token=short-token` },
  ],
};
const tags = `# kept as it is\n- category: logging\n  fields: [host]\n  filter: "token=x"\n`;
const tagsConfig = (folder: string) => `[sinker.tags]\npath = ${JSON.stringify(path.join(folder, "tags.yaml"))}\n`;

async function started(options: GatewayOptions = {}) {
  const gateway = await startGatewayProcess(options);
  onTestFinished(() => gateway.stop());
  const rules = async () => JSON.parse((await gateway.send("/v1/sinker/rules")).text).content;
  return { gateway, rules };
}

describe("the rules in force", () => {
  it("are shown without tokens, passwords and other parameters, and can be loaded", async () => {
    // In the rules file, some characters of the token are written as JSON escapes, so the token looks different there.
    // The answer must not contain the token nevertheless.
    const text = JSON.stringify(sinks).replace("token=tkn_01", "token=tkn_\\u0030\\u0031");
    const { gateway, rules } = await started({ rules: text, config: '[sinker]\nmatch_mode = "first"\n' });
    const answer = await gateway.send("/v1/sinker/rules");
    expect([answer.status, answer.headers["cache-control"]]).toEqual([200, "no-store"]);
    for (const secret of ["0123456789abcdef0", "user", "pass", "s3cret", "short"])
      expect(answer.text).not.toContain(secret);
    const content = await rules();
    expect(content).toMatchObject({
      sinks: { state: "on", fault: "" },
      tags: { state: "off", text: "" },
      match_mode: "first",
    });
    const masked = JSON.parse(content.sinks.text);
    expect(masked).toEqual({
      strict: true,
      rules: [
        {
          rules: ["{ token='shop', host = 'a' }"],
          url: `https://a.example/p?token=tkn_${"x".repeat(27)}bcdef`,
          info: `tkn_${"x".repeat(27)}bcdef`,
        },
        { rules: ["{ host = 'b' }"], url: `http://b.example/tkn_${"x".repeat(27)}bcdef?token=tkn_${"x".repeat(32)}` },
      ],
    });
    const loaded = loadSinkRules(content.sinks.text);
    expect([loaded.rules?.entries.length, loaded.problems.map(({ message }) => message)]).toEqual([
      2,
      ['sinker rules: default rule "*" missing'],
    ]);
  });

  it("stay the previous ones when the file becomes invalid, and are shown with the reason", async () => {
    const { gateway, rules } = await started({ rules: sinks });
    const before = await rules();
    gateway.writeRules(`{ "rules": [{ "rules": ["*"], "url": "ftp://x/?token=${token}" }] }`);
    await expect.poll(async () => (await rules()).sinks.fault).toContain("invalid url");
    const after = await rules();
    expect([after.sinks.state, after.sinks.text]).toEqual(["on", before.sinks.text]);
    expect(after.sinks.fault).not.toContain("0123456789abcdef0");
    gateway.writeRules(sinks);
    await expect.poll(async () => (await rules()).sinks.fault).toBe("");
  });

  it("are empty while the first file is invalid", async () => {
    const { rules } = await started({ rules: "{ oops" });
    expect((await rules()).sinks).toMatchObject({ state: "invalid", text: "" });
    expect((await rules()).sinks.fault).toContain("invalid JSON");
  });

  it("include the rules for tags, with their comments", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "tags.yaml"), tags);
    const { rules } = await started({ dataDir: folder, config: tagsConfig(folder) });
    expect(await rules()).toMatchObject({
      sinks: { state: "off", text: "" },
      tags: { state: "on", text: tags, fault: "" },
    });
    writeFileSync(path.join(folder, "tags.yaml"), "- [");
    await expect.poll(async () => (await rules()).tags.fault).not.toBe("");
    expect((await rules()).tags.text).toBe(tags);
  });

  it("are shown only to this machine, not to other pages, hosts, proxies or machines", async () => {
    const { gateway } = await started({ rules: sinks, listen: "0.0.0.0:0" });
    const { port } = new URL(gateway.url);
    const refused = [403, "gateway.publicAccessDisabled"];
    const ask = async (headers: Record<string, string>, host = "127.0.0.1") => {
      const { status, text } = await send(`http://${host}:${port}/v1/sinker/rules`, { headers });
      return [status, status === 200 ? "" : JSON.parse(text).error_code];
    };
    expect(await ask({})).toEqual([200, ""]);
    expect(await ask({ origin: "http://evil.example" })).toEqual(refused);
    expect(await ask({ host: "evil.example" })).toEqual(refused);
    expect(await ask({ "x-forwarded-for": "10.0.0.1" })).toEqual(refused);
    if (outside !== undefined) expect(await ask({}, outside)).toEqual(refused);
  });

  it.runIf(outside !== undefined)("are shown to other machines when public_apis allows it", async () => {
    const config = '[gateway_api]\npublic_apis = ["/v1/sinker/rules"]\n';
    const { gateway } = await started({ rules: sinks, listen: "0.0.0.0:0", config });
    const { status } = await send(`http://${outside}:${new URL(gateway.url).port}/v1/sinker/rules`);
    expect(status).toBe(200);
  });
});
