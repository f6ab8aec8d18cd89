// A write may contain points for several workspaces. The gateway then splits it by the X-Global-Tags of the points
// (docs/reference/gateway.md#rules-for-tags). The tests check content and ids of the parts, and the answer when only
// some parts succeed.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import {
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";
import { linesOf } from "./delivered-lines.ts";

const a = `tkn_${"a".repeat(32)}`;
const b = `tkn_${"b".repeat(32)}`;

const mill = await createMillrace();
let workspaces: Workspaces;

beforeEach(async () => {
  workspaces = await startWorkspaces();
});

afterEach(() => workspaces.close());

/**
 * Starts a gateway that sends points of the host `b` to the workspace `b`, and by default all other points to the
 * workspace `a`.
 */
async function started(config = "", takesRest = true): Promise<GatewayProcess> {
  const entry = (rule: string, token: string) => ({ rules: [rule], url: `${workspaces.url}/?token=${token}` });
  const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-gateway-"));
  const gateway = await startGatewayProcess({
    dataDir,
    rules: {
      strict: true,
      rules: [entry("{ host = 'b' }", b), entry(takesRest ? "*" : "{ host = 'a' }", a)],
    },
    files: { "tags.yaml": "- fields: host\n" },
    config: `${config}[sinker.tags]\npath = "${dataDir}/tags.yaml"\n`,
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

it("a repeated write after a change of the rules does not send delivered points again", async () => {
  const gateway = await started("[gateway_api.cache]\ndisabled = true\n");
  const at = 1_700_000_000_000_000_000n;
  const lines = [`m,host=a n=1i ${at}`, `m,host=b n=2i ${at}`, `m,host=c n=3i ${at}`];
  const write = () =>
    gateway.send("/v1/write/metric", { body: lines.join("\n"), headers: { "x-pkg-id": "ag_7", "x-points": "3" } });
  workspaces.behave(b, { status: 503 });
  expect((await write()).status).toBe(502);
  workspaces.behave(b, { status: 200 });
  writeFileSync(path.join(gateway.dataDir, "tags.yaml"), "- fields: [{ src: host, remap: { b: a } }]\n");
  gateway.signal("SIGHUP");
  await expect.poll(() => gateway.log().split("global tags reload ok").length).toBeGreaterThan(2);
  expect((await write()).status).toBe(200);
  const taken = [...workspaces.of(a), ...workspaces.of(b)];
  expect([...new Set(taken.flatMap(linesOf))].sort()).toEqual(lines);
  // The gateway has delivered the points of the host c before the rules changed. When the client repeats the write, the
  // gateway does not send these points again, although the rules are different.
  expect(taken.flatMap(linesOf).filter((line) => line.includes("host=c"))).toHaveLength(1);
});

it("the parts of a split write keep units, types and lists", async () => {
  const gateway = await started();
  const list = { "@type": "type.googleapis.com/point.Array", arr: [{ i: "1" }, { i: "2" }] };
  const point = (host: string) => ({
    name: "x",
    fields: [
      { key: "host", s: host, is_tag: true },
      { key: "size", i: "5", unit: "ms", type: "COUNT" },
      { key: "list", a: list },
    ],
    time: "1700000000000000000",
  });
  const answer = await gateway.send("/v1/write/logging", {
    body: JSON.stringify([point("a"), point("b")]),
    headers: { "content-type": "application/pbjson" },
  });
  expect([answer.status, answer.text]).toEqual([200, ""]);
  const [part] = workspaces.of(b);
  expect(part!.headers).toMatchObject({ "content-type": "application/protobuf", "x-points": "1" });
  expect(part!.query.get("precision")).toBe("n");
  const points = mill.decodePoints(part!.body, { category: "logging", form: "pb", precision: "n" });
  const json = JSON.parse(new TextDecoder().decode(mill.encodePoints(points, "pbjson")));
  points.release();
  expect(json).toEqual([
    expect.objectContaining({
      name: "x",
      time: "1700000000000000000",
      fields: expect.arrayContaining([
        expect.objectContaining({ key: "size", i: "5", unit: "ms", type: "COUNT" }),
        expect.objectContaining({ key: "list", a: list }),
      ]),
    }),
  ]);
});

it("the answer counts points that no rule matches when other points were forwarded", async () => {
  const gateway = await started("", false);
  const body = ["m,host=a n=1i 1", "m,host=c n=2i 2", "m,host=d n=3i 3"].join("\n");
  const write = () => gateway.send("/v1/write/metric", { body });
  const first = await write();
  expect([first.status, first.headers["content-type"], JSON.parse(first.text)]).toEqual([
    200,
    "application/json",
    { dropped_points: 2 },
  ]);
  workspaces.behave(a, { status: 503 });
  expect(JSON.parse((await write()).text)).toEqual({ cached: true, dropped_points: 2 });
  workspaces.behave(a, { status: 403, body: "no" });
  await expect.poll(async () => (await write()).text, { timeout: 10_000 }).toBe("no");
  expect(await gateway.metric('gateway_http_api_dropped_total{api="/v1/write/metric"')).toBeGreaterThanOrEqual(6);
});

it("a client whose target answers 429 does not delay other clients", async () => {
  const gateway = await startGatewayProcess({ config: `[gateway_api]\nremote_host = "${workspaces.url}"\n` });
  onTestFinished(() => gateway.stop());
  const write = async (token: string) =>
    (await gateway.send(`/v1/write/metric?token=${token}`, { body: "m v=1" })).text;
  workspaces.behave(a, { status: 429 });
  expect(await write(a)).toBe('{"cached":true}');
  expect(await write(b)).toBe("");
  expect(workspaces.lines(b)).toEqual(["m v=1"]);
});
