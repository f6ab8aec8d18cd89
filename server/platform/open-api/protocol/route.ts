// The type of a route of the Open API. Each route is declared once. The declaration is used to validate requests
// and to generate the OpenAPI document and its reference page, and it contains the examples that tests run.
//
// How to add a resource: write a file in its own folder that exports
// `const ...Routes: readonly Route[] = [declare({...})]`, and add a line to `routes.ts`. In a declaration
// - `path` is the URL path after /api/v1; `{dashboard}` stands for an identifier. `ids` contains the pattern of
//   each identifier; a request whose identifier does not match is answered with ObjectNotFound;
// - `plural` lists path segments that may also have an `s` at their end, such as `["dashboard"]`;
// - `reads: true` marks a POST that changes nothing, so that keys with read access may call it;
// - `query` and `body` declare parameters with the schemas of `schema.ts`; the handler receives checked, typed
//   values;
// - `answer` is the schema of `content`; the handler of a list (`isList`) returns `paged(rows, page, total)`
//   instead;
// - the handler throws the `OpenApiError`s of `errors.ts`: `objectNotFound(uuid)`, `duplicated("name", name)`,
//   ...
//
// Handlers store data through `call.metadata.records`: records of a kind, each with a JSON document, a unique
// name and filter terms. The records keep concurrent changes from getting lost, and write each change to the
// audit log. A handler sees only the workspace of `call.scope`.

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
  /** A cache of objects as JSON text, so that the JSON of each version of an object is written only once. */
  readonly written: WrittenObjects;
  /** The workspace and the API key of the request. */
  readonly scope: Scope;
  /** The identifiers in the URL path of the request, keyed by their names in the declared path. */
  readonly ids: Readonly<Record<string, string>>;
  readonly query: ObjectOf<Q>;
  readonly body: B;
  /** Returns the value of a request header, or `""` when the client did not send the header. */
  header(name: string): string;
  /** Sets the header ETag of the answer, which tells the client the version of the returned object. */
  setEtag(stored: Versioned): void;
}

export interface Example {
  readonly title: string;
  /** The identifiers in the URL path of the example. */
  readonly ids?: Readonly<Record<string, string>>;
  /** The query parameters of the example as strings, before URL encoding. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** The member `content` of the answer in the example; for a list, the rows of the list. */
  readonly content: Json;
  /** The number of rows on all pages, when the example's answer is a list. */
  readonly totalCount?: number;
}

interface Declared<Q extends Members, B extends Schema<unknown>, A> {
  /** The unique name of the operation; the client's method has the same name. */
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: `/${string}`;
  readonly plural?: readonly string[];
  /** The heading under which the reference page shows the route. */
  readonly group: string;
  readonly summary: string;
  /** A longer description of the route, as plain text. */
  readonly details?: string;
  /** The pattern of each identifier in the path, keyed by its name. */
  readonly ids?: Readonly<Record<string, RegExp>>;
  readonly reads?: boolean;
  /** Whether only keys of administrators may call the route. */
  readonly isForAdmins?: boolean;
  /**
   * The paths of secret members in `content`, such as `sk` or `accessKey.sk`. Such a member is shown only in the
   * first answer, not when the request is repeated.
   */
  readonly secrets?: readonly string[];
  readonly query?: Q;
  /** Request headers that the handler reads and checks, with their descriptions for the reference page. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: B;
  readonly answer: Schema<A>;
  /** The member of `content` that contains the rows of a list. When undefined, `content` itself is the list. */
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

/** Declares a route that answers with a list and `pageInfo`. `answer` is the schema of one row. */
export function declareList<Row, Q extends Members = Record<never, never>>(
  route: Declared<Q, Schema<unknown>, Row> & { handle(call: Call<Q, unknown>): Promise<Paged<Row> | Paged<JsonText>> },
): Route {
  return { ...route, isList: true } as unknown as Route;
}

/** Returns the request headers that the reference page lists for a route. */
export function headersOf({ method, reads, headers = {} }: Route): Readonly<Record<string, string>> {
  if (method === "GET" || reads === true) return headers;
  const about = "1 to 64 characters: sent again within 24 hours, the request changes nothing and gets its first answer";
  return { ...headers, "Idempotency-Key": about };
}

/** Returns a regular expression for the identifiers that `newId` makes: the prefix, `_` and 32 hexadecimal digits. */
export function idShape(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-9a-f]{32}$`);
}
