// DQL as SQL: fragments of statements with parameters, dialects, and the engine that lets a database answer a query.
// In: a resolved query and a dialect. Out: SQL with parameters, and rows as DQL answers them.

export { arrayText } from "./array-text.ts";
export type { TimeRange } from "./catalog.ts";
export { maps } from "./clickhouse.ts";
export type { ValueReader } from "./dialect.ts";
export { joined, type Parameter, raw, sql, written } from "./fragment.ts";
