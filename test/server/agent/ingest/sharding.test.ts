// Sharding: the agent groups the points of a write by the values of their shard keys and uploads each group separately
// to the gateway (docs/reference/gateway.md#headers-from-an-agent).

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fromHeaderBytes } from "../../../../lib/sharding/header.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const common = (gateway: RecordingGateway, more: string) => `[gateway]
urls = ["${gateway.url}?token=abc"]
retry_delay = "50ms"
${more}
[io]
flush_interval = "20ms"
[environments]
ENV_HOSTNAME = "web01"
`;

const sinker = `enable_sinker = true
global_customer_keys = ["app", "source", "category", "team"]`;

describe("sharding", () => {
  let gateway: RecordingGateway;
  let agent: AgentProcess;

  beforeAll(async () => {
    gateway = await startGateway();
    agent = await startAgent({
      config: `${common(gateway, sinker)}[global_host_tags]\nregion = "cn-east"\n[election]\nenable = true\n[election.tags]\ncluster = "cluster-A"\n`,
      scripts: { "shard.p": 'set_tag(app, "by-script")' },
    });
  });

  afterAll(async () => {
    await agent.stop();
    await gateway.close();
  });

  afterEach(() => {
    gateway.behave(200);
    gateway.taken.length = 0;
    gateway.seen.length = 0;
  });

  /** Returns for each upload its X-Global-Tags header with sorted pairs, and the names of its points. */
  const uploads = () =>
    gateway.taken
      .map(({ headers, lines }): [string, string[]] => [
        fromHeaderBytes(String(headers["x-global-tags"])).split(",").sort().join(","),
        lines.map((line) => line.split(/[ ,]/)[0]!),
      ])
      .sort();

  const sent = (count: number) => expect.poll(() => gateway.lines().length).toBe(count);

  it("uses only the first three configured keys, and logs this", async () => {
    await expect
      .poll(() => agent.log())
      .toMatch(/agent\.toml:5: global_customer_keys: only the first 3 of 4 keys are used/);
  });

  it("merges the tags of the event, of the election and of the host", async () => {
    const body = 'keyevent,cluster=cluster-B,other=x title="x" 1';
    await agent.send("/v1/write/metric?global_election_tags=1", { body: "m,host=h1 v=1 1" });
    await agent.send("/v1/write/keyevent?global_election_tags=1", { body });
    await sent(2);
    expect(uploads()).toEqual([
      ["category=keyevent,cluster=cluster-B,host=web01,region=cn-east,source=keyevent", ["keyevent"]],
      ["category=metric,cluster=cluster-A,host=h1,region=cn-east", ["m"]],
    ]);
  });

  it("sends each group of points with equal key values in its own request, also points without keys", async () => {
    const body = ["a,team=1 v=1i 1", "b,cluster=x v=1i 1", "c,region=y v=1i 1", "d v=1i 1", "e,cluster=x v=2i 1"];
    await agent.send("/v1/write/tracing?ignore_global_tags=1", { body: body.join("\n") });
    await sent(5);
    expect(uploads()).toEqual([
      ["category=tracing", ["a", "d"]],
      ["category=tracing,cluster=x", ["b", "e"]],
      ["category=tracing,region=y", ["c"]],
    ]);
  });

  it("reads the key values after the script has changed the points", async () => {
    await agent.send("/v1/write/logging?source=shard&ignore_global_tags=1", { body: 'l,app=sent m="x" 1' });
    await sent(1);
    expect(uploads()).toEqual([["app=by-script,category=logging,source=l", ["l"]]]);
  });

  it("writes non-ASCII values as UTF-8, and removes line breaks so that no other header can begin", async () => {
    await agent.send("/v1/write/metric?ignore_global_tags=1", { body: 'm app="支付\r\nx-evil: 1",v=1 1' });
    await agent.send("/v1/write/metric?ignore_global_tags=1", { body: "m,app=支付 v=1 1" });
    await sent(2);
    expect(uploads()).toEqual([
      ["app=支付,category=metric", ["m"]],
      ["category=metric", ["m"]],
    ]);
    await agent.send("/v1/write/logging?ignore_global_tags=1", { body: 'm app="支付\r\nx-evil: 1" 1' });
    await expect.poll(() => gateway.taken.length).toBe(3);
    expect(fromHeaderBytes(String(gateway.taken[2]!.headers["x-global-tags"]))).toContain("app=支付 x-evil: 1,");
    expect(gateway.taken[2]!.headers["x-evil"]).toBeUndefined();
  });

  it("keeps the header with the points on disk", async () => {
    gateway.behave(503);
    await agent.send("/v1/write/metric?ignore_global_tags=1", { body: "m,app=one v=1 1\nm,app=two v=1 1" });
    await expect.poll(() => gateway.seen.length).toBeGreaterThan(0);
    gateway.behave(200);
    await sent(2);
    expect(uploads().map(([header]) => header)).toEqual(["app=one,category=metric", "app=two,category=metric"]);
    expect(gateway.taken[0]!.headers["x-fail-cache-retry"]).toBe("1");
  });

  it("uses changed global tags in the next upload", async () => {
    await agent.send("/v1/global/host/tags?zone=z1", { method: "POST" });
    await agent.send("/v1/write/metric?ignore_global_tags=1", { body: "m,zone=mine v=1 1" });
    await sent(1);
    expect(uploads()).toEqual([["category=metric,zone=mine", ["m"]]]);
    await agent.send("/v1/global/host/tags?tags=zone", { method: "DELETE" });
  });

  it("sends all global tags in requests that carry no points", async () => {
    await agent.send("/v1/env_variable?app_id=a");
    expect(gateway.seen.map(({ headers }) => headers["x-global-tags"])).toEqual([
      "cluster=cluster-A,host=web01,region=cn-east",
    ]);
  });
});

describe("an agent without sharding", () => {
  it("sends no header X-Global-Tags", async () => {
    const gateway = await startGateway();
    const agent = await startAgent({ config: common(gateway, 'global_customer_keys = ["app"]') });
    try {
      await agent.send("/v1/write/metric", { body: "m,app=one v=1 1\nm,app=two v=1 1" });
      await agent.send("/v1/env_variable?app_id=a");
      await expect.poll(() => gateway.seen.length).toBe(2);
      for (const { headers } of gateway.seen) expect(headers["x-global-tags"]).toBeUndefined();
    } finally {
      await agent.stop();
      await gateway.close();
    }
  });
});
