// The types of requests and answers between a client of the Open API and the platform.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export interface PageInfo {
  /** The number of rows in this page. */
  readonly count: number;
  readonly pageIndex: number;
  readonly pageSize: number;
  /** The number of matching rows before paging. */
  readonly totalCount: number;
}

/** The answer of a list operation. */
export interface Listed<Content> {
  readonly content: Content;
  readonly pageInfo: PageInfo;
}

/** The arguments of a call. The type of each client method says which members it needs. */
export interface Asked {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

export interface Operation {
  readonly method: "GET" | "POST";
  /** The path after /api/v1; `{name}` stands for an identifier. */
  readonly path: string;
  readonly isList: boolean;
  /** Query parameters that are sent as JSON or as a list with commas. */
  readonly spellings: Readonly<Record<string, "json" | "commas">>;
}
