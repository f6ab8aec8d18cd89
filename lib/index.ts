// The public API of Millrace. Users import only this file.

export type { DecodedPoint, DecodedPoints } from "./easy/decoded-points.ts";
export type { EncodeInput, PlainEncodeOptions } from "./easy/encode-plain.ts";
export type { LineStream, LinesOptions, TextChunk } from "./easy/lines.ts";
export {
  type CreatedObject,
  type ObjectScript,
  type RunInput,
  type RunObject,
  ScriptError,
  type ScriptOptions,
} from "./easy/object-script.ts";
export type {
  CompileScriptsOptions,
  DecodeOptions,
  MillraceOptions,
  RunScriptOptions,
  WindowOptions,
} from "./easy/options.ts";
export type { Fields, JsonPoint, ObjectOptions, PlainPoint, PointInput } from "./easy/plain-point.ts";
export type { FieldInput, JsonFieldValue, PlainValue, WholeNumbers } from "./easy/plain-value.ts";
export type { Time } from "./easy/time.ts";
export { builtinDefinitions as grokDefinitions } from "./grok/load.ts";
export type { Millrace } from "./instance.ts";
export { createMillrace } from "./millrace.ts";
export type { CompiledSet } from "./pipeline/compile/scripts.ts";
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
  type ScriptEnvironment,
  scriptEnvironment,
} from "./pipeline/editor/assist.ts";
export { type Diagnostic, rangeAt } from "./pipeline/editor/diagnose.ts";
export { type Formatted, format } from "./pipeline/editor/format.ts";
export { type FunctionDoc, functionDocs } from "./pipeline/editor/function-docs.ts";
export { functionReference, functionText, signature } from "./pipeline/editor/function-reference.ts";
export type { RunsIn } from "./pipeline/functions/central.ts";
export { type CidrRow, CidrTableError, cidrLookup, parseCidrTable } from "./pipeline/functions/lookup/cidr-table.ts";
export { mmdbPlace } from "./pipeline/functions/lookup/mmdb-place.ts";
export { type Coverage, type CoveredPlace, createCoverage } from "./pipeline/runtime/coverage.ts";
export type { Probe, ProbedStatement } from "./pipeline/runtime/instrumentation.ts";
export { createProfile, type Profile, type StatementTime } from "./pipeline/runtime/profile.ts";
export type { CreatedPoint, Fetch, Place } from "./pipeline/runtime/run.ts";
export type { Script, ScriptResult } from "./pipeline/runtime/script.ts";
export type { StepBudget } from "./pipeline/runtime/start-run.ts";
export type { Aggregated } from "./pipeline/runtime/state/aggregation.ts";
export type { StateCounters } from "./pipeline/runtime/state/limits.ts";
export {
  createTrace,
  type Trace,
  type TracedPoint,
  type TraceStep,
  type VariableChange,
} from "./pipeline/runtime/trace.ts";
export { type PlError, type Position, plErrorText } from "./pipeline/syntax/errors.ts";
export { lex as tokenize, type Tokens } from "./pipeline/syntax/lexer.ts";
export type { PointBatch as Points } from "./point/batch/batch.ts";
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
export { Float, type Kind, kindOf, PointArray, type PointValue, Uint } from "./point/value.ts";
export { type Entry, Key, type PointSeries, type PointView, type Warning } from "./point/view.ts";
export { JsonError } from "./refer-table/json-stream.ts";
export { type Loaded, parseReferTables, type ReferDocument, readReferTables } from "./refer-table/read-document.ts";
export { type MemoryOptions, memorySink, type TableSink } from "./refer-table/sink.ts";
export { ReferTables, type TableData, type TableLookup } from "./refer-table/tables.ts";
export type { Body } from "./text/argument.ts";
export { type Bytes, isBytes, type Text } from "./text/bytes.ts";
export { MemoryError } from "./wasm/memory-error.ts";
