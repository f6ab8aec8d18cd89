// Generates the OpenAPI 3.1 document from the declarations of the routes. The document contains the same schemas that
// validate requests.

import { catalogue, type OpenApiErrorCode } from "../protocol/errors.ts";
import { basePath, pathsOf } from "../protocol/match.ts";
import { type Example, headersOf, type Route } from "../protocol/route.ts";
import type { Json, JsonObject, JsonSchema, Schema } from "../protocol/schema.ts";

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
  readonly style?: string;
  readonly explode?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export interface Body {
  readonly required?: boolean;
  readonly description?: string;
  readonly content: Readonly<Record<string, Media>>;
}

interface Media {
  readonly schema: JsonSchema | Reference;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: Json }>>;
}

interface Reference {
  readonly $ref: string;
}

type Response = Reference | { readonly description: string; readonly content: Readonly<Record<string, Media>> };

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: JsonObject;
  readonly servers: readonly JsonObject[];
  readonly security: readonly JsonObject[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const json = "application/json";

const description =
  "Workspaces, keys, dashboards and objects of a Millrace platform. GET reads, POST changes. Every request but this " +
  "document names its key in the header DF-API-KEY; the key decides the workspace. Every answer has the same envelope: " +
  "code (the HTTP status), content, errorCode, message, success, traceId, and pageInfo for lists.";

/** Returns the OpenAPI document. `version`: the version of Millrace. */
export function openApiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const [path] = pathsOf(route);
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.1",
    info: { title: "Millrace Open API", version, description, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/", description: "the platform that serves this document" }],
    security: [{ key: [] }],
    tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "DF-API-KEY", description: "made by millrace key create" },
      },
      schemas: { PageInfo: pageInfo, Error: errorSchema },
      responses: Object.fromEntries(Object.entries(statuses()).map(([status, codes]) => [status, refusal(codes)])),
    },
  };
}

function operationOf(route: Route): Operation {
  const parameters = parametersOf(route);
  const description = [route.details, alsoUnder(route)].filter((each) => each !== undefined).join("\n\n");
  return {
    operationId: route.name,
    summary: route.summary,
    ...(description === "" ? {} : { description }),
    tags: [route.group],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.method === "GET" ? {} : { requestBody: bodyOf(route) }),
    responses: {
      200: {
        description: "Done",
        content: {
          [json]: { schema: envelopeOf(route), examples: examplesOf(route, (example) => envelope(route, example)) },
        },
      },
      ...Object.fromEntries(
        Object.keys(statuses()).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

function alsoUnder(route: Route): string | undefined {
  const [, ...plurals] = pathsOf(route);
  return plurals.length === 0 ? undefined : `Also under ${plurals.join(" and ")}.`;
}

function parametersOf(route: Route): readonly Parameter[] {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    ...names.map((name): Parameter => {
      const shape = route.ids?.[name];
      const schema: JsonSchema = { type: "string", ...(shape === undefined ? {} : { pattern: shape.source }) };
      return { name, in: "path", required: true, schema };
    }),
    ...Object.entries(route.query ?? {}).map(([name, schema]) => queryParameter(name, schema)),
    ...Object.entries(headersOf(route)).map(
      ([name, about]): Parameter => ({
        name,
        in: "header",
        required: false,
        description: about,
        schema: { type: "string" },
      }),
    ),
  ];
}

function queryParameter(name: string, { json: schema, spelling, isOptional }: Schema<unknown>): Parameter {
  const { description } = schema;
  const head = {
    name,
    in: "query",
    required: isOptional !== true,
    ...(description === undefined ? {} : { description }),
  } as const;
  switch (spelling) {
    case "json":
      // A parameter that is a list in JSON is described with `schema`. OpenAPI provides `content` for such parameters,
      // but generators of client code do not find the type of the list there.
      if (schema.type === "array") return { ...head, schema, style: "form", explode: false };
      return { ...head, content: { [json]: { schema } } };
    case "commas":
      return { ...head, schema, style: "form", explode: false };
    default:
      return { ...head, schema };
  }
}

function bodyOf(route: Route): Body {
  const { body } = route;
  if (body === undefined) return { required: false, description: "none", content: { [json]: { schema: {} } } };
  return {
    required: (body.json.required ?? []).length > 0,
    content: {
      [json]: { schema: body.json, examples: examplesOf(route, ({ body: value }) => value) },
    },
  };
}

function examplesOf({ examples }: Pick<Route, "examples">, write: (example: Example) => Json | undefined) {
  return Object.fromEntries(
    examples.flatMap((example, at) => {
      const value = write(example);
      return value === undefined ? [] : [[`example${at + 1}`, { summary: example.title, value }]];
    }),
  );
}

const traceId = "TRACE-26483481-16C2-4B24-ACAF-E743AADE2663";

function envelope(route: Route, { content, query = {}, totalCount = 0 }: Example): Json {
  const page = {
    count: Array.isArray(content) ? content.length : 0,
    pageIndex: Number(query.pageIndex ?? 1),
    pageSize: Number(query.pageSize ?? 50),
    totalCount,
  };
  return {
    code: 200,
    content: route.rowsIn === undefined ? content : { [route.rowsIn]: content },
    errorCode: "",
    message: "",
    ...(route.isList ? { pageInfo: page } : {}),
    success: true,
    traceId,
  };
}

function contentOf({ answer, isList, rowsIn }: Route): JsonSchema {
  if (!isList) return answer.json;
  const rows: JsonSchema = { type: "array", items: answer.json };
  return rowsIn === undefined ? rows : { type: "object", properties: { [rowsIn]: rows }, required: [rowsIn] };
}

function envelopeOf(route: Route): JsonSchema {
  const { isList } = route;
  const members: Record<string, JsonSchema | Reference> = {
    code: { type: "integer", enum: [200] },
    content: contentOf(route),
    errorCode: { type: "string", enum: [""] },
    message: { type: "string", enum: [""] },
    ...(isList ? { pageInfo: { $ref: "#/components/schemas/PageInfo" } } : {}),
    success: { type: "boolean" },
    traceId: { type: "string" },
  };
  return { type: "object", properties: members as Record<string, JsonSchema>, required: Object.keys(members) };
}

const count: JsonSchema = { type: "integer", minimum: 0 };

const pageInfo: JsonSchema = {
  type: "object",
  properties: {
    count: { ...count, description: "rows in this page" },
    pageIndex: { ...count, description: "the page, from 1" },
    pageSize: { ...count, description: "rows of a full page" },
    totalCount: { ...count, description: "rows that match, on all pages" },
  },
  required: ["count", "pageIndex", "pageSize", "totalCount"],
};

const errorMembers: Readonly<Record<string, JsonSchema>> = {
  code: { type: "integer", description: "the HTTP status" },
  content: { type: "object", additionalProperties: true },
  errorCode: { type: "string", enum: Object.keys(catalogue) },
  message: { type: "string", minLength: 1 },
  success: { type: "boolean" },
  traceId: { type: "string" },
};

const errorSchema: JsonSchema = { type: "object", properties: errorMembers, required: Object.keys(errorMembers) };

/** Returns the error codes of the Open API, grouped by their HTTP status. */
function statuses(): Readonly<Record<string, readonly OpenApiErrorCode[]>> {
  const found: Record<string, OpenApiErrorCode[]> = {};
  for (const [code, { status }] of Object.entries(catalogue)) (found[status] ??= []).push(code as OpenApiErrorCode);
  return found;
}

function refusal(codes: readonly OpenApiErrorCode[]): Response {
  const examples = codes.map((code) => {
    const { status, message } = catalogue[code];
    const value: Json = { code: status, content: {}, errorCode: code, message, success: false, traceId };
    return [code, { value }];
  });
  return {
    description: codes.join(", "),
    content: { [json]: { schema: { $ref: "#/components/schemas/Error" }, examples: Object.fromEntries(examples) } },
  };
}

/**
 * The URL path of the OpenAPI document, and the URL path of the reference page that is generated from it. No key
 * is needed to request them.
 */
export const documentPath = `${basePath}/openapi.json`;
export const referencePath = `${basePath}/docs`;
