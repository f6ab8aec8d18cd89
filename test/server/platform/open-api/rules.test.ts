// Rules that every route of the Open API follows over real HTTP: the envelope of answers, errors, statuses, and the
// order of checks.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Asked, type RunningPlatform, startPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

const trace = /^TRACE-[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const absent = "dsbd_0123456789abcdef0123456789abcdef";

describe("the envelope", () => {
  it("of a success has every member in alphabetical order, without pageInfo", async () => {
    const { status, headers, text, body } = await platform.call("/validate");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(body.traceId).toMatch(trace);
    expect(headers["x-trace-id"]).toBe(body.traceId);
    expect(text).toBe(
      `{"code":200,"content":true,"errorCode":"","message":"","success":true,"traceId":"${body.traceId}"}`,
    );
  });

  it("of a list has pageInfo", async () => {
    const { body } = await platform.call("/dashboard/list?search=nothing-is-called-so");
    expect(Object.keys(body)).toEqual(["code", "content", "errorCode", "message", "pageInfo", "success", "traceId"]);
    expect([body.content, body.pageInfo]).toEqual([[], { count: 0, pageIndex: 1, pageSize: 50, totalCount: 0 }]);
  });

  it("of an error has an empty object as content", async () => {
    const { status, text, body } = await platform.call("/validate", { key: null });
    expect(status).toBe(403);
    expect(text).toBe(
      `{"code":403,"content":{},"errorCode":"InvalidApiKey","message":"Invalid request API KEY.","success":false,"traceId":"${body.traceId}"}`,
    );
  });

  it("repeats a valid trace id, and replaces an invalid one", async () => {
    for (const [sent, expected] of [
      ["a_Z-9", /^a_Z-9$/],
      ["x".repeat(64), /^x{64}$/],
      ["x".repeat(65), trace],
      ['"<', trace],
    ] as const) {
      expect((await platform.call("/validate", { headers: { "x-trace-id": sent } })).body.traceId).toMatch(expected);
    }
  });

  it("contains UTF-8 without escapes, and is compressed for clients that accept gzip", async () => {
    const made = await platform.call("/dashboard/create", { body: { name: "Grüße 地図", desc: "ü".repeat(2000) } });
    expect(made.text).toContain("Grüße 地図");
    const { uuid } = made.body.content as { uuid: string };
    const zipped = await fetch(`${platform.url}/api/v1/dashboard/${uuid}/get`, {
      headers: { "df-api-key": platform.key, "accept-encoding": "gzip" },
    });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(((await zipped.json()) as { content: { name: string } }).content.name).toBe("Grüße 地図");
  });
});

const cases: readonly (readonly [string, string, Asked, number, string, string])[] = [
  ["an unknown route", "/nothing", {}, 400, "RouterNotFound", "Requested route address does not exist."],
  ["an unknown route without a key", "/nothing", { key: null }, 400, "RouterNotFound", ""],
  ["an unknown version", "/api/v2/validate", {}, 400, "RouterNotFound", ""],
  ["a trailing slash", "/validate/", {}, 400, "RouterNotFound", ""],
  ["a double slash", "//validate", {}, 400, "RouterNotFound", ""],
  ["another case", "/Validate", {}, 400, "RouterNotFound", ""],
  ["the base alone", "/api/v1", {}, 400, "RouterNotFound", ""],
  ["/api alone", "/api", {}, 400, "RouterNotFound", ""],
  ["a path that cannot be decoded", "/%zz", {}, 400, "RouterNotFound", ""],
  ["an object without action", `/dashboard/${absent}`, {}, 400, "RouterNotFound", ""],
  ["no key", "/validate", { key: null }, 403, "InvalidApiKey", "Invalid request API KEY."],
  ["an empty key", "/validate", { key: "" }, 403, "InvalidApiKey", ""],
  ["a wrong key", "/validate", { key: "A".repeat(32) }, 403, "InvalidApiKey", ""],
  ["a long key", "/validate", { key: "A".repeat(4000) }, 403, "InvalidApiKey", ""],
  ["no key and a wrong method", "/validate", { key: null, method: "DELETE" }, 403, "InvalidApiKey", ""],
  ["DELETE", "/validate", { method: "DELETE" }, 405, "MethodNotAllowed", "Only GET and POST are supported."],
  ["PUT", "/validate", { method: "PUT", body: {} }, 405, "MethodNotAllowed", ""],
  ["PATCH", "/validate", { method: "PATCH", body: {} }, 405, "MethodNotAllowed", ""],
  ["PURGE", "/validate", { method: "PURGE" }, 405, "MethodNotAllowed", ""],
  ["POST where GET is", "/dashboard/list", { method: "POST" }, 405, "MethodNotAllowed", ""],
  ["GET where POST is", "/dashboard/create", {}, 405, "MethodNotAllowed", ""],
  ["pageSize 0", "/dashboard/list?pageSize=0", {}, 400, "InvalidParameter", "pageSize: must be between 1 and 100"],
  ["pageSize 101", "/dashboard/list?pageSize=101", {}, 400, "InvalidParameter", "pageSize: must be between 1 and 100"],
  ["pageSize -1", "/dashboard/list?pageSize=-1", {}, 400, "InvalidParameter", "pageSize: must be between 1 and 100"],
  ["pageIndex abc", "/dashboard/list?pageIndex=abc", {}, 400, "InvalidParameter", "pageIndex: expected integer"],
  ["pageIndex 1.5", "/dashboard/list?pageIndex=1.5", {}, 400, "InvalidParameter", "pageIndex: expected integer"],
  ["pageIndex 1e3", "/dashboard/list?pageIndex=1e3", {}, 400, "InvalidParameter", "pageIndex: expected integer"],
  ["pageIndex +1", "/dashboard/list?pageIndex=%2B1", {}, 400, "InvalidParameter", "pageIndex: expected integer"],
  ["an empty pageIndex", "/dashboard/list?pageIndex=", {}, 400, "InvalidParameter", "pageIndex: expected integer"],
  [
    "a pageIndex of 30 digits",
    `/dashboard/list?pageIndex=${"9".repeat(30)}`,
    {},
    400,
    "InvalidParameter",
    "pageIndex: must be between 1 and 2147483647",
  ],
  [
    "a repeated parameter",
    "/dashboard/list?pageSize=1&pageSize=1",
    {},
    400,
    "InvalidParameter",
    "pageSize: given more than once",
  ],
  [
    "a search of 257 characters",
    `/dashboard/list?search=${"x".repeat(257)}`,
    {},
    400,
    "InvalidParameter",
    "search: longer than 256 characters",
  ],
  ["tagNames not JSON", "/dashboard/list?tagNames=[a", {}, 400, "InvalidParameter", "tagNames: expected array"],
  ["tagNames an object", "/dashboard/list?tagNames={}", {}, 400, "InvalidParameter", "tagNames: expected array"],
  ["tagNames of numbers", "/dashboard/list?tagNames=[1]", {}, 400, "InvalidParameter", "tagNames[0]: expected string"],
  ["a body that is no JSON", "/dashboard/create", { body: '{"name":' }, 400, "InvalidJSON", ""],
  ["a body of half a character", "/dashboard/create", { body: Buffer.from([0x22, 0xc3]) }, 400, "InvalidJSON", ""],
  ["a body nested too deep", "/dashboard/create", { body: "[".repeat(5000) }, 400, "InvalidJSON", ""],
  ["a list as body", "/dashboard/create", { body: [1] }, 400, "InvalidParameter", "body: expected object"],
  ["a text as body", "/dashboard/create", { body: '"a"' }, 400, "InvalidParameter", "body: expected object"],
  ["an empty body", "/dashboard/create", { method: "POST" }, 400, "InvalidParameter", "name: required"],
  ["null as body", "/dashboard/create", { body: "null" }, 400, "InvalidParameter", "name: required"],
  ["a body without name", "/dashboard/create", { body: {} }, 400, "InvalidParameter", "name: required"],
  ["name null", "/dashboard/create", { body: { name: null } }, 400, "InvalidParameter", "name: required"],
  ["an empty name", "/dashboard/create", { body: { name: "" } }, 400, "InvalidParameter", "name: must not be empty"],
  ["a number as name", "/dashboard/create", { body: { name: 5 } }, 400, "InvalidParameter", "name: expected string"],
  [
    "a name of 129 characters",
    "/dashboard/create",
    { body: { name: "😀".repeat(129) } },
    400,
    "InvalidParameter",
    "name: longer than 128 characters",
  ],
  [
    "the first of two mistakes",
    "/dashboard/create",
    { body: { isPublic: 7, desc: 1, name: "a" } },
    400,
    "InvalidParameter",
    "desc: expected string",
  ],
  [
    "a text for a number",
    "/dashboard/create",
    { body: { name: "a", isPublic: "1" } },
    400,
    "InvalidParameter",
    "isPublic: expected integer",
  ],
  [
    "a value that is not in the list",
    "/dashboard/create",
    { body: { name: "a", isPublic: 2 } },
    400,
    "InvalidParameter",
    "isPublic: must be one of [1, 0, -1]",
  ],
  [
    "an identifier of another shape",
    "/dashboard/create",
    { body: { name: "a", specifyDashboardUUID: "x" } },
    400,
    "InvalidParameter",
    "specifyDashboardUUID: does not match ^dsbd_custom_[a-z0-9]{32}$",
  ],
  [
    "another type",
    "/dashboard/create",
    { body: '{"name":"a"}', headers: { "content-type": "text/plain" } },
    400,
    "InvalidContentType",
    "Content-Type must be application/json.",
  ],
  [
    "another type, before JSON is looked at",
    "/dashboard/create",
    { body: "{", headers: { "content-type": "application/jsonp" } },
    400,
    "InvalidContentType",
    "",
  ],
  ["an object that is absent", `/dashboard/${absent}/get`, {}, 404, "ObjectNotFound", ""],
  ["an identifier of no shape", "/dashboard/dsbd_xyz/get", {}, 404, "ObjectNotFound", ""],
  ["an identifier that cannot be decoded", "/dashboard/%00%zz/get", {}, 404, "ObjectNotFound", ""],
];

describe("refuses", () => {
  it.each(cases)("%s", async (_title, at, asked, status, errorCode, message) => {
    const answer = await platform.call(at, asked);
    expect(answer.body).toMatchObject({ code: status, errorCode, content: {}, success: false });
    expect(answer.status).toBe(status);
    expect(answer.body.message).not.toBe("");
    if (message !== "") expect(answer.body.message).toBe(message);
  });

  it("broken JSON with the reason, and an unknown object with its identifier", async () => {
    const broken = await platform.call("/dashboard/create", { body: '{"name":' });
    expect(broken.body.message).toMatch(/^Request body is not valid JSON: ./);
    const missing = await platform.call(`/dashboard/${absent}/get`);
    expect(missing.body.message).toBe(`The operation object cannot be found: ${absent}`);
  });

  it("a wrong method, naming the allowed one, and HEAD without a body", async () => {
    expect((await platform.call("/dashboard/list", { method: "POST" })).headers.allow).toBe("GET");
    expect((await platform.call("/dashboard/create")).headers.allow).toBe("POST");
    const head = await platform.call("/validate", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([405, ""]);
  });

  it("a body larger than allowed, also when its size is not declared or it is compressed", async () => {
    const small = await startPlatform({ config: "[open_api]\nmax_body_bytes = 1000\n" });
    try {
      const body = JSON.stringify({ name: "a", desc: "x".repeat(1000) });
      const refusal = { code: 413, errorCode: "RequestTooLarge", message: "Request body is larger than 1000 bytes." };
      expect((await small.call("/dashboard/create", { body })).body).toMatchObject(refusal);
      const headers = { "transfer-encoding": "chunked" };
      expect((await small.call("/dashboard/create", { body, headers })).body).toMatchObject(refusal);
      const zipped = { body: gzipSync(body), headers: { "content-encoding": "gzip" } };
      expect((await small.call("/dashboard/create", zipped)).body).toMatchObject(refusal);
    } finally {
      await small.stop();
    }
  });
});

describe("accepts", () => {
  it("application/json with parameters, a compressed body, GET with any type", async () => {
    const body = { name: "taken" };
    const typed = await platform.call("/dashboard/create", {
      body,
      headers: { "content-type": "Application/JSON;charset=UTF-8" },
    });
    const zipped = await platform.call("/dashboard/create", {
      body: gzipSync(JSON.stringify(body)),
      headers: { "content-encoding": "gzip" },
    });
    const got = await platform.call("/validate", { headers: { "content-type": "text/plain" } });
    expect([typed.status, zipped.status, got.status]).toEqual([200, 200, 200]);
  });

  it("the plural of a route, unknown parameters, and members that are not declared", async () => {
    const made = await platform.call("/dashboards/create", {
      body: { name: "plural", uuid: "ignored", constructor: 1, ["__proto__"]: 2 },
    });
    const { uuid } = made.body.content as { uuid: string };
    expect(uuid).toMatch(/^dsbd_[0-9a-f]{32}$/);
    expect((await platform.call(`/dashboards/${uuid}/get?what=ever`)).body.content).toMatchObject({ name: "plural" });
  });

  it("the key header in any letter case, and a name of 128 code points", async () => {
    const answer = await platform.call("/validate", { key: null, headers: { "Df-Api-Key": platform.key } });
    expect(answer.status).toBe(200);
    expect((await platform.call("/dashboard/create", { body: { name: "😀".repeat(128) } })).status).toBe(200);
  });

  it("a browser's preflight request without a key", async () => {
    const { status, headers } = await platform.call("/dashboard/create", { method: "OPTIONS", key: null });
    expect([status, headers["access-control-allow-methods"]]).toEqual([204, "POST"]);
    expect(headers["access-control-allow-headers"]).toContain("DF-API-KEY");
    expect((await platform.call("/nothing", { method: "OPTIONS", key: null })).status).toBe(400);
  });
});

it("a page past the end is empty and reports the total count", async () => {
  const { body } = await platform.call("/dashboard/list?pageIndex=9999&pageSize=1");
  expect(body.content).toEqual([]);
  expect(body.pageInfo!.count).toBe(0);
  expect(body.pageInfo!.totalCount).toBeGreaterThan(0);
});
