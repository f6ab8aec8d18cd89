// Lets an SQL database answer DQL queries: fragments of statements with parameters, SQL dialects, and a query
// engine. The engine takes a resolved query, sends SQL with parameters to the database, and returns rows as DQL
// returns them.

export { arrayText } from "./array-text.ts";
export type { TimeRange } from "./catalog.ts";
export { maps } from "./clickhouse.ts";
export type { ValueReader } from "./dialect.ts";
export { joined, type Parameter, raw, sql, written } from "./fragment.ts";
