// Computes an id for the time series that a point, or a field of a point, belongs to
// (docs/reference/points.md#equality).

import { md5, sha256 } from "../digest/digests.ts";
import { type OptionNames, requireMethods, requireOneOf, requireOptions, requireString } from "../text/argument.ts";
import { isBytes } from "../text/bytes.ts";
import { compareText } from "../text/utf8.ts";
import type { PointValue } from "./value.ts";
import type { PointView } from "./view.ts";

/** Options of `seriesId`, which identifies a time series. */
export interface SeriesOptions {
  /** Key of the field to identify; absent means the time series of the whole point. */
  readonly field?: string;
  /** The hash function that makes the id, default `md5`. */
  readonly digest?: "md5" | "sha256";
}

const seriesNames: OptionNames<SeriesOptions> = { field: true, digest: true };

const encoder = new TextEncoder();

/**
 * Returns an id as lower-case hexadecimal digits. It is the digest of the measurement, then the key and value of each
 * tag in the byte order of the keys, then the key of the field, all without separators. Field values and time do not
 * count: equal points have equal ids, but points with equal ids may differ.
 *
 * @example
 * const point = new Point("cpu", 0n);
 * point.setTag(new Key("host"), "a");
 * seriesId(point, { field: "load" }); // 32 hexadecimal digits
 */
export function seriesId(point: PointView, options: SeriesOptions = {}): string {
  requireMethods("seriesId", "point", point, "a point", "entries", "get", "setField");
  requireOptions("seriesId", options, seriesNames);
  const { field = "", digest = "md5" } = options;
  requireString("seriesId", "field", field);
  requireOneOf("seriesId", "digest", digest, ["md5", "sha256"]);
  const tags = Array.from(point.entries()).filter(({ isTag }) => isTag);
  tags.sort((a, b) => compareText(a.key, b.key));
  const parts = [point.name, ...tags.flatMap(({ key, value }) => [key, value]), field].map(bytesOf);
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return digest === "md5" ? md5(bytes) : sha256(bytes);
}

function bytesOf(value: PointValue): Uint8Array {
  return isBytes(value) ? value.view() : encoder.encode(String(value));
}
