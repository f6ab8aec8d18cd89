// POST /v1/write/json-lines over real HTTP (docs/inputs.md#json-lines).

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
max_body_bytes = 65536
max_points = 20
[environments]
ENV_HOSTNAME = "web01"
[inputs.json_lines]
enable = true
`,
    scripts: { "logging/mark.p": 'set_tag(marked, "yes")' },
  });
});
afterAll(() => agent.stop());

const path = "/v1/write/json-lines";
const send = (query: string, body: string) => agent.send(`${path}${query}`, { method: "POST", body });
const linesOf = async (category: string, name: string) =>
  (await agent.output(category)).filter((line) => line.startsWith(`${name},`) || line.startsWith(`${name} `));

describe("JSON lines", () => {
  it("become logs, with tags, exact numbers and times", async () => {
    const answer = await send(
      "?source=app",
      '{"message":"said","time":"2023-11-14T22:13:20.123456789Z","tags":{"team":"web","n":1},"n":9007199254740993,"f":0.5}\n' +
        '\r\n{"measurement":"own","message":"two","time":1700000000123,"a":{"b":{"c":true}},"level":"error"}\n' +
        '{"k":1,"time":1700000001}',
    );
    expect([answer.status, answer.text]).toEqual([200, '{"status":"success"}']);
    expect(await linesOf("logging", "app")).toEqual([
      'app,host=web01,n=1,team=web f=0.5,fields_n=9007199254740993i,message="said",status="unknown" 1700000000123456789',
      'app,host=web01 k=1i,message="{\\"k\\":1,\\"time\\":1700000001}",status="unknown" 1700000001000000000',
    ]);
    expect(await linesOf("logging", "own")).toEqual([
      'own,host=web01 a_b_c=true,level="error",message="two",status="error" 1700000000123000000',
    ]);
  });

  it("may be points of another category, and run a script", async () => {
    expect((await send("?category=metric&source=cpu", '{"a.b":1.5,"time":1700000000}')).status).toBe(200);
    expect(await linesOf("metric", "cpu")).toEqual(["cpu,host=web01 a.b=1.5 1700000000000000000"]);
    await send("?pipeline=mark&source=s", '{"message":"x"}');
    expect((await linesOf("logging", "s"))[0]).toContain("marked=yes");
  });

  it("are stored, except the invalid ones", async () => {
    const answer = await send(
      "?source=mixed",
      '{"message":"good"}\nx\n[1]\n{"tags":1}\n{"measurement":1}\n{"time":"soon"}\n{"message":"good"}\n',
    );
    const { error_code, message } = JSON.parse(answer.text);
    expect([answer.status, error_code]).toEqual([400, "agent.invalidJsonPoint"]);
    expect(message).toMatch(
      /^5 lines are left out, the others are kept: line 2: .*; line 3: an object is expected; line 4: tags must be an object; 2 more$/,
    );
    expect(await linesOf("logging", "mixed")).toHaveLength(2);
  });

  it.each([
    ["an empty body", "", "", 400, "agent.emptyBody"],
    ["blank lines", "", "\n\n", 400, "agent.emptyBody"],
    ["an unknown category", "?category=x", "{}", 400, "agent.invalidJsonPoint"],
    ["a metric without a field", "?category=metric", '{"time":1}', 400, "agent.invalidJsonPoint"],
    ["too many", "", '{"message":"x"}\n'.repeat(21), 413, "agent.bodyTooLarge"],
    ["deep lines", "", "[".repeat(1500), 400, "agent.invalidJsonPoint"],
    ["too much", "", "x".repeat(65537), 413, "agent.bodyTooLarge"],
  ])("are refused: %s", async (_, query, body, status, code) => {
    const answer = await send(query, body);
    expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([status, code]);
  });
});
