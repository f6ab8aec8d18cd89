// A route of the Open API, declared once. Requests are validated by the declaration, the OpenAPI document and its reference
// page are written from it, and tests run its examples.
//
// How to add a resource: a file of its own in this folder that exports `const ...Routes: readonly Route[] = [declare({...})]`,
// and a line in `routes.ts`. In a declaration
// - `path` follows /api/v1; `{dashboard}` is an identifier whose shape `ids` tells; what has another shape is not found;
// - `plural`: segments that are accepted with an `s` as well, `["dashboard"]`;
// - `reads: true` marks a POST that changes nothing, which keys that may only read can call;
// - `query` and `body` are members as of `schema.ts`; the handler gets values of their types, checked;
// - `answer` describes `content`; a list (`isList`) gives `paged(rows, page, total)` in place of content;
// - the handler throws `OpenApiError`s of `errors.ts`: `objectNotFound(uuid)`, `duplicated("name", name)`, ...
//
// What is kept goes through `call.metadata.records` (records of a kind with a JSON document, unique names, terms to filter by,
// changes that lose nothing and are written to the audit log). It sees only the workspace of `call.scope`.

import type { Metadata } from "../../metadata/metadata.ts";
import type { Scope } from "../../metadata/scope.ts";
import type { OpenApiServices } from "../services.ts";
import type { JsonText } from "./exact-json.ts";
import type { Versioned } from "./if-match.ts";
import type { Paged } from "./page.ts";
import type { Json, Members, ObjectOf, Schema, ValueOf } from "./schema.ts";
import type { WrittenObjects } from "./written-objects.ts";

export interface Call<Q extends Members, B> {
  readonly metadata: Metadata;
  readonly services: OpenApiServices;
  /** A cache of answers about records, written once for each version. */
  readonly written: WrittenObjects;
  /** The workspace and the key of the request. */
  readonly scope: Scope;
  /** Identifiers in the path, by name. */
  readonly ids: Readonly<Record<string, string>>;
  readonly query: ObjectOf<Q>;
  readonly body: B;
  /** Returns the value of a request header, or `""` when it was not sent. */
  header(name: string): string;
  /** Sends the version of the returned object in the header ETag. */
  tellVersion(stored: Versioned): void;
}

export interface Example {
  readonly title: string;
  /** Identifiers in the path. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Query parameters as they are spelled in the query string, before encoding. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** The `content` of the answer; for a list its rows. */
  readonly content: Json;
  /** The number of all rows, for a list. */
  readonly totalCount?: number;
}

interface Declared<Q extends Members, B extends Schema<unknown>, A> {
  /** The unique name; clients use it as the name of the method. */
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: `/${string}`;
  readonly plural?: readonly string[];
  /** The heading in the reference. */
  readonly group: string;
  readonly summary: string;
  /** More information as plain text. */
  readonly details?: string;
  /** The shape of each identifier in the path, by name. */
  readonly ids?: Readonly<Record<string, RegExp>>;
  readonly reads?: boolean;
  /** Whether only keys of administrators may call the route. */
  readonly isForAdmins?: boolean;
  /** Members of `content` that are shown only once, such as `sk` or `accessKey.sk`. */
  readonly secrets?: readonly string[];
  readonly query?: Q;
  /** Request headers that the handler reads, with their text for the reference. The handler checks their values. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: B;
  readonly answer: Schema<A>;
  /** The member of `content` that holds the rows of a list, when `content` is not the list itself. */
  readonly rowsIn?: "data";
  readonly examples: readonly Example[];
}

export type Route = Declared<Members, Schema<unknown>, unknown> & {
  readonly isList: boolean;
  handle(call: Call<Members, unknown>): Promise<unknown>;
};

/** Declares a route that answers with one object. */
export function declare<A, Q extends Members = Record<never, never>, B extends Schema<unknown> = Schema<unknown>>(
  route: Declared<Q, B, A> & { handle(call: Call<Q, ValueOf<B>>): Promise<A | JsonText> },
): Route {
  return { ...route, isList: false } as unknown as Route;
}

/** Declares a route that answers with a list and `pageInfo`; `answer` describes a row. */
export function declareList<Row, Q extends Members = Record<never, never>>(
  route: Declared<Q, Schema<unknown>, Row> & { handle(call: Call<Q, unknown>): Promise<Paged<Row> | Paged<JsonText>> },
): Route {
  return { ...route, isList: true } as unknown as Route;
}

/** Returns the request headers that the reference describes. */
export function headersOf({ method, reads, headers = {} }: Route): Readonly<Record<string, string>> {
  if (method === "GET" || reads === true) return headers;
  const about = "1 to 64 characters: sent again within 24 hours, the request changes nothing and gets its first answer";
  return { ...headers, "Idempotency-Key": about };
}

/** Returns the shape of identifiers made by `newId`, such as `dsbd_` and 32 hexadecimal digits. */
export function idShape(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-9a-f]{32}$`);
}
