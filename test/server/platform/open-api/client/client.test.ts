// The typed client of the Open API: its calls to a platform, and its errors when an answer does not come from an Open
// API.

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createOpenApiClient,
  type Fetch,
  type OpenApiClient,
  OpenApiError,
} from "../../../../../server/platform/open-api/client/client.ts";
import { clientSource } from "../../../../../server/platform/open-api/documents/client-source.ts";
import { routes } from "../../../../../server/platform/open-api/routes.ts";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";
import { example } from "./client-example.ts";

const folder = new URL("../../../../../server/platform/open-api/client/", import.meta.url);
const textOf = (file: string | URL) => readFileSync(file, "utf8");

async function failureOf(call: Promise<unknown>): Promise<OpenApiError> {
  const error = await call.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenApiError);
  return error as OpenApiError;
}

describe("against a platform", () => {
  let platform: RunningPlatform;
  let api: OpenApiClient;
  beforeAll(async () => {
    platform = await startPlatform();
    api = createOpenApiClient({ baseUrl: `${platform.url}/`, key: platform.key, fetch });
  });
  afterAll(() => platform.stop());

  it("makes, lists, gets, changes and deletes a dashboard", async () => {
    expect(await api.validateKey()).toBe(true);
    const made = await api.createDashboard({ body: { name: "CPU & load", tagNames: ["a,b", "é"], isPublic: 0 } });
    expect(made).toMatchObject({ name: "CPU & load", isPublic: 0, uuid: expect.stringMatching(/^dsbd_[0-9a-f]{32}$/) });
    const ids = { dashboard: made.uuid };

    const other = await api.createDashboard({ body: { name: "disk" } });
    const listed = await api.listDashboards({ query: { search: "& LOAD", tagNames: ["é"], pageSize: 5 } });
    expect(listed.content.map(({ uuid }) => uuid)).toEqual([made.uuid]);
    expect(listed.pageInfo).toEqual({ count: 1, pageIndex: 1, pageSize: 5, totalCount: 1 });
    expect((await api.listDashboards()).pageInfo.totalCount).toBe(2);
    await api.deleteDashboard({ ids: { dashboard: other.uuid } });

    const got = await api.getDashboard({ ids, query: { withCharts: true } });
    expect(got).toMatchObject({ uuid: made.uuid, charts: [], vars: [] });
    const modified = await api.modifyDashboard({ ids, body: { desc: "of all hosts" } });
    expect([modified.desc, modified.old_name]).toEqual(["of all hosts", "CPU & load"]);
    const conflict = await failureOf(
      api.modifyDashboard({ ids, headers: { "If-Match": "1700000000" }, body: { desc: "" } }),
    );
    expect([conflict.status, conflict.errorCode]).toEqual([412, "VersionConflict"]);
    expect(await api.deleteDashboard({ ids })).toEqual({ [made.uuid]: "CPU & load" });

    const gone = await failureOf(api.getDashboard({ ids }));
    expect({ ...gone }).toEqual({
      name: "OpenApiError",
      status: 404,
      errorCode: "ObjectNotFound",
      traceId: expect.stringMatching(/^TRACE-/),
    });
    expect(gone.message).toBe(`The operation object cannot be found: ${made.uuid}`);
  });

  it("encodes lists in the query string, and returns rows when the content contains rows", async () => {
    for (const [name, category] of [
      ["nginx", "logging"],
      ["cpu", "metric"],
      ["span", "tracing"],
    ] as const)
      await api.addPipeline({ body: { name, category, content: btoa("drop()") } });
    const { content } = await api.listPipelines({ query: { categories: ["logging", "metric"] } });
    expect(content.data.map(({ name }) => name).sort()).toEqual(["cpu", "nginx"]);
  });

  it("throws an error with the reason when the platform refuses a request", async () => {
    const stranger = createOpenApiClient({ baseUrl: platform.url, key: "nobody's", fetch });
    expect(await failureOf(stranger.validateKey())).toMatchObject({
      status: 403,
      errorCode: "InvalidApiKey",
      message: "Invalid request API KEY.",
    });
    expect(await failureOf(api.createDashboard({ body: { name: "" } }))).toMatchObject({
      status: 400,
      errorCode: "InvalidParameter",
      message: "name: must not be empty",
    });
    // @ts-expect-error: a name is needed
    expect((await failureOf(api.createDashboard({ body: {} }))).message).toBe("name: required");
    // @ts-expect-error: a dashboard is not public to the degree of two
    expect((await failureOf(api.createDashboard({ body: { name: "a", isPublic: 2 } }))).status).toBe(400);
    expect((await failureOf(api.getDashboard({ ids: { dashboard: "../dashboard/list?" } }))).errorCode).toBe(
      "ObjectNotFound",
    );
  });

  it("runs the example of the documentation", async () => {
    expect(await example(platform.url, platform.key)).toEqual(["1 dashboards", "CPU"]);
    const block = /```ts\n(.*?)```/s.exec(
      textOf(new URL("../../../../../docs/reference/open-api.md", import.meta.url)),
    )![1]!;
    const [, ...lines] = block.trimEnd().split("\n");
    expect(textOf(new URL("./client-example.ts", import.meta.url))).toContain(lines.join("\n").trim());
  });
});

describe("a response that is no answer of the Open API", () => {
  const answering = (text: string, init: ResponseInit = {}) =>
    createOpenApiClient({ baseUrl: "http://platform", key: "k", fetch: async () => new Response(text, init) });
  const envelope = { code: 200, content: [], errorCode: "", message: "", success: true, traceId: "t-1" };

  it.each([
    ["a page of a proxy", 502, "<html>Bad Gateway</html>"],
    ["a page with status 200", 200, "<html>Sign in</html>"],
    ["nothing", 200, ""],
    ["JSON that is no object", 200, "[1]"],
    ["an object without content", 200, '{"success":true}'],
    ["an object that does not say whether it succeeded", 200, '{"content":1}'],
    ["a success with the status of an error", 500, JSON.stringify(envelope)],
    ["a list without pageInfo", 200, JSON.stringify(envelope)],
  ])("%s", async (_, status, text) => {
    const api = answering(text, { status, headers: { "x-trace-id": "t-2" } });
    const error = await failureOf(api.listDashboards());
    expect([error.status, error.errorCode]).toEqual([status, "InvalidResponse"]);
    expect(error.message).toBe(`HTTP ${status}: not an answer of the Open API: ${JSON.stringify(text.slice(0, 200))}`);
    expect(error.traceId).toBe(text.includes("t-1") ? "t-1" : "t-2");
  });

  it("an error keeps its code even when the HTTP status is a success", async () => {
    const body = { ...envelope, success: false, errorCode: "ServerError", message: "not now" };
    const error = await failureOf(answering(JSON.stringify(body)).validateKey());
    expect({ ...error, message: error.message }).toMatchObject({
      status: 200,
      errorCode: "ServerError",
      message: "not now",
      traceId: "t-1",
    });
  });

  it("an error that fetch throws is passed on", async () => {
    const refused = new TypeError("connection refused");
    const fetch: Fetch = () => Promise.reject(refused);
    const api = createOpenApiClient({ baseUrl: "http://platform", key: "k", fetch });
    await expect(api.validateKey()).rejects.toBe(refused);
  });
});

it("an identifier cannot lead to another operation", async () => {
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(url);
    return new Response('{"success":true,"content":{}}');
  };
  const api = createOpenApiClient({ baseUrl: "http://platform//", key: "k", fetch });
  for (const dashboard of ["", ".", ".."])
    await expect(api.deleteDashboard({ ids: { dashboard } })).rejects.toThrow(`ids.dashboard: "${dashboard}" is no`);
  await api.deleteDashboard({ ids: { dashboard: "a/../b?c#d" } });
  expect(asked).toEqual(["http://platform/api/v1/dashboard/a%2F..%2Fb%3Fc%23d/delete"]);
});

it("has a method for each route, and no more", () => {
  const api = createOpenApiClient({ baseUrl: "http://platform", key: "k", fetch });
  expect(Object.keys(api)).toEqual(routes.map(({ name }) => name));
});

it("client/operations.ts is not stale (npm run docs)", () => {
  expect(textOf(new URL("operations.ts", folder))).toBe(clientSource(routes));
});

it("imports nothing but its own files", () => {
  const own = readdirSync(folder);
  for (const file of own) {
    const sources = [...textOf(new URL(file, folder)).matchAll(/(?:from|import\() ?"([^"]+)"/g)].map(
      ([, from]) => from,
    );
    for (const from of sources) expect(own.map((name) => `./${name}`)).toContain(from);
  }
});
