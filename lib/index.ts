// The public API of Millrace, the only file that users import.

export { builtinDefinitions as grokDefinitions } from "./grok/load.ts";
export {
  type CompileScriptsOptions,
  createMillrace,
  type DecodeOptions,
  type Millrace,
  type MillraceOptions,
  type RunScriptOptions,
  type WindowOptions,
} from "./millrace.ts";
export {
  type AssistFacts,
  type CompletionItem,
  type Completions,
  completions,
  type Hover,
  type HoverSubject,
  hover,
  hoverText,
  type KeyFact,
  type Surroundings,
  surroundings,
} from "./pipeline/assist.ts";
export type { RunsIn } from "./pipeline/central.ts";
export { type CidrRow, CidrTableError, cidrLookup, parseCidrTable } from "./pipeline/cidr-table.ts";
export { type Diagnostic, rangeAt } from "./pipeline/diagnose.ts";
export { type PlError, type Position, plErrorText } from "./pipeline/errors.ts";
export { type Formatted, format } from "./pipeline/format.ts";
export { type FunctionDoc, functionDocs } from "./pipeline/function-docs.ts";
export { functionReference, functionText, signature } from "./pipeline/function-reference.ts";
export { lex as tokenize, type Tokens } from "./pipeline/lexer.ts";
export { mmdbPlace } from "./pipeline/mmdb-place.ts";
export type { Probe, ProbedStatement } from "./pipeline/probe.ts";
export { createProfile, type Profile, type StatementTime } from "./pipeline/profile.ts";
export type { CreatedPoint, Fetch, Place } from "./pipeline/run.ts";
export type { CompiledSet, Script, ScriptResult, StepBudget } from "./pipeline/script.ts";
export type { Aggregated } from "./pipeline/state/aggregation.ts";
export type { StateCounters } from "./pipeline/state/limits.ts";
export { createTrace, type Trace, type TracedPoint, type TraceStep, type VariableChange } from "./pipeline/trace.ts";
export type { PointBatch as Points } from "./point/batch.ts";
export { type CategoryName, categories, categoryAlias, categoryOf } from "./point/category.ts";
export { type Change, changesBetween, type Snapshot, shownValue, snapshotOf } from "./point/changes.ts";
export type { Batcher, BatchOptions, EncodedBatch, EncodedBatches } from "./point/codec/batches.ts";
export type { PointWindows } from "./point/codec/body.ts";
export type {
  ColumnChunk,
  ColumnKind,
  ColumnOptions,
  ColumnUse,
  PointColumn,
  SparseCells,
} from "./point/codec/columns.ts";
export type { Encodable, EncodeOptions, Form, Sink } from "./point/codec/encode.ts";
export { correct } from "./point/correct.ts";
export { type EqualOptions, pointDifference } from "./point/equal.ts";
export { type LineFailure, PointError, TooManyPoints } from "./point/errors.ts";
export { defaultLimits, type Limits } from "./point/limits.ts";
export { Point } from "./point/point.ts";
export { type SeriesOptions, seriesId } from "./point/series-id.ts";
export {
  type Bytes,
  Float,
  isBytes,
  type Kind,
  kindOf,
  PointArray,
  type PointValue,
  type Text,
  Uint,
} from "./point/value.ts";
export { type Entry, Key, type PointSeries, type PointView, type Warning } from "./point/view.ts";
export { type Loaded, parseReferTables, type ReferDocument, readReferTables } from "./refer-table/read-document.ts";
export { type MemoryOptions, memorySink, type TableSink } from "./refer-table/sink.ts";
export { ReferTables, type TableData, type TableLookup } from "./refer-table/tables.ts";
export { MemoryError } from "./wasm/memory-error.ts";
