// Splits lists into pages (docs/reference/open-api.md).

import type { Listed } from "../client/wire.ts";
import { integer, optional, text } from "./schema.ts";

export interface Page {
  readonly pageIndex: number;
  readonly pageSize: number;
}

/** The query parameters that every list route has: page number and page size. */
export const pageParameters = {
  pageIndex: optional(integer({ min: 1, max: 2_147_483_647, default: 1, about: "number of the page, counted from 1" })),
  pageSize: optional(integer({ min: 1, max: 100, default: 50, about: "maximum number of rows on a page" })),
};

export const searchParameter = optional(
  text({ min: 0, max: 256, about: "text that the name must contain, ignoring case; empty = all" }),
);

export function pageOf({ pageIndex = 1, pageSize = 50 }: Partial<Page>): Page {
  return { pageIndex, pageSize };
}

/** The answer of a list route: the rows of one page, the page number, and the total number of rows. */
export type Paged<Row> = Listed<readonly Row[]>;

export function paged<Row>(content: readonly Row[], { pageIndex, pageSize }: Page, totalCount: number): Paged<Row> {
  return { content, pageInfo: { count: content.length, pageIndex, pageSize, totalCount } };
}

/** Returns one page of a list. `rows`: all rows of the list, which are in memory. */
export function pagedOf<Row>(rows: readonly Row[], page: Page): Paged<Row> {
  const from = (page.pageIndex - 1) * page.pageSize;
  return paged(rows.slice(from, from + page.pageSize), page, rows.length);
}
