// Writes that a gateway keeps on disk. While a target fails, its writes wait on the disk until the target accepts them.
// Writes that a target refuses become dead letters. The targets of a request are independent of each other
// (docs/reference/gateway.md#order-of-the-checks).

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { millrace } from "../support/millrace.ts";
import {
  type GatewayOptions,
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";

const a = `tkn_${"a".repeat(32)}`;
const b = `tkn_${"b".repeat(32)}`;
const c = `tkn_${"c".repeat(32)}`;

let workspaces: Workspaces;

beforeEach(async () => {
  workspaces = await startWorkspaces();
});

afterEach(() => workspaces.close());

// The time after which the gateway stops waiting for the answer of a workspace. In some tests a workspace never
// answers, and the test waits for this time. The time must be long enough for the workspaces that do answer, also on a
// busy machine.
const timeout = `[gateway_api]\nhttp_timeout = "2s"\n`;
const quick = `${timeout}[gateway_api.cache]\nretry_delay = "20ms"\nclean_interval = "100ms"\n`;

async function started(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const entry = (token: string) => ({ rules: ["{ app = 'x' }"], url: `${workspaces.url}/?token=${token}` });
  const rules = { strict: true, rules: [entry(a), entry(b), entry(c)] };
  const gateway = await startGatewayProcess({ rules, config: quick, ...options });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const write = (gateway: GatewayProcess, body: string, more: Readonly<Record<string, string>> = {}) =>
  gateway.send("/v1/write/metric?precision=s", {
    body,
    headers: { "x-global-tags": "app=x", "x-points": "1", ...more },
  });

const waiting = (gateway: GatewayProcess) => gateway.metric("gateway_queue_records");

describe("targets of one request", () => {
  it("get independent results: delivered, kept on disk, refused", async () => {
    const gateway = await started();
    workspaces.behave(b, { status: 503, body: `busy, ${b}` });
    workspaces.behave(c, { status: 403, body: `{"error_code":"platform.tokenNotFound","message":"${c}"}` });
    const answer = await write(gateway, "m v=1");
    expect([answer.status, answer.text]).toEqual([200, '{"cached":true}']);
    expect(workspaces.lines(a)).toEqual(["m v=1"]);
    expect(workspaces.lines(b)).toEqual([]);
    expect(await waiting(gateway)).toBe(1);
    expect(
      await gateway.metric(
        'gateway_http_api_cached_bytes_total{api="/v1/write/metric",cache_type="disk",method="POST",reason="Service Unavailable"}',
      ),
    ).toBe(5);
    expect(await gateway.metric("gateway_dead_letter_total")).toBe(1);

    const { out } = await millrace(["queue", "ls", "--data-dir", gateway.dataDir]);
    expect(out).toMatch(/^Gateway, by target:\nQUEUE/);
    expect(out).toMatch(/^127\.0\.0\.1-\d+-[0-9a-f]{8} +1 +1 +\d+ +\d+s$/m);
    expect(out).toMatch(/^dead-letters +1 +1 /m);
    expect(out).toMatch(
      /1 points {2}http:\/\/127\.0\.0\.1:\d+: 403 Forbidden: \{"error_code":"platform.tokenNotFound","message":"tkn_\*\*\*ccccc"\}/,
    );

    workspaces.behave(b, { status: 200 });
    await expect.poll(() => workspaces.lines(b)).toEqual(["m v=1"]);
    await expect.poll(() => waiting(gateway)).toBe(0);
    const [again] = workspaces.of(b);
    expect(again!.headers).toMatchObject({ "x-fail-cache-retry": "1", "x-global-tags": "app=x", "x-points": "1" });
    expect(again!.headers["x-pkg-id"]).toBe(workspaces.of(a)[0]!.headers["x-pkg-id"]);
    expect([again!.query.get("precision"), again!.path]).toEqual(["s", "/v1/write/metric"]);
    expect(workspaces.lines(a)).toHaveLength(1);
    for (const token of [a, b, c]) expect(gateway.log() + out).not.toContain(token);
  });

  it("all refuse: the client gets the reason of the first target", async () => {
    const gateway = await started();
    for (const token of [a, b, c])
      workspaces.behave(token, { status: token === a ? 400 : 403, body: token.slice(0, 5) });
    const answer = await write(gateway, "m v=1");
    expect([answer.status, answer.text]).toEqual([400, "tkn_a"]);
    expect(await gateway.metric("gateway_dead_letter_total")).toBe(3);
  });

  it.each(["silent", 500, 408, 429])("%s: the request is kept and sent again", async (how) => {
    const gateway = await started();
    workspaces.behave(a, how === "silent" ? how : { status: Number(how) });
    const answer = await write(gateway, "m v=1");
    expect([answer.status, answer.text]).toEqual([200, '{"cached":true}']);
    workspaces.behave(a, { status: 200 });
    await expect.poll(() => workspaces.lines(a)).toEqual(["m v=1"]);
  });

  it("are not waited for again after a failure: later requests go to disk at once, in order", async () => {
    const gateway = await started();
    workspaces.behave(a, "silent");
    for (let at = 0; at < 10; at++) await write(gateway, `m v=${at}`);
    const asked = workspaces.seen.filter(({ token }) => token === a).length;
    expect(workspaces.lines(b)).toHaveLength(10);
    expect(asked).toBeLessThan(10);
    workspaces.behave(a, { status: 200 });
    await expect.poll(() => workspaces.lines(a).length).toBe(10);
    expect(workspaces.lines(a)).toEqual(workspaces.lines(b));
  });
});

describe("a request that always fails at its target", () => {
  it("becomes a dead letter when the target accepts other requests, and later requests arrive", async () => {
    const gateway = await started();
    workspaces.behave(a, (body) => ({ status: body.includes("poison") ? 500 : 200 }));
    await write(gateway, "poison v=1");
    const others = async () => {
      await write(gateway, "good v=1");
      return await gateway.metric("gateway_dead_letter_total");
    };
    await expect.poll(others, { interval: 50 }).toBe(1);
    await expect.poll(() => waiting(gateway)).toBe(0);
    expect(workspaces.lines(a)).toEqual(workspaces.lines(b).filter((line) => !line.includes("poison")));
    const { out } = await millrace(["queue", "ls", "--data-dir", gateway.dataDir]);
    expect(out).toMatch(/failed \d+ times while the target took others: \S+ 500 Internal Server Error/);
  });
});

describe("the queue on disk", () => {
  it("keeps requests after the process was killed, even when the rules have changed", async () => {
    const gateway = await started();
    workspaces.behave(b, { status: 500 });
    for (let at = 0; at < 3; at++) await write(gateway, `m v=${at}`);
    await gateway.kill();
    workspaces.behave(b, { status: 200 });
    const next = await started({
      dataDir: gateway.dataDir,
      rules: { strict: true, rules: [{ rules: ["{ app = 'y' }"], url: `${workspaces.url}/?token=${a}` }] },
    });
    await expect.poll(() => workspaces.lines(b)).toEqual(["m v=0", "m v=1", "m v=2"]);
    await expect
      .poll(() => next.log())
      .toMatch(/requests for 127\.0\.0\.1-\d+-[0-9a-f]{8} from before wait to be sent/);
  });

  it("is readable for its owner only, because it contains tokens", async () => {
    const gateway = await started();
    workspaces.behave(a, { status: 500 });
    await write(gateway, "m v=1");
    const folder = path.join(gateway.dataDir, "gateway/queue");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name));
    const segments = files.filter((file) => file.endsWith(".seg"));
    expect(segments.length).toBeGreaterThan(0);
    for (const file of segments) expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("sends refused requests again after millrace queue replay", async () => {
    const gateway = await started();
    workspaces.behave(a, { status: 403 });
    await write(gateway, "m v=1");
    await gateway.kill();
    workspaces.behave(a, { status: 200 });
    const replayed = await millrace(["queue", "replay", "--gateway", "--data-dir", gateway.dataDir]);
    expect([replayed.code, replayed.out]).toEqual([
      0,
      "1 points are back in the queue; the gateway sends them when it starts\n",
    ]);
    await started({ dataDir: gateway.dataDir });
    await expect.poll(() => workspaces.lines(a)).toEqual(["m v=1"]);
  });

  it("turns a request that waited too long into a dead letter", async () => {
    const gateway = await started({ config: `${quick}expire_duration = "1ms"\n` });
    workspaces.behave(a, { status: 500 });
    await write(gateway, "m v=1");
    await expect.poll(() => gateway.metric("gateway_http_api_dropped_expired_cache_total")).toBe(1);
    const { out } = await millrace(["queue", "ls", "--data-dir", gateway.dataDir]);
    expect(out).toMatch(/waited longer than 1ms/);
  });

  it("makes the client repeat the write when it is switched off; then only the failed target gets it", async () => {
    const gateway = await started({
      config: `${timeout}[gateway_api.cache]\ndisabled = true\n`,
    });
    workspaces.behave(b, { status: 500 });
    const sent = () => write(gateway, "m v=1", { "x-pkg-id": "ag_7" });
    const first = await sent();
    expect([first.status, JSON.parse(first.text)]).toEqual([
      502,
      {
        error_code: "gateway.upstreamFailed",
        message: "1 of 3 targets took nothing and nothing could be kept for them",
      },
    ]);
    expect(first.headers["retry-after"]).toBe("5");
    workspaces.behave(b, { status: 200 });
    expect((await sent()).status).toBe(200);
    expect([a, b, c].map((token) => workspaces.lines(token).length)).toEqual([1, 1, 1]);
    workspaces.behave(b, "silent");
    const late = await write(gateway, "m v=2");
    expect([late.status, JSON.parse(late.text).error_code]).toEqual([504, "gateway.upstreamTimeout"]);
  });

  it("does not keep a body larger than max_data_size", async () => {
    const gateway = await started({ config: `${quick}max_data_size = 10\n` });
    workspaces.behave(b, { status: 500 });
    expect((await write(gateway, "m v=1,w=22")).text).toBe('{"cached":true}');
    expect((await write(gateway, "m v=1,w=222")).status).toBe(502);
    await expect.poll(() => gateway.log()).toMatch(/not kept on disk \(too large\)/);
  });

  it("keeps no more requests when it is full, and keeps requests again when there is room", async () => {
    const gateway = await started({ config: `${quick}max_disk_size = 1048576\n` });
    for (const token of [a, b, c]) workspaces.behave(token, { status: 500 });
    const body = `m s="${"x".repeat(200_000)}"`;
    const statuses: number[] = [];
    while (statuses.at(-1) !== 502 && statuses.length < 10) statuses.push((await write(gateway, body)).status);
    expect(statuses.at(-1)).toBe(502);
    expect((await gateway.send("/readyz")).status).toBe(200);
    for (const token of [a, b, c]) workspaces.behave(token, { status: 200 });
    await expect.poll(() => waiting(gateway)).toBe(0);
    expect((await write(gateway, body)).status).toBe(200);
  });

  it("gives the room of a file that one queue keeps for its next segment to the requests of another queue", async () => {
    const gateway = await started({ config: `${quick}max_disk_size = 1048576\n` });
    const body = `m s="${"x".repeat(120_000)}"`;
    const kept = async (token: string): Promise<number> => {
      workspaces.behave(token, { status: 500 });
      let count = 0;
      while (count < 20 && (await write(gateway, body)).status === 200) count++;
      workspaces.behave(token, { status: 200 });
      await expect.poll(() => waiting(gateway)).toBe(0);
      return count;
    };
    const first = await kept(a);
    // The newest segment of the first queue stays on the disk and takes the room of two requests. The file that the
    // first queue keeps for its next segment would take the room of two more.
    expect(await kept(b)).toBeGreaterThanOrEqual(first - 2);
  });
});
