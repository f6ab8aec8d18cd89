// Identifies the time series that a point, or a field of a point, belongs to (docs/reference/points.md#equality).

import { md5, sha256 } from "../digest/digests.ts";
import { isBytes } from "../text/bytes.ts";
import { compareText } from "../text/utf8.ts";
import type { PointValue } from "./value.ts";
import type { PointView } from "./view.ts";

/** Options of `seriesId`. */
export interface SeriesOptions {
  /** The field whose series is meant; absent means the series of the point. */
  readonly field?: string;
  /** The hash function, default `md5`. */
  readonly digest?: "md5" | "sha256";
}

const encoder = new TextEncoder();

/**
 * Returns the digest, in lower-case hexadecimal digits, of the measurement, then key and value of each tag in the byte
 * order of the keys, then the field's key, with nothing in between. Fields and time are not part of it: equal points
 * have equal ids, but points with equal ids may differ.
 *
 * @example
 * const point = new Point("cpu", 0n);
 * point.setTag(new Key("host"), "a");
 * seriesId(point, { field: "load" }); // 32 hexadecimal digits
 */
export function seriesId(point: PointView, { field = "", digest = "md5" }: SeriesOptions = {}): string {
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
