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
  /** Answers about records, written once for each version. */
  readonly written: WrittenObjects;
  /** Workspace and key of the request. */
  readonly scope: Scope;
  /** Identifiers of the path, by name. */
  readonly ids: Readonly<Record<string, string>>;
  readonly query: ObjectOf<Q>;
  readonly body: B;
  /** One value of a request header, `""` when it was not sent. */
  header(name: string): string;
  /** Puts the version of the object that is answered into the header ETag. */
  tellVersion(stored: Versioned): void;
}

export interface Example {
  readonly title: string;
  /** Identifiers of the path. */
  readonly ids?: Readonly<Record<string, string>>;
  /** As spelled in the query string, not yet encoded. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** `content` of the answer; of a list the rows. */
  readonly content: Json;
  /** Of a list. */
  readonly totalCount?: number;
}

interface Declared<Q extends Members, B extends Schema<unknown>, A> {
  /** Unique; the operation's name in clients. */
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: `/${string}`;
  readonly plural?: readonly string[];
  /** The heading it stands under in the reference. */
  readonly group: string;
  readonly summary: string;
  /** What else is to be known; plain text. */
  readonly details?: string;
  /** By the name in the path, what an identifier looks like. */
  readonly ids?: Readonly<Record<string, RegExp>>;
  readonly reads?: boolean;
  /** Only keys that are in charge of the workspace can call it. */
  readonly isForAdmins?: boolean;
  /** Members of content that are shown once, such as `sk` or `accessKey.sk`. */
  readonly secrets?: readonly string[];
  readonly query?: Q;
  /** Request headers that `call.header` is asked for; they are told in the reference, the handler checks them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: B;
  readonly answer: Schema<A>;
  /** Of a list: the member of `content` that holds the rows, where `content` is not the rows themselves. */
  readonly rowsIn?: "data";
  readonly examples: readonly Example[];
}

export type Route = Declared<Members, Schema<unknown>, unknown> & {
  readonly isList: boolean;
  handle(call: Call<Members, unknown>): Promise<unknown>;
};

/** A route that answers one thing. */
export function declare<A, Q extends Members = Record<never, never>, B extends Schema<unknown> = Schema<unknown>>(
  route: Declared<Q, B, A> & { handle(call: Call<Q, ValueOf<B>>): Promise<A | JsonText> },
): Route {
  return { ...route, isList: false } as unknown as Route;
}

/** A route that answers a list with `pageInfo`; `answer` describes a row. */
export function declareList<Row, Q extends Members = Record<never, never>>(
  route: Declared<Q, Schema<unknown>, Row> & { handle(call: Call<Q, unknown>): Promise<Paged<Row> | Paged<JsonText>> },
): Route {
  return { ...route, isList: true } as unknown as Route;
}

/** The request headers that clients are told of. */
export function headersOf({ method, reads, headers = {} }: Route): Readonly<Record<string, string>> {
  if (method === "GET" || reads === true) return headers;
  const about = "1 to 64 characters: sent again within 24 hours, the request changes nothing and gets its first answer";
  return { ...headers, "Idempotency-Key": about };
}

/** The identifiers made by `newId`, such as `dsbd_` and 32 hexadecimal digits. */
export function idShape(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-9a-f]{32}$`);
}
