// DQL: questions about stored points (query document). Pure: text to a checked question, a question to an answer from an engine.

export { type EntryOptions, entryJson, runningEntryJson } from "./answer.ts";
export type { Statement } from "./ast.ts";
export { type Engine, type KeyKind, memoryEngine, type ObjectLabels, type StoredKey } from "./engine.ts";
export { DqlError } from "./errors.ts";
export type { Answer, AnswerSeries } from "./evaluate/evaluate.ts";
export type { Row } from "./evaluate/row.ts";
export type { DqlValue } from "./evaluate/value.ts";
export { type DqlFunction, functions } from "./functions.ts";
export { type DqlNamespace, namespaces } from "./namespaces.ts";
export { parseConditions, parseStatement } from "./parse.ts";
export { plainQuery, type QueryMember, type QueryRequest, RequestError, readRequest } from "./request.ts";
export { type ResolvedQuery, type ResolveOptions, resolveQuery } from "./resolve.ts";
export { type Outcome, runQuery } from "./run.ts";
export { valueJson } from "./value-json.ts";
