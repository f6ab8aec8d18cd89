// What travels between a client of the Open API and the platform, and how an operation is written into a request.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export interface PageInfo {
  /** Rows in this page. */
  readonly count: number;
  readonly pageIndex: number;
  readonly pageSize: number;
  /** Rows that match, before paging. */
  readonly totalCount: number;
}

/** What a list answers. */
export interface Listed<Content> {
  readonly content: Content;
  readonly pageInfo: PageInfo;
}

/** What a call is given; which members it needs, and of which types, its method tells. */
export interface Asked {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

export interface Operation {
  readonly method: "GET" | "POST";
  /** Follows /api/v1; `{name}` stands for an identifier. */
  readonly path: string;
  readonly isList: boolean;
  /** Query parameters that are not spelled as plain text. */
  readonly spellings: Readonly<Record<string, "json" | "commas">>;
}
