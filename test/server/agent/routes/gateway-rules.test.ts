// Tests the route of the agent that returns the current rules of its gateway; the agent asks the gateway for
// them. Only the agent's own page and programs on this machine may use this route.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Answer, type Sent, send, startAgent } from "../../support/running-agent.ts";
import { startGatewayProcess } from "../../support/running-gateway.ts";

/**
 * An IPv4 address of this machine other than loopback. The agent treats a client at this address like a client on
 * another machine. Undefined when this machine has no such address.
 */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find((each) => !each.internal && each.family === "IPv4")?.address;

const token = `tkn_${"a".repeat(32)}`;
const parsed = ({ text }: Answer) => JSON.parse(text);
const errorOf = (answer: Answer) => [answer.status, parsed(answer).error_code];
const messageOf = (answer: Answer): string => parsed(answer).message;
const gatewayConfig = (urls: readonly string[], more = "") => `[gateway]\nurls = ${JSON.stringify(urls)}\n${more}`;

async function agentWith(config: string, args: readonly string[] = []) {
  const agent = await startAgent({ config, args });
  onTestFinished(() => agent.stop());
  return { agent, ask: (sent?: Sent) => agent.send("/openapi/gateway-rules", sent) };
}

interface Fixed {
  status: number;
  body: string;
}

/** Starts a server that sends the same answer to every request. The test can replace this answer later. */
async function serverWith(status: number, body: string): Promise<Fixed & { readonly url: string }> {
  const fixed: Fixed = { status, body };
  const server = createServer((_request, response) => {
    response.writeHead(fixed.status, { "content-type": "application/json" }).end(fixed.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(fixed, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const emptyRules = '{"content":{"sinks":{},"tags":{}}}';

describe("the rules of the gateway", () => {
  it("are those of the first gateway that returns rules, with the keys of the agent", async () => {
    const gateway = await startGatewayProcess({
      rules: { rules: [{ rules: ["*"], url: `http://a.example/?token=${token}` }] },
    });
    onTestFinished(() => gateway.stop());
    const { url: older } = await serverWith(404, "{}");
    const { agent, ask } = await agentWith(
      gatewayConfig(
        [older, `${gateway.url}/?token=${token}`],
        'enable_sinker = true\nglobal_customer_keys = ["team"]\n',
      ),
    );
    const answer = await ask({ headers: { origin: agent.url, "sec-fetch-site": "same-origin" } });
    expect([answer.status, answer.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(parsed(answer).content).toMatchObject({
      gateway: gateway.url,
      sinks: { state: "on", fault: "" },
      tags: { state: "off" },
      match_mode: "all",
      keys: expect.arrayContaining(["team"]),
    });
    expect(answer.text).not.toContain(token);
  });

  it("are missing, with a reason, when no gateway is configured", async () => {
    const none = await agentWith("");
    expect(errorOf(await none.ask())).toEqual([404, "agent.noGatewayRules"]);
    expect(messageOf(await none.ask())).toBe("this agent knows no gateway: [gateway] urls is empty");
  });

  it("are missing, with a reason, when the gateway returns something else", async () => {
    const server = await serverWith(200, "");
    const { ask } = await agentWith(gatewayConfig([server.url]));
    const answers: readonly (readonly [number, string, string])[] = [
      [403, '{"error_code":"gateway.publicAccessDisabled"}', "list /v1/sinker/rules in its gateway_api.public_apis"],
      [404, "404 page not found", "it is not a gateway, or one of an older version"],
      [200, '{"content":{}}', "with something else than rules; is it a gateway?"],
      [200, "<html>", "with something else than rules; is it a gateway?"],
      [200, "[".repeat(100_000), "with JSON that is nested too deep"],
      [200, `"${"x".repeat(5 * 1024 * 1024)}"`, "with more than 4194304 bytes"],
      [503, "", "does not answer: 503"],
      [301, "", "answers with the status 301"],
    ];
    for (const [status, body, reason] of answers) {
      Object.assign(server, { status, body });
      const answer = await ask();
      expect(errorOf(answer)).toEqual([404, "agent.noGatewayRules"]);
      expect(messageOf(answer)).toContain(reason);
      expect(messageOf(answer).length).toBeLessThan(400);
    }
  });

  it("are missing when the gateway does not answer", async () => {
    const { ask } = await agentWith(gatewayConfig(["http://127.0.0.1:1"]));
    expect(messageOf(await ask())).toContain("the gateway http://127.0.0.1:1 does not answer");
  });

  it("are only for this machine and the page of the agent, even when the paths are public", async () => {
    const { url } = await serverWith(200, emptyRules);
    const { ask } = await agentWith(`[http_api]\npublic_apis = ["/openapi/*"]\n${gatewayConfig([url])}`);
    expect((await ask()).status).toBe(200);
    const others: readonly Record<string, string>[] = [
      { host: "evil.example" },
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "x-forwarded-for": "127.0.0.1" },
    ];
    for (const headers of others)
      expect([headers, ...errorOf(await ask({ headers }))]).toEqual([headers, 403, "agent.publicAccessDisabled"]);
  });

  it.runIf(outside !== undefined)("are refused to another machine, even when its paths are public", async () => {
    const { agent } = await agentWith(
      `[http_api]\npublic_apis = ["/openapi/*"]\npublic_ips = ["${outside}/32"]\n${gatewayConfig([(await serverWith(200, emptyRules)).url])}`,
      ["--listen", "0.0.0.0:0"],
    );
    const answer = await send(`http://${outside}:${new URL(agent.url).port}/openapi/gateway-rules`);
    expect(errorOf(answer)).toEqual([403, "agent.publicAccessDisabled"]);
  });
});
