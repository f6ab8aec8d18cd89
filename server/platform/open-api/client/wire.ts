// The types of requests and answers that a client of the Open API and the platform exchange.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export interface PageInfo {
  /** The number of rows on this page of the list. */
  readonly count: number;
  readonly pageIndex: number;
  readonly pageSize: number;
  /** The number of rows on all pages of the list together. */
  readonly totalCount: number;
}

/** The answer of an operation that returns a list. */
export interface Listed<Content> {
  readonly content: Content;
  readonly pageInfo: PageInfo;
}

/**
 * The arguments that the methods of the client can have. The type of each method says which of these members it
 * needs.
 */
export interface Asked {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

export interface Operation {
  readonly method: "GET" | "POST";
  /** The path of the operation after /api/v1. `{name}` in the path stands for an identifier. */
  readonly path: string;
  readonly isList: boolean;
  /** Says which query parameters are sent as JSON and which are sent as a list separated by commas. */
  readonly spellings: Readonly<Record<string, "json" | "commas">>;
}
