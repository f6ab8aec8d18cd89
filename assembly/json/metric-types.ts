// The names of metric types for decoding PBJSON (docs/reference/points.md#pbjson). lib/point/metric-type.ts has the
// names for encoding.

/** Table of metric types as one string: each name, then a space and the type's number. */
const TYPES: string =
  "UNSPECIFIED 0 COUNT 1 RATE 2 GAUGE 3 SUM_DELTA 10 SUM_CUMULATIVE 11 SUMMARY_COUNT 12 SUMMARY_SUM 13 SUMMARY_QUANTILE 14 " +
  "HISTOGRAM_MAX 20 HISTOGRAM_MIN 21 HISTOGRAM_COUNT 22 HISTOGRAM_SUM 23 HISTOGRAM_BUCKET_COUNTS 24 HISTOGRAM_BUCKET_BOUNDS 25 " +
  "EXPONENTIAL_HISTOGRAM_MAX 30 EXPONENTIAL_HISTOGRAM_MIN 31 EXPONENTIAL_HISTOGRAM_COUNT 32 EXPONENTIAL_HISTOGRAM_SUM 33 " +
  "EXPONENTIAL_HISTOGRAM_AVG 34 EXPONENTIAL_HISTOGRAM_SCALE 35 EXPONENTIAL_HISTOGRAM_ZERO_COUNT 36 EXPONENTIAL_HISTOGRAM_POS_OFFSET 37 " +
  "EXPONENTIAL_HISTOGRAM_POS_BUCKET_COUNTS 38 EXPONENTIAL_HISTOGRAM_NEG_OFFSET 39 EXPONENTIAL_HISTOGRAM_NEG_BUCKET_COUNTS 40 " +
  "EXPONENTIAL_HISTOGRAM_FLAGS 41 EXPONENTIAL_HISTOGRAM_START_TIME 42 ";

/** Returns the character (UTF-16 unit) with the index `i` in the table of metric types. */
// @ts-ignore: decorator
@inline
function unit(i: i32): u32 {
  return <u32>load<u16>(changetype<usize>(TYPES) + (<usize>i << 1));
}

/** Returns the number of the metric type with the given name; -1 when there is no such type. */
export function metricTypeOf(name: usize, length: u32): i32 {
  const end = TYPES.length;
  for (let i = 0; i < end; ) {
    let same: u32 = 0;
    while (same < length && unit(i + same) == <u32>load<u8>(name + same) && unit(i + same) != 0x20) same++;
    let blank = i + same;
    const isIt = same == length && unit(blank) == 0x20;
    while (unit(blank) != 0x20) blank++;
    let number = 0;
    for (i = blank + 1; unit(i) != 0x20; i++) number = number * 10 + <i32>unit(i) - 0x30;
    if (isIt && length) return number;
    i++;
  }
  return -1;
}
