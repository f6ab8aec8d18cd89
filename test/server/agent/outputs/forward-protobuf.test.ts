// Uploads in protobuf (docs/reference/agent.md#uploads): whichever part of the agent handles the points, the gateway
// receives the same points as in line protocol.

import { expect, it, onTestFinished } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";
import { type RecordingGateway, startGateway, type Upload } from "../../support/recording-gateway.ts";
import { startAgent } from "../../support/running-agent.ts";
import { ask, folder, platform } from "../../support/running-platform.ts";

const configOf = (url: string, encoding: string, more = "") => `[gateway]
urls = ["${url}"]
content_encoding = "${encoding}"
retry_delay = "20ms"
${more}
[io]
flush_interval = "20ms"
[environments]
ENV_HOSTNAME = "web01"
[http_api]
request_rate_limit = 0`;

async function recording(): Promise<RecordingGateway> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

const mill = await createMillrace();

/** Returns the points of an upload as lines of line protocol. */
function linesOf({ body, headers, url }: Upload): string[] {
  if (headers["content-type"] === "application/line-protocol") return body.toString().split("\n");
  expect(headers["content-type"]).toBe("application/protobuf; proto=com.millrace.Point");
  const category = url.startsWith("/v1/write/logging") ? "logging" : "metric";
  const points = mill.decodePoints(body, { category, form: "pb" });
  expect(headers["x-points"]).toBe(String(points.length));
  const text = new TextDecoder().decode(mill.encodePoints(points, "lp"));
  points.release();
  return text.split("\n");
}

const taken = (gateway: RecordingGateway) => gateway.taken.flatMap(linesOf);

it("uploads small concurrent writes of several categories, with scripts, as protobuf", async () => {
  const gateway = await recording();
  const agent = await startAgent({
    config: configOf(gateway.url, "v2"),
    scripts: { "logging/a.p": 'add_key(x, 1)\ncreate_point("made", {"a": "b"}, {"v": 2}, 1700000000000000000, "M")' },
  });
  onTestFinished(() => agent.stop());
  const sent = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      agent.send("/v1/write/metric", { body: `m v=${at}i,u=18446744073709551615u,f=1.5,b=T ${1_700_000_000 + at}` }),
    ),
  );
  expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
  await agent.send("/v1/write/logging?source=a", { body: 'l m="1" 1700000000' });
  await expect.poll(() => taken(gateway).length).toBe(52);
  const lines = taken(gateway);
  for (let at = 0; at < 50; at++) {
    const fields = `b=true,f=1.5,u=18446744073709551615u,v=${at}i`;
    expect(lines).toContain(`m,host=web01 ${fields} ${1_700_000_000 + at}000000000`);
  }
  expect(lines).toContain('l,host=web01 m="1",status="unknown",x=1i 1700000000000000000');
  expect(lines).toContain("made,a=b v=2i 1700000000000000000");
});

it("cuts uploads at the size limit, compresses large ones, and retries with the same id", async () => {
  const gateway = await recording();
  const agent = await startAgent({
    config: configOf(gateway.url, "protobuf", "max_raw_body_size = 100000\nenable_sinker = true"),
  });
  onTestFinished(() => agent.stop());
  gateway.behave(500);
  const body = Array.from({ length: 20_000 }, (_, at) => `big,host=h${at % 3} number=${at}i 1`).join("\n");
  expect((await agent.send("/v1/write/metric", { body })).status).toBe(200);
  await expect.poll(() => gateway.seen.length).toBeGreaterThan(0);
  gateway.behave(200);
  await expect.poll(() => taken(gateway).length).toBe(20_000);
  expect(Math.max(...gateway.taken.map((upload) => upload.body.length))).toBeLessThanOrEqual(100_000);
  expect(new Set(taken(gateway).map((line) => /number=(\d+)i/.exec(line)![1])).size).toBe(20_000);
  // Several uploads run at the same time and may arrive in any order, so their ids are compared as sets.
  const idsOf = (uploads: readonly Upload[]) => uploads.map(({ headers }) => headers["x-pkg-id"]);
  expect(new Set(idsOf(gateway.seen))).toEqual(new Set(idsOf(gateway.taken)));
  expect(new Set(idsOf(gateway.taken)).size).toBe(gateway.taken.length);
  expect(gateway.seen.length).toBeGreaterThan(gateway.taken.length);
});

it("uploads a point that is larger than an upload alone", async () => {
  const gateway = await recording();
  const agent = await startAgent({ config: configOf(gateway.url, "v2", "max_raw_body_size = 1024") });
  onTestFinished(() => agent.stop());
  const long = "x".repeat(5000);
  const body = `a s="1" 1700000000\nb s="${long}" 1700000000\nc s="3" 1700000000`;
  expect((await agent.send("/v1/write/logging", { body })).status).toBe(200);
  await expect.poll(() => gateway.taken.flatMap(linesOf).map((line) => line.split(",")[0])).toEqual(["a", "b", "c"]);
  expect(gateway.taken.map((upload) => upload.headers["x-points"])).toEqual(["1", "1", "1"]);
});

it("sends queued points in the format in which they were stored", async () => {
  const gateway = await recording();
  gateway.behave(500);
  const first = await startAgent({ config: configOf(gateway.url, "v1") });
  await first.send("/v1/write/metric", { body: "m n=1i 1" });
  await first.kill();
  await gateway.quiet();
  const second = await startAgent({ config: configOf(gateway.url, "v2"), dataDir: first.dataDir });
  await second.send("/v1/write/metric", { body: "m n=2i 1" });
  await second.send("/v1/write/metric", { body: "m n=3i 1" });
  await second.kill();
  await gateway.quiet();
  gateway.behave(200);
  const third = await startAgent({ config: configOf(gateway.url, "v1"), dataDir: first.dataDir });
  onTestFinished(() => third.stop());
  await third.send("/v1/write/metric", { body: "m n=4i 1" });
  await expect.poll(() => taken(gateway).length).toBe(4);
  expect(taken(gateway).map((line) => /n=(\d)i/.exec(line)![1])).toEqual(["1", "2", "3", "4"]);
});

it("the platform stores points uploaded as protobuf", async () => {
  const running = await platform(folder());
  onTestFinished(() => running.kill());
  const agent = await startAgent({ config: configOf(`${running.url}?token=${running.token}`, "v2") });
  onTestFinished(() => agent.stop());
  await agent.send("/v1/write/logging", { body: `l text="a",n=5i ${Date.now()}` });
  const stored = async () =>
    (await ask(running.url, "L::l:(n, text, host) [1h]", running.token)).series[0]?.values?.[0]?.slice(1);
  await expect.poll(stored).toEqual([5, "a", "web01"]);
});
