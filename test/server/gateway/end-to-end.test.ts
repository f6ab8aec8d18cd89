// Agent, gateway and three workspaces over real HTTP: key events, logs, metrics and session replays arrive at the
// workspace that their shard keys select. When one of two gateways stops, the agent uses the other one.

import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownLoopback } from "../support/child.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";
import {
  type Delivered,
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";

const shop = `tkn_${"a".repeat(32)}`;
const pay = `tkn_${"b".repeat(32)}`;
const rest = `tkn_${"c".repeat(32)}`;
const secret = `tkn_${"5".repeat(32)}`;

const rules = (workspaces: Workspaces) => ({
  strict: false,
  rules: [
    { rules: ["{ app in ['shop', 'cart'] }"], url: `${workspaces.url}/?token=${shop}`, info: "shop" },
    {
      rules: ["{ app match 'pay*' }", "{ cluster = 'cluster-B' }"],
      url: `${workspaces.url}/?token=${pay}`,
      info: "pay",
    },
    { rules: ["*"], url: `${workspaces.url}/?token=${rest}`, info: "rest" },
  ],
});

const agentConfig = (urls: readonly string[]) => `[gateway]
urls = [${urls.map((url) => `"${url}/?token=${secret}"`).join(", ")}]
enable_sinker = true
global_customer_keys = ["app"]
retry_delay = "50ms"
timeout_v2 = "10s"
[io]
flush_interval = "20ms"
[global_host_tags]
region = "cn-east"
[election]
enable = true
[election.tags]
cluster = "cluster-A"
[environments]
ENV_HOSTNAME = "web01"
`;

const gatewayConfig = `[gateway_api]\nsecret_token = "${secret}"\n`;

describe("agent, gateway, three workspaces", () => {
  let workspaces: Workspaces;
  let gateway: GatewayProcess;
  let agent: AgentProcess;

  beforeAll(async () => {
    workspaces = await startWorkspaces();
    gateway = await startGatewayProcess({ rules: rules(workspaces), config: gatewayConfig });
    agent = await startAgent({ config: agentConfig([gateway.url]) });
  });

  afterAll(async () => {
    await agent.stop();
    await gateway.stop();
    await workspaces.close();
  });

  const names = (token: string) => workspaces.lines(token).map((line) => line.split(/[ ,]/)[0]);
  const at = (path: string, token: string) => workspaces.of(token).filter((each) => each.path === path);

  it("points of one write go to the workspaces of their shard keys", async () => {
    const body = ["orders,app=shop v=1 1", "other v=1 1", "payments,app=payment v=1 1", "carts,app=cart v=1 1"].join(
      "\n",
    );
    expect((await agent.send("/v1/write/metric", { body })).status).toBe(200);
    await expect.poll(() => [shop, pay, rest].map((token) => names(token).length)).toEqual([2, 1, 1]);
    expect(names(shop)).toEqual(["orders", "carts"]);
    expect([names(pay), names(rest)]).toEqual([["payments"], ["other"]]);
    expect(pairs(at("/v1/write/metric", shop)[0]!)).toEqual(["app=shop", "host=web01", "region=cn-east"]);
  });

  it("an event's own tag overrides the election tag, which overrides the host tag", async () => {
    const event = (tags: string) => `keyevent,${tags} title="x" 1`;
    const body = [event("app=shop"), event("cluster=cluster-B,app=x"), event("app=shop,cluster=cluster-B")].join("\n");
    await agent.send("/v1/write/keyevent?global_election_tags=1", { body });
    const count = (token: string) =>
      at("/v1/write/keyevent", token).flatMap((each) => each.body.toString().split("\n")).length;
    await expect.poll(() => [count(shop), count(pay), count(rest)]).toEqual([2, 2, 0]);
    expect(at("/v1/write/keyevent", pay).map(pairs).sort()).toEqual([
      ["app=shop", "cluster=cluster-B", "host=web01", "region=cn-east"],
      ["app=x", "cluster=cluster-B", "host=web01", "region=cn-east"],
    ]);
  });

  it("logs of one write go to different workspaces by their tags", async () => {
    const body = 'l,app=payroll message="a" 1\nl message="b" 2';
    await agent.send("/v1/write/logging", { body });
    await expect
      .poll(() => [at("/v1/write/logging", pay).length, at("/v1/write/logging", rest).length])
      .toEqual([1, 1]);
    expect(at("/v1/write/logging", pay)[0]!.body.toString()).toContain('message="a"');
  });

  it("a session replay is forwarded unchanged and routed by its form values", async () => {
    const binary = Buffer.from([0, 1, 2, 0xff, 0x0d, 0x0a, 0x80]);
    const replay = (app: string) =>
      Buffer.concat([
        Buffer.from(
          `--edge\r\nContent-Disposition: form-data; name="app"\r\n\r\n${app}\r\n--edge\r\nContent-Disposition: form-data; name="segment"; filename="s"\r\nContent-Type: application/octet-stream\r\n\r\n`,
        ),
        binary,
        Buffer.from("\r\n--edge--\r\n"),
      ]);
    const headers = { "content-type": "multipart/form-data; boundary=edge" };
    for (const app of ["shop", "payment", "none"]) {
      const answer = await agent.send("/v1/write/rum/replay", { body: replay(app), headers });
      expect([answer.status, answer.text]).toEqual([200, ""]);
    }
    const path = "/v1/write/rum/replay";
    await expect.poll(() => [shop, pay, rest].map((token) => at(path, token).length)).toEqual([1, 1, 1]);
    const [got] = at(path, shop);
    expect(got!.body.equals(replay("shop"))).toBe(true);
    expect(got!.headers).toMatchObject({ ...headers, "x-global-tags": "app=shop" });
    expect(at(path, rest)[0]!.headers["x-global-tags"]).toBe("app=none");
  });

  it("a replay without a known form value carries all global tags", async () => {
    await agent.send("/v1/write/rum/replay", {
      body: "opaque",
      headers: { "content-type": "application/octet-stream" },
    });
    const all = () => at("/v1/write/rum/replay", rest).find(({ body }) => body.toString() === "opaque");
    await expect.poll(all).toBeDefined();
    expect(all()!.headers["x-global-tags"]).toBe("cluster=cluster-A,host=web01,region=cn-east");
  });

  it("a workspace that was down gets its points later, and other workspaces do not wait", async () => {
    const before = workspaces.lines(shop).length;
    workspaces.behave(pay, { status: 503 });
    await agent.send("/v1/write/metric", { body: "late,app=payment v=1 1\nnow,app=shop v=1 1" });
    await expect.poll(() => workspaces.lines(shop).length).toBe(before + 1);
    workspaces.behave(pay, { status: 200 });
    await expect.poll(() => names(pay)).toContain("late");
  });

  it("the gateway counts the requests of each rule", async () => {
    const { text } = await gateway.send("/metrics");
    for (const rule of ["shop", "pay"]) {
      expect(text).toMatch(
        new RegExp(`sinker_requests_total\\{api="/v1/write/keyevent",result="matched",rule="${rule}"\\} [1-9]`),
      );
    }
    expect(text).toMatch(/sinker_requests_total\{api="\/v1\/write\/rum\/replay",result="default",rule="rest"\} 2\n/);
  });

  it("no log shows a token", () => {
    for (const token of [shop, pay, rest, secret]) expect(gateway.log() + agent.log()).not.toContain(token);
  });
});

describe("two gateways and one agent", () => {
  it("each gateway replaces the other, and no point is lost when one dies during writes", async () => {
    const workspaces = await startWorkspaces();
    const start = (options: { readonly dataDir?: string; readonly listen?: string } = {}) =>
      startGatewayProcess({ rules: rules(workspaces), config: gatewayConfig, ...options });
    const first = await start({ listen: `${ownLoopback()}:0` });
    const second = await start();
    const agent = await startAgent({ config: agentConfig([first.url, second.url]) });
    const gateways = [first, second];
    onTestFinished(async () => {
      await agent.stop();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await workspaces.close();
    });
    let sent = 0;
    const write = async (count: number) => {
      for (let at = 0; at < count; at++) {
        const body = `m,app=${at % 2 === 0 ? "shop" : "payment"} v=${sent++}i 1`;
        expect((await agent.send("/v1/write/metric", { body })).status).toBe(200);
      }
    };
    const values = () =>
      new Set([shop, pay].flatMap((token) => workspaces.lines(token)).map((line) => Number(/v=(\d+)i/.exec(line)![1])));
    await write(10);
    await expect.poll(() => values().size).toBe(10);
    expect(await second.metric("sinker_requests_total")).toBe(0);

    // The first gateway is killed while the agent writes, so the agent sends the points to the second one.
    const writing = write(30);
    await first.kill();
    await writing;
    await expect.poll(() => values().size).toBe(40);
    expect(await second.metric("sinker_requests_total")).toBeGreaterThan(0);

    // The second gateway is killed, too. Points wait in the agent's queue until the first gateway runs again at its old
    // address.
    await second.kill();
    await write(10);
    gateways.push(await start({ dataDir: first.dataDir, listen: new URL(first.url).host }));
    await expect.poll(() => values().size).toBe(50);
    expect([...values()].sort((x, y) => x - y)).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(workspaces.lines(shop).every((line) => line.includes("app=shop"))).toBe(true);
    expect(workspaces.lines(rest)).toEqual([]);
  });
});

describe("two gateways behind a load balancer", () => {
  it("share the writes, and no write is lost when one gateway stops", async () => {
    const workspaces = await startWorkspaces();
    const gateways = [
      await startGatewayProcess({ rules: rules(workspaces), config: gatewayConfig }),
      await startGatewayProcess({ rules: rules(workspaces), config: gatewayConfig }),
    ];
    const balancer = await startBalancer(gateways.map(({ url }) => Number(new URL(url).port)));
    const agent = await startAgent({ config: agentConfig([balancer.url]) });
    onTestFinished(async () => {
      await agent.stop();
      balancer.close();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await workspaces.close();
    });
    const write = async (from: number, to: number) => {
      for (let at = from; at < to; at++) await agent.send("/v1/write/logging", { body: `l,app=shop v=${at}i 1` });
    };
    const values = () => new Set(workspaces.lines(shop).map((line) => Number(/v=(\d+)i/.exec(line)![1])));
    await write(0, 10);
    await expect.poll(() => values().size).toBe(10);
    const writing = write(10, 30);
    await gateways[0]!.kill();
    await writing;
    await expect.poll(() => values().size).toBe(30);
    expect(workspaces.lines(rest)).toEqual([]);
  });
});

/**
 * Starts a load balancer for the given ports. It connects each new client to the next port of the list, begins again
 * after the last port, and skips ports that refuse the connection.
 */
async function startBalancer(ports: readonly number[]) {
  let turn = 0;
  const server = createServer((client) => {
    client.on("error", () => {});
    const open = (left: number): void => {
      const target = connect(ports[turn++ % ports.length]!, "127.0.0.1");
      target.once("connect", () => client.pipe(target).pipe(client));
      target.once("error", () => (left > 0 && !target.remotePort ? open(left - 1) : client.destroy()));
      target.once("close", () => target.bytesRead > 0 && client.destroy());
    };
    open(ports.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Returns the pairs of X-Global-Tags, sorted because their order has no meaning. */
function pairs({ headers }: { readonly headers: Delivered["headers"] }): string[] {
  return String(headers["x-global-tags"]).split(",").sort();
}
