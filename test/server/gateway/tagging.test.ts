// The gateway generates X-Global-Tags for writes without this header: by rules, or by JavaScript functions supplied by
// the user, which run in a thread of their own (docs/reference/gateway.md#rules-for-tags).

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGlobalTags } from "../../../lib/sharding/global-tags.ts";
import {
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";
import { linesOf } from "./delivered-lines.ts";

// Imports the compiled JavaScript, because the thread starts from a file beside it.
const built = new URL("../../../dist/server/gateway/tag-functions.js", import.meta.url).href;
const { openTagFunctions } = (await import(
  /* @vite-ignore */ built
)) as typeof import("../../../server/gateway/tag-functions.ts");

const token = (letter: string) => `tkn_${letter.repeat(32)}`;

let workspaces: Workspaces;

beforeAll(async () => {
  workspaces = await startWorkspaces();
});

afterAll(() => workspaces.close());

beforeEach(() => {
  workspaces.seen.length = 0;
});

const sinkRules = () => ({
  strict: true,
  rules: [
    { rules: ["{ host match 'web-*' }"], url: `${workspaces.url}/?token=${token("a")}` },
    { rules: ["{ level = 'critical_error' }", "{ tier = 'db' }"], url: `${workspaces.url}/?token=${token("b")}` },
  ],
});

describe("tag rules", () => {
  let gateway: GatewayProcess;
  const tags = `CUSTOM_INTERNAL_GATEWAY_X_GLOBAL_TAGS:
  - category: keyevent
    fields: host
  - category: logging
    fields:
      - { src: log_level, dest: level, remap: { error: critical_error } }
      - { src: host, dest: tier, remap: { db-1: db }, remap_default: null }
  - category: metric
    fields: [ws, count]
  - category: [metric]
    fields: { src: DF_WORKSPACE_UUID, dest: host, remap: { wksp_1: web-of-1 } }
`;

  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "millrace-tags-"));
    writeFileSync(path.join(folder, "tags.yaml"), tags);
    gateway = await startGatewayProcess({
      rules: sinkRules(),
      config: `[sinker.tags]\npath = "${folder}/tags.yaml"\n[sinker.tags.extra_fields]\nDF_WORKSPACE_UUID = "wksp_1"\n`,
    });
  });

  afterAll(() => gateway.stop());

  const arrived = () =>
    workspaces.seen.map((each) => [each.token.at(-1), each.headers["x-global-tags"], linesOf(each).join("\n")]).sort();

  it("set the header of each point, and points with equal pairs are sent together", async () => {
    const body = "keyevent,host=web-1 v=1i 1\nkeyevent,host=web-2 v=2i 2\nkeyevent,host=web-1 v=3i 3";
    const answer = await gateway.send("/v1/write/keyevent?precision=s", { body, headers: { "x-points": "3" } });
    expect(answer.status).toBe(200);
    expect(arrived()).toEqual([
      ["a", "host=web-1", "keyevent,host=web-1 v=1i 1000000000\nkeyevent,host=web-1 v=3i 3000000000"],
      ["a", "host=web-2", "keyevent,host=web-2 v=2i 2000000000"],
    ]);
    const [first, second] = workspaces.seen;
    expect([first!.headers["x-points"], first!.query.get("precision")]).toEqual(["2", "n"]);
    expect(first!.headers["x-pkg-id"]).not.toBe(second!.headers["x-pkg-id"]);
    expect(await gateway.metric('gateway_tagged_points_total{category="keyevent"}')).toBe(3);
  });

  it("leave a body unchanged when all its points have the same pairs", async () => {
    const body = gzipSync("keyevent,host=web-1 v=1i 1");
    await gateway.send("/v1/write/keyevent", { body, headers: { "content-encoding": "gzip", "x-points": "1" } });
    expect(arrived()).toEqual([["a", "host=web-1", "keyevent,host=web-1 v=1i 1"]]);
    expect(workspaces.seen[0]!.headers["content-encoding"]).toBe("gzip");
  });

  it("can differ by category", async () => {
    await gateway.send("/v1/write/logging", {
      body: JSON.stringify([
        { measurement: "l", fields: { log_level: "error", message: "x" } },
        { measurement: "l", tags: { host: "db-1" }, fields: { log_level: "debug" } },
      ]),
      headers: { "content-type": "application/json" },
    });
    await gateway.send("/v1/write/metric", { body: "m,host=x count=7i 1" });
    expect(arrived().map(([to, header]) => [to, header])).toEqual([
      ["a", "host=web-of-1"],
      ["b", "level=critical_error"],
      ["b", "level=debug,tier=db"],
    ]);
  });

  it("do not change writes that have the header already, or bodies that are no points", async () => {
    const tagged = { "x-global-tags": "host=web-9" };
    await gateway.send("/v1/write/keyevent", { body: "keyevent,host=db v=1i 1", headers: tagged });
    expect(arrived()[0]!.slice(0, 2)).toEqual(["a", "host=web-9"]);
    const odd = await gateway.send("/v1/write/keyevent", { body: "no points" });
    expect(odd.status).toBe(406);
    await expect
      .poll(() => gateway.log())
      .toMatch(/\/v1\/write\/keyevent: the body cannot be read, it goes on without X-Global-Tags/);
  });

  it("set the header of each point, and only points that no routing rule matches are refused", async () => {
    const answer = await gateway.send("/v1/write/keyevent", {
      body: "keyevent,host=web-1 v=1i 1\nkeyevent,host=db v=2i 2",
    });
    expect(answer.status).toBe(200);
    expect(arrived().map(([, header]) => header)).toEqual(["host=web-1"]);
    await expect.poll(() => gateway.log()).toContain("for API /v1/write/keyevent with X-Global-Tags host=db dropped");
  });
});

/**
 * The time limit of one function call in milliseconds. The limit is so long that functions without an endless loop
 * finish in time even on a busy machine.
 */
const callMs = 1000;

const functions = `
export function make_tags(category, point, extra) {
  if (category === "metric") return;
  if (point.tags.host === "throws") throw new Error("no such host");
  if (point.tags.host === "hangs") for (;;);
  if (point.tags.host === "never") return new Promise(() => {});
  if (point.tags.host === "grows") { const all = []; for (;;) all.push(new Array(1000).fill(all.length)); }
  if (point.tags.host === "exits") process.exit(1);
  if (point.tags.host === "text") return "host=x";
  if (point.tags.host === "list") return [1, 2];
  if (point.tags.host === "function") return () => {};
  if (point.tags.host === "four") return { a: 1, b: 2, c: 3, d: 4 };
  point.tags.host = "changed";
  return { host: "web-" + point.fields.n, note: null, env: process.env.GW_SECRET_TOKEN };
}
export const not_a_function = 1;
`;

describe("a user-defined function", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-functions-"));
  writeFileSync(path.join(folder, "my_set__my_script.mjs"), functions);
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = async (hosts: readonly string[], id = "my_set__my_script.make_tags", category = "keyevent") => {
    // The function `grows` fills the memory of its thread. It needs more time than the other functions, so its time
    // limit is longer.
    const timeoutMs = hosts.includes("grows") ? 20_000 : callMs;
    const modules = openTagFunctions({ folder, timeoutMs, memoryMb: 32 });
    const reports: string[] = [];
    const tags = createGlobalTags(id, {
      functionOf: modules.of,
      report: (_severity, message) => reports.push(message),
    });
    try {
      const headers = await Promise.all(
        hosts.map((host, n) => tags.headerOf(category, { measurement: "m", tags: { host }, fields: { n } })),
      );
      return { headers, reports };
    } finally {
      await modules.close();
    }
  };

  it("receives category, point and extra fields, and returns a dict", async () => {
    expect(await run(["x", "y"])).toEqual({ headers: ["host=web-0", "host=web-1"], reports: [] });
    expect(await run(["x"], undefined, "metric")).toEqual({ headers: [""], reports: [] });
  });

  it.each([
    ["throws", /make_tags": no such host$/],
    ["hangs", /took longer than 1000 ms$/],
    ["never", /took longer than 1000 ms$/],
    ["grows", /took more than 32 MiB$/],
    ["exits", /ended its thread$/],
    ["text", /must return a dict$/],
    ["list", /must return a dict$/],
    ["function", /must return a dict$/],
  ])("that fails (%s) leaves only its own point without the header", async (host, reason) => {
    const { headers, reports } = await run(["x", host, "y", "z"]);
    expect(headers).toEqual(["host=web-0", "", "host=web-2", "host=web-3"]);
    expect(reports).toEqual([expect.stringMatching(reason)]);
  });

  it("can set at most three identifiers", async () => {
    expect(await run(["four"])).toEqual({
      headers: ["a=1,b=2,c=3"],
      reports: ["a point has more than 3 identifiers, the first are kept"],
    });
  });

  it("that keeps ending its thread is not called for a while", async () => {
    const { headers, reports } = await run(["hangs", "hangs", "hangs", "x", "y"]);
    expect(headers).toEqual(["", "", "", "", ""]);
    expect(reports.at(-1)).toMatch(/is left alone for 10 s: took longer than 1000 ms$/);
  });

  it.each([
    ["my_set__other.make_tags", /function "my_set__other.make_tags" not found/],
    ["my_set__my_script.nope", /nope is not an exported function/],
    ["my_set__my_script.not_a_function", /not_a_function is not an exported function/],
  ])("%s that does not exist is reported", async (id, reason) => {
    const { headers, reports } = await run(["x"], id);
    expect([headers, reports]).toEqual([[""], [expect.stringMatching(reason)]]);
  });

  it("is loaded again when its file has changed", async () => {
    const file = path.join(folder, "set__changing.mjs");
    const modules = openTagFunctions({ folder, timeoutMs: 20_000, memoryMb: 32 });
    const header = () =>
      createGlobalTags("set__changing.f", { functionOf: modules.of }).headerOf("metric", {
        measurement: "m",
        tags: {},
        fields: {},
      });
    writeFileSync(file, "export const f = () => ({ v: 1 });");
    expect(await header()).toBe("v=1");
    writeFileSync(file, "export const f = async () => ({ v: 2 });");
    // The gateway notices that the file of functions has changed by the file's later modification time. The test may
    // have written the file twice within one tick of the clock, so it sets a later modification time itself.
    utimesSync(file, new Date(), new Date(Date.now() + 1000));
    expect(await header()).toBe("v=2");
    await modules.close();
  });

  it("sets the headers of a gateway's writes, and points are forwarded even when it fails", async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-gateway-"));
    mkdirSync(path.join(dataDir, "gateway/functions"), { recursive: true });
    writeFileSync(path.join(dataDir, "gateway/functions/my_set__my_script.mjs"), functions);
    writeFileSync(path.join(dataDir, "tags.json"), '"my_set__my_script.make_tags"');
    const gateway = await startGatewayProcess({
      dataDir,
      rules: { rules: [...sinkRules().rules, { rules: ["*"], url: `${workspaces.url}/?token=${token("d")}` }] },
      config: `[sinker.tags]\npath = "${dataDir}/tags.json"\nfunction_timeout = "${callMs}ms"\n`,
      env: { GW_SECRET_TOKEN: "" },
    });
    const body = ["e,host=x n=1i 1", "e,host=hangs n=2i 2", "e,host=y n=3i 3"].join("\n");
    expect((await gateway.send("/v1/write/keyevent", { body })).status).toBe(200);
    const arrived = workspaces.seen.map(({ token: to, headers }) => [to.at(-1), headers["x-global-tags"]]).sort();
    expect(arrived).toEqual([
      ["a", "host=web-1"],
      ["a", "host=web-3"],
      ["d", ""],
    ]);
    await expect
      .poll(() => gateway.log())
      .toMatch(/global tags: function "my_set__my_script.make_tags": took longer than 1000 ms/);
    expect(await gateway.metric("gateway_tag_problems_total")).toBe(1);
    await gateway.stop();
  });
});
