// Which time series a point, or a field of it, belongs to (docs/reference/points.md#equality).

import { md5, sha256 } from "../digest/digests.ts";
import { compareText } from "./text.ts";
import { isBytes, type PointValue } from "./value.ts";
import type { PointView } from "./view.ts";

export interface SeriesOptions {
  /** The series of this field; that of the point when absent. */
  readonly field?: string;
  /** `md5` when absent. */
  readonly digest?: "md5" | "sha256";
}

const encoder = new TextEncoder();

/**
 * The digest, in small hexadecimal digits, of name, key and value of each tag in the order of the keys' bytes, and the field's key, with
 * nothing between. Fields and time do not count: equal points have equal ids, not the other way round.
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
