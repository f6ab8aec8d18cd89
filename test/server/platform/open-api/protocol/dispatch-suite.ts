// The Open API without an HTTP server, called as a function from Request to Response. The suite runs on every metadata
// store, in Node and in a browser.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMetadata, type Metadata } from "../../../../../server/platform/metadata/metadata.ts";
import type { MetadataStore } from "../../../../../server/platform/metadata/store.ts";
import { createOpenApi } from "../../../../../server/platform/open-api/protocol/dispatch.ts";
import { openApiHandler } from "../../../../../server/platform/open-api/protocol/fetch-handler.ts";
import type { Envelope } from "../running-platform.ts";

const workspace = `wksp_${"1".repeat(32)}`;
const otherWorkspace = `wksp_${"2".repeat(32)}`;
const secret = "secret-of-one";
const key = (digit: number, more: object) => ({
  uuid: `wsak_${String(digit).repeat(32)}`,
  name: `key ${digit}`,
  workspaceUUID: workspace,
  roles: ["wsAdmin"],
  sk: secret,
  ...more,
});

export function describeDispatch(kind: string, isHere: boolean, open: () => Promise<MetadataStore>): void {
  describe.skipIf(!isHere)(`the Open API on ${kind}`, () => {
    let metadata: Metadata;
    let handle: (request: Request) => Promise<Response>;
    const errors: string[] = [];

    beforeAll(async () => {
      metadata = createMetadata(await open(), Date.now);
      await metadata.plant({
        workspaces: [
          { uuid: workspace, name: "one", pointsId: "p1" },
          { uuid: otherWorkspace, name: "two", pointsId: "p2" },
        ],
        keys: [
          key(1, {}),
          key(2, { sk: "secret-of-two", workspaceUUID: otherWorkspace }),
          key(3, { sk: "secret-of-reader", roles: ["readOnly"] }),
        ],
      });
      const services = {
        config: {
          "open_api.key_requests_per_minute": 0,
          "open_api.max_body_bytes": 10 * 1024 * 1024,
          "open_api.rate_limit_status": "429",
          "open_api.workspace_requests_per_minute": 0,
          "platform.query_timeout": "60s",
        },
        store: {
          ask: async () => ({ kind: "refused" as const, reason: "queryFailed" as const, message: "no points here" }),
        },
        replays: { sessions: async () => [], parts: async () => [], part: async () => undefined },
        scripts: { check: async () => [] },
        log: { error: (line: string) => errors.push(line) },
        now: Date.now,
      };
      handle = openApiHandler(createOpenApi({ metadata, services, version: "0.0.0" }));
    });
    afterAll(() => metadata?.close());

    const call = async (at: string, init: RequestInit & { key?: string; json?: unknown } = {}) => {
      const { key: used = secret, json, ...rest } = init;
      const headers = new Headers(rest.headers);
      if (used !== "") headers.set("DF-API-KEY", used);
      if (json !== undefined) headers.set("content-type", "application/json");
      const body = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
      const answer = await handle(new Request(`http://localhost/api/v1${at}`, { ...body, ...rest, headers }));
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text || "{}") as Envelope };
    };
    const create = async (name: string, more: object = {}) =>
      (await call("/dashboard/create", { json: { name, ...more } })).body.content as { uuid: string; updateAt: number };

    it("checks route, key, method, permission, body and object in this order", async () => {
      const reader = "secret-of-reader";
      const body = "not json";
      const absent = `/dashboard/dsbd_${"0".repeat(32)}/modify`;
      for (const [at, init, status, code] of [
        ["/nothing", { key: "wrong", method: "DELETE" }, 400, "RouterNotFound"],
        ["/dashboard/create", { key: "wrong", method: "GET" }, 403, "InvalidApiKey"],
        ["/dashboard/create", { key: "", method: "GET" }, 403, "InvalidApiKey"],
        ["/dashboard/create", { key: reader, method: "GET" }, 405, "MethodNotAllowed"],
        ["/dashboard/create", { key: reader, method: "POST", body }, 403, "NoPermission"],
        ["/dashboard/create", { method: "POST", body }, 400, "InvalidContentType"],
        [
          "/dashboard/create",
          { method: "POST", body, headers: { "content-type": "application/json" } },
          400,
          "InvalidJSON",
        ],
        [absent, { json: { name: 5 } }, 400, "InvalidParameter"],
        [absent, { json: { name: "a" } }, 404, "ObjectNotFound"],
      ] as const) {
        const answer = await call(at, init);
        expect([at, answer.status, answer.body.errorCode]).toEqual([at, status, code]);
        expect(answer.headers.get("x-trace-id")).toBe(answer.body.traceId);
        expect(Object.keys(answer.body)).toEqual(["code", "content", "errorCode", "message", "success", "traceId"]);
      }
      expect((await call("/dashboard/create", { method: "GET" })).headers.get("allow")).toBe("POST");
      const preflight = await call("/dashboard/list", { method: "OPTIONS", key: "" });
      expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([204, "GET"]);
    });

    it("makes, lists, changes, copies and deletes dashboards", async () => {
      const chart = { name: "usage", type: "sequence", pos: null, queries: [] };
      const made = await create("CPU", { tagNames: ["host", "web"], templateInfo: { main: { charts: [chart] } } });
      expect(made).toMatchObject({
        name: "CPU",
        chartPos: [{ pos: { h: 9, w: 8, x: 0, y: 0 } }],
        workspaceUUID: workspace,
      });
      const second = await create("Memory", { tagNames: ["web"] });
      const listed = await call('/dashboard/list?tagNames=["web"]&search=m');
      expect([listed.body.pageInfo, (listed.body.content as { uuid: string }[])[0]?.uuid]).toEqual([
        { count: 1, pageIndex: 1, pageSize: 50, totalCount: 1 },
        second.uuid,
      ]);
      const at = `/dashboard/${made.uuid}`;
      const seen = { "if-match": (await call(`${at}/get`)).headers.get("etag")! };
      const changed = await call(`${at}/modify`, { json: { desc: "new" }, headers: seen });
      expect(changed.body.content).toMatchObject({ desc: "new", old_name: "CPU" });
      const late = await call(`${at}/modify`, { json: { desc: "x" }, headers: seen });
      expect(late.body.errorCode).toBe("VersionConflict");
      const whole = await call(`${at}/get?withCharts=true`);
      expect(whole.body.content).toMatchObject({
        desc: "new",
        charts: [{ name: "usage" }],
        tag_info: { [made.uuid]: [{}, {}] },
      });
      const exported = await call(`${at}/export`);
      const copied = await call(`${at}/copy`, { json: {} });
      const copy = (copied.body.content as { uuid: string }).uuid;
      const [a, b] = [exported, await call(`/dashboards/${copy}/export`)].map(({ body }) => body.content as object);
      expect({ ...b, title: "" }).toEqual({ ...a, title: "" });
      for (const each of [made.uuid, second.uuid, copy]) {
        expect((await call(`/dashboard/${each}/get`, { key: "secret-of-two" })).body.errorCode).toBe("ObjectNotFound");
        expect((await call(`/dashboard/${each}/delete`, { method: "POST" })).status).toBe(200);
        expect((await call(`/dashboard/${each}/delete`, { method: "POST" })).status).toBe(404);
      }
      expect((await call("/dashboard/list")).body.content).toEqual([]);
    });

    it("shows each change at once, although answers are cached", async () => {
      const { uuid } = await create("before");
      for (const name of ["a", "b", "c"]) {
        await call(`/dashboard/${uuid}/modify`, { json: { name } });
        const [got, listed] = [await call(`/dashboard/${uuid}/get`), await call("/dashboard/list")];
        expect((got.body.content as { name: string }).name).toBe(name);
        expect((listed.body.content as { name: string }[]).map((each) => each.name)).toEqual([name]);
      }
      await call(`/dashboard/${uuid}/delete`, { method: "POST" });
    });

    it("keeps pipelines, with one default of a category", async () => {
      const add = (name: string) =>
        call("/pipeline/add", { json: { name, category: "logging", content: "ZHJvcCgp", asDefault: 1 } });
      const first = (await add("one")).body.content as { uuid: string };
      expect((await add("two")).body.message).toBe('asDefault: logging has the default "one"; isForce replaces it');
      const { content } = (await call("/pipeline/list?categories=logging")).body as { content: { data: object[] } };
      expect(content.data).toMatchObject([{ name: "one", asDefault: 1 }]);
      expect((await call("/pipeline/delete", { json: { pipelineUUIDs: [first.uuid] } })).body.content).toEqual({
        [first.uuid]: "one",
      });
    });

    it("creates keys, which work until they are deleted, and records this in the audit log", async () => {
      const added = (await call("/workspace/accesskey/add", { json: { name: "robot" } })).body.content as {
        uuid: string;
        sk: string;
      };
      expect((await call("/validate", { key: added.sk })).body.content).toBe(true);
      await call(`/workspace/accesskey/${added.uuid}/delete`, { method: "POST" });
      expect((await call("/validate", { key: added.sk })).body.errorCode).toBe("InvalidApiKey");
      const changes = (await call(`/audit/list?uuid=${added.uuid}`)).body.content as { action: string }[];
      expect(changes.map(({ action }) => action)).toEqual(["delete", "create"]);
    });

    it("repeats the first answer for the same Idempotency-Key", async () => {
      const ask = () => call("/dashboard/create", { json: { name: "once" }, headers: { "idempotency-key": "k" } });
      const answers = await Promise.all([ask(), ask(), ask()]);
      const uuids = answers.map(({ body }) => (body.content as { uuid: string }).uuid);
      expect(new Set(uuids).size).toBe(1);
      const at = `/dashboard/${uuids[0]}`;
      // When a client repeats a request, the platform sends the answer to the first request again. The ETag of this
      // answer is still the version of the dashboard at that time, even if the dashboard has changed since.
      const tag = answers[0]!.headers.get("etag");
      const modify = (seen: string) =>
        call(`${at}/modify`, { json: { desc: "x" }, headers: { "if-match": seen, "idempotency-key": "m" } });
      const changed = await modify(tag!);
      expect([changed.status, changed.headers.get("etag") === tag]).toEqual([200, false]);
      const again = await modify(tag!);
      expect([again.headers.get("idempotency-replayed"), again.headers.get("etag")]).toEqual([
        "true",
        changed.headers.get("etag"),
      ]);
      expect([tag, ...[...answers, await ask()].map(({ headers }) => headers.get("etag"))]).toEqual(Array(5).fill(tag));
      // The repeated request has a newer If-Match. So the platform takes it for another request, and refuses it because
      // it has the Idempotency-Key of the first one.
      const other = await modify(changed.headers.get("etag")!);
      expect(other.body.message).toBe("Idempotency-Key: was sent with another request");
      await call(`${at}/delete`, { method: "POST" });
    });

    it("accepts compressed bodies, and refuses bodies that are too large", async () => {
      const packed = new Blob([JSON.stringify({ name: "packed" })]).stream().pipeThrough(new CompressionStream("gzip"));
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      const body = await new Response(packed).arrayBuffer();
      const made = await call("/dashboard/create", { method: "POST", headers, body });
      expect(made.body.content).toMatchObject({ name: "packed" });
      const broken = await call("/dashboard/create", { method: "POST", headers, body: "no gzip" });
      expect(broken.body.message).toBe("Request body is not valid JSON: its compression cannot be undone");
      const large = await call("/dashboard/create", { json: { name: "a", desc: "x".repeat(11 * 1024 * 1024) } });
      expect([large.status, large.body.errorCode]).toEqual([413, "RequestTooLarge"]);
    });

    it("answers 500 without the error's message when the points store fails", async () => {
      const answer = await call("/object/host/list");
      expect([answer.status, answer.body.errorCode, answer.text.includes("no points")]).toEqual([
        500,
        "ServerError",
        false,
      ]);
      expect(errors.some((line) => line.startsWith(answer.body.traceId) && line.includes("no points here"))).toBe(true);
    });

    it("serves its document and its reference page", async () => {
      const document = await call("/openapi.json", { key: "" });
      expect((document.body as unknown as { openapi: string }).openapi).toBe("3.1.1");
      const page = await handle(new Request("http://localhost/api/v1/docs"));
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await page.text()).toContain("<h1>Millrace Open API");
    });
  });
}
