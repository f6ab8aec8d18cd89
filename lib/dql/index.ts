// `millrace/dql`: questions about points (query document). Pure: text to a checked question, a question to an answer from an engine,
// which is rows in memory or a database. Mistakes of users are DqlError, with line and column where there is a place.

export { type EntryOptions, entryJson, runningEntryJson } from "./answer.ts";
export type { Statement } from "./ast.ts";
export { type DqlCompletion, type DqlCompletions, type DqlNames, dqlCompletions } from "./completion.ts";
export {
  type Engine,
  type Explained,
  type KeyKind,
  memoryEngine,
  type ObjectLabels,
  type StoredKey,
  type Way,
} from "./engine.ts";
export { DqlError } from "./errors.ts";
export type { EvaluationScope } from "./evaluate/base-rows.ts";
export type { Answer, AnswerSeries } from "./evaluate/evaluate.ts";
export type { Highlight } from "./evaluate/highlight.ts";
export type { Row } from "./evaluate/row.ts";
export type { DqlValue } from "./evaluate/value.ts";
export { explanation, planLines, type Recorded, recording } from "./explain.ts";
export { type DqlFunction, type FunctionKind, functions } from "./functions.ts";
export { type DqlNamespace, namespaceOf, namespaces } from "./namespaces.ts";
export { parseConditions, parseStatement } from "./parse.ts";
export { type RowOptions, rowsOfPoints } from "./point-rows.ts";
export { plainQuery, type QueryMember, type QueryRequest, RequestError, readRequest } from "./request.ts";
export { type ResolvedQuery, type ResolveOptions, resolveQuery } from "./resolve.ts";
export { type Outcome, runQuery } from "./run.ts";
export { type Catalog, fixed as fixedColumns } from "./sql/catalog.ts";
export { clickhouse } from "./sql/clickhouse.ts";
export type { Dialect } from "./sql/dialect.ts";
export { duckdb } from "./sql/duckdb.ts";
export { type Database, sqlEngine } from "./sql/engine.ts";
export { type Fragment, inlined } from "./sql/fragment.ts";
export type { ResultRow } from "./sql/rows.ts";
export type { StoredColumn } from "./sql/stored-column.ts";
export { isUnfinished, splitStatements } from "./statements.ts";
export { valueJson } from "./value-json.ts";
