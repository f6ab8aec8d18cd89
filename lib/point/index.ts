// `millrace/point`: points, their values, categories, limits and wire formats, without scripts.

export { type Bytes, isBytes, type Text } from "../text/bytes.ts";
export type { PointBatch } from "./batch/batch.ts";
export { type CategoryName, categories, categoryAlias, categoryOf } from "./category.ts";
export {
  type Batcher,
  type BatchOptions,
  createBatcher,
  type EncodedBatch,
  type EncodedBatches,
  encodeBatches,
} from "./codec/batches.ts";
export type { BodyOptions, PointWindows } from "./codec/body.ts";
export { decodeInWindows, decodePoints } from "./codec/decode.ts";
export { type EncodeOptions, encodePoints, encodeTo, type Form, type Sink } from "./codec/encode.ts";
export { correct } from "./correct.ts";
export { type EqualOptions, pointDifference } from "./equal.ts";
export { type LineFailure, PointError, TooManyPoints } from "./errors.ts";
export { defaultLimits, type Limits, maxSeriesKey } from "./limits.ts";
export { Point } from "./point.ts";
export { precisions, resolveDecimal, resolveTime } from "./precision.ts";
export { type SeriesOptions, seriesId } from "./series-id.ts";
export { Float, type Kind, kindOf, PointArray, type PointValue, Uint } from "./value.ts";
export { type Entry, type EntryTraits, Key, type PointSeries, type PointView, type Warning } from "./view.ts";
