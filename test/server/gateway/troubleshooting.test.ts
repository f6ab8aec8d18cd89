// Tests the troubleshooting table of docs/sharding.md#when-points-do-not-arrive-where-they-should: each test causes a
// symptom, and `gateway explain` and the checks that the table names must find its reason.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { millrace } from "../support/millrace.ts";
import {
  type GatewayOptions,
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";

let workspaces: Workspaces;
const folder = mkdtempSync(path.join(tmpdir(), "millrace-trouble-"));

beforeAll(async () => {
  workspaces = await startWorkspaces();
});

afterAll(async () => {
  await workspaces.close();
  rmSync(folder, { recursive: true });
});

const token = (letter: string) => `tkn_${letter.repeat(32)}`;
const entry = (letter: string, ...rules: string[]) => ({ rules, url: `${workspaces.url}/?token=${token(letter)}` });

async function started(options: GatewayOptions): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess(options);
  onTestFinished(() => gateway.stop());
  workspaces.seen.length = 0;
  return gateway;
}

const write = (gateway: GatewayProcess, header: string) =>
  gateway.send("/v1/write/keyevent", { body: "keyevent v=1i", headers: { "x-global-tags": header } });

const arrived = () => workspaces.seen.map((each) => each.token.at(-1)).join("");

async function explained(gateway: GatewayProcess, ...args: string[]): Promise<string> {
  return (await millrace(["gateway", "explain", gateway.sinkerFile, ...args])).out;
}

describe("sharding not effective", () => {
  it("when new rules are refused, the log reports it and `check` reports the reason", async () => {
    const gateway = await started({ rules: { strict: true, rules: [entry("a", "{ env = 'prod' }")] } });
    gateway.writeRules({ strict: true, rules: [entry("b", "{ env-name = 'prod' }")] });
    await expect
      .poll(() => gateway.log())
      .toMatch(
        /sinker reload failed: sinker rules\[0\]\.rules\[0\]: 1:3 parse error: invalid key, use backquotes, keep 1 old rules/,
      );
    await write(gateway, "env=prod");
    expect(arrived()).toBe("a");
    const { code, out } = await millrace(["gateway", "check", gateway.sinkerFile]);
    expect([code, out]).toEqual([1, expect.stringContaining("1:3 parse error: invalid key, use backquotes")]);
  });

  it("when a key of the header differs in case, explain reports that keys are case-sensitive", async () => {
    const gateway = await started({ rules: { rules: [entry("a", "{ host = 'h' }"), entry("d", "*")] } });
    await write(gateway, "Host=h");
    expect(arrived()).toBe("d");
    const out = await explained(gateway, "--header", "Host=h");
    expect(out).toContain("host is not in the header, only Host (keys are case-sensitive)");
    expect(out).toContain("default, taken because nothing else matches");
    expect(out).toContain("result: default, sent to rules[1]");
  });

  it("when the header is absent, explain reports it at every comparison", async () => {
    const gateway = await started({ rules: { rules: [entry("a", "{ host = 'h' }"), entry("d", "*")] } });
    await gateway.send("/v1/write/keyevent", { body: "keyevent v=1i" });
    expect(arrived()).toBe("d");
    expect(await explained(gateway)).toMatch(/^header: no keys\n(?:.*\n)*.*host is not in the header/);
  });

  it("when several rules match, requests with one answer go to the first match", async () => {
    const gateway = await started({
      rules: { strict: true, rules: [entry("a", "{ env != nil }"), entry("b", "{ env = 'prod' }")] },
    });
    await gateway.send("/v1/query/raw", { body: "{}", headers: { "x-global-tags": "env=prod" } });
    expect(arrived()).toBe("a");
    const out = await explained(gateway, "--header", "env=prod", "--path", "/v1/query/raw", "--first");
    expect(out).toMatch(/rules\[1\] \S+: matches, but its url or an earlier entry was taken already/);
    expect(out).toContain("result: matched, sent to rules[0]\n");
  });
});

describe("partial data loss", () => {
  it("strict mode without a default rule refuses writes that no rule matches", async () => {
    const gateway = await started({ rules: { strict: true, rules: [entry("a", "{ host match 'web-*' }")] } });
    const statuses = [];
    for (const header of ["host=web-1", "host=db-1"]) statuses.push((await write(gateway, header)).status);
    expect([statuses, arrived()]).toEqual([[200, 406], "a"]);
    expect(await gateway.metric('sinker_requests_total{api="/v1/write/keyevent",result="dropped"')).toBe(1);
    const out = await explained(gateway, "--header", "host=db-1");
    expect(out).toContain("false host match 'web-*': host is `db-1'");
    expect(out).toContain("result: dropped with 406, nothing matches and there is no default rule");
    const { out: checked } = await millrace(["gateway", "check", gateway.sinkerFile]);
    expect(checked).toContain('warning: sinker rules: default rule "*" missing');
  });

  it("a default rule accepts writes that no other rule matches", async () => {
    const rules = [entry("a", "{ host match 'web-*' }"), entry("d", "*")];
    const gateway = await started({ rules: { strict: true, rules } });
    expect((await write(gateway, "host=db-1")).status).toBe(200);
    expect(arrived()).toBe("d");
    expect(await explained(gateway, "--header", "host=db-1")).toContain("result: default, sent to rules[1]");
  });

  it("without strict mode, a rules file without a default rule is refused", async () => {
    const gateway = await started({ rules: { rules: [entry("a", "{ host match 'web-*' }")] } });
    expect((await write(gateway, "host=web-1")).status).toBe(503);
    await expect
      .poll(() => gateway.log())
      .toContain('sinker reload failed: sinker rules: default rule "*" missing, keep 0 old rules');
  });
});

describe("identifier not injected", () => {
  /** Starts a gateway that generates X-Global-Tags by the given rules. */
  async function tagging(rules: string) {
    const file = path.join(folder, "tags.yaml");
    writeFileSync(file, rules);
    const gateway = await started({
      rules: { rules: [entry("a", "{ code = '7' }", "{ app = 'shop' }"), entry("d", "*")] },
      config: `[sinker.tags]\npath = "${file}"\n`,
    });
    const explain = async (point: string) =>
      await millrace(["gateway", "explain", gateway.sinkerFile, "--tags", file], point);
    return { gateway, explain };
  }

  it("when the field is no string, explain reports its type", async () => {
    const { gateway, explain } = await tagging("- fields: [code]\n");
    const point = "keyevent code=7i 1";
    await gateway.send("/v1/write/keyevent", { body: point });
    expect(arrived()).toBe("d");
    const { out } = await explain(point);
    expect(out).toContain("no code: code is the number 7, shard keys are texts");
    expect(out).toContain("result: default, sent to rules[1]");
    await gateway.send("/v1/write/keyevent", { body: 'keyevent code="7" 1' });
    expect(arrived()).toBe("da");
  });

  it("when the tag rules have a mistake, the log and explain report it", async () => {
    const { gateway, explain } = await tagging("- { fields: app, filter: '(env:prod' }\n");
    const point = "keyevent,app=shop,env=prod v=1i 1";
    await gateway.send("/v1/write/keyevent", { body: point });
    expect(arrived()).toBe("d");
    await expect
      .poll(() => gateway.log())
      .toContain("global tags rules[0].filter: filter parse error at 9: expected )");
    const { code, out } = await explain(point);
    expect(code).toBe(1);
    expect(out).toMatch(/^error: \S+tags\.yaml: rules\[0\]\.filter: filter parse error at 9: expected \)/);
  });

  it("when a rule is for another category or its filter does not match, explain reports it", async () => {
    const { explain } = await tagging(
      "- { fields: app, category: logging }\n- { fields: app, filter: { env: test } }\n",
    );
    const { out } = await explain("keyevent,app=shop,env=prod v=1i 1");
    expect(out).toContain("rules[0]: does not apply, is for logging");
    expect(out).toContain("rules[1]: does not apply, the filter does not fit the point");
    expect(out).toContain("X-Global-Tags: \n");
  });

  it("when the point has three identifiers already, explain reports it", async () => {
    const { gateway, explain } = await tagging("- fields: [a, b, c, app]\n");
    const point = "keyevent,a=1,b=2,c=3,app=shop v=1i 1";
    await gateway.send("/v1/write/keyevent", { body: point });
    expect(arrived()).toBe("d");
    const { out } = await explain(point);
    expect(out).toContain("no app: the point has 3 identifiers already");
    expect(out).toMatch(/^warning: \S+: all categories: 4 identifiers, a point gets the first 3 of them/);
  });
});
