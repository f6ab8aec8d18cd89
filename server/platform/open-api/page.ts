// Paging of lists (Open API document, 1.3).

import { integer, optional, text } from "./schema.ts";

export interface PageInfo {
  /** Rows in this page. */
  readonly count: number;
  readonly pageIndex: number;
  readonly pageSize: number;
  /** Rows that match, before paging. */
  readonly totalCount: number;
}

export interface Page {
  readonly pageIndex: number;
  readonly pageSize: number;
}

/** The query parameters of every list. */
export const pageParameters = {
  pageIndex: optional(integer({ min: 1, max: 2_147_483_647, default: 1, about: "page, from 1" })),
  pageSize: optional(integer({ min: 1, max: 100, default: 50, about: "rows of a page" })),
};

export const searchParameter = optional(
  text({ min: 0, max: 256, about: "part of the name, in upper or lower case; empty = all" }),
);

export function pageOf({ pageIndex = 1, pageSize = 50 }: Partial<Page>): Page {
  return { pageIndex, pageSize };
}

/** What a list answers: its rows and where they stand. */
export interface Paged<Row> {
  readonly content: readonly Row[];
  readonly pageInfo: PageInfo;
}

export function paged<Row>(content: readonly Row[], { pageIndex, pageSize }: Page, totalCount: number): Paged<Row> {
  return { content, pageInfo: { count: content.length, pageIndex, pageSize, totalCount } };
}
