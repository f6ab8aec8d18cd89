// `millrace/dql`: queries over points (docs/reference/query.md). Pure functions parse and check a query, and an engine
// (rows in memory or a database) answers it. An error in a query throws DqlError, with line and column when the error
// is at one position of the statement.

export { type EntryOptions, entryJson, runningEntryJson } from "./answer/answer.ts";
export { parseExactJson } from "./answer/exact-json.ts";
export { type Outcome, runQuery } from "./answer/run.ts";
export { type DqlCompletion, type DqlCompletions, type DqlNames, dqlCompletions } from "./editor/completion.ts";
export { explanation, planLines, type Recorded, recording } from "./editor/explain.ts";
export { filledGuide } from "./editor/guide.ts";
export { keyStatements, sourcesStatement } from "./editor/stored-names.ts";
export type { EvaluationScope } from "./evaluate/base-rows.ts";
export {
  type Engine,
  type ExplainedQuery as Explained,
  type KeyKind,
  memoryEngine,
  type ObjectLabels,
  type PushdownLevel as Way,
  type StoredKey,
} from "./evaluate/engine.ts";
export type { Answer, AnswerSeries } from "./evaluate/evaluate.ts";
export type { Highlight } from "./evaluate/highlight.ts";
export type { Row } from "./evaluate/row.ts";
export type { DqlValue } from "./evaluate/values/value.ts";
export { equals as equalValues, isList, isNumber, textOfValue } from "./evaluate/values/value.ts";
export { valueJson } from "./evaluate/values/value-json.ts";
export { type RowOptions, rowsOfPoints } from "./point-rows.ts";
export { type DqlFunction, type FunctionKind, functions } from "./semantics/functions.ts";
export { plainQuery, type QueryMember, type QueryRequest, RequestError, readRequest } from "./semantics/request.ts";
export { namesTimeRange, type ResolvedQuery, type ResolveOptions, resolveQuery } from "./semantics/resolve.ts";
export { periodicBudget as paced, type StepBudget } from "./semantics/step-budget.ts";
export { type Catalog, fixed as fixedColumns } from "./sql/catalog.ts";
export { clickhouse } from "./sql/clickhouse.ts";
export type { Dialect } from "./sql/dialect.ts";
export { duckdb } from "./sql/duckdb.ts";
export { type Database, sqlEngine } from "./sql/engine.ts";
export { type Fragment, inlined } from "./sql/fragment.ts";
export type { ResultRow } from "./sql/rows.ts";
export type { StoredColumn } from "./sql/stored-column.ts";
export type { Statement } from "./syntax/ast.ts";
export { goDuration } from "./syntax/duration-text.ts";
export { DqlError } from "./syntax/errors.ts";
export { type DqlNamespace, namespaceOf, namespaces } from "./syntax/namespaces.ts";
export { parseConditions, parseStatement } from "./syntax/parse.ts";
export { dqlReasons } from "./syntax/reasons.ts";
export { isUnfinished, splitStatements } from "./syntax/statements.ts";
export { textOf as dqlTextOf } from "./syntax/text.ts";
