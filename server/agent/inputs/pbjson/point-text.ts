// Writes one point as PBJSON text (the JSON form of the agent's protobuf points), for the converters of inputs. All
// keys of a point are different: an entry (a tag or field) whose key is already used gets its origin, such as
// `attributes`, as a prefix. So an attribute `status` does not hide the status of a log.

import { defaultLimits, maxSeriesKey } from "../../../../lib/point/index.ts";

/**
 * The value of a tag or field: a string (`text`), or the JSON members that hold the value in PBJSON (`json`). PBJSON is
 * the JSON form of the agent's protobuf points.
 */
export type EntryValue = { readonly text: string } | { readonly json: string };

/**
 * The part of the request from which a tag or field comes, such as `attributes` or `labels`. When the point already has
 * the key of the tag or field, this name is put before the key. When this name is empty, the tag or field is left out
 * instead.
 */
export type Origin = string;

/**
 * Largest length of the keys and values of all tags of a point together, in UTF-16 units. The limit leaves room for
 * UTF-8, for escapes and for tags that are added later.
 */
const maxTagUnits = Math.floor(maxSeriesKey / 4);

export class PointText {
  private text: string;
  private readonly keys: Set<string>;
  private readonly joinsDots: boolean;
  private tagUnits = 0;
  private fields = 0;
  private isFirst = true;

  /**
   * Starts a point. `joinsDots`: whether the keys `a.b` and `a_b` count as the same key. `taken`: keys that no tag or
   * field of the point may get.
   */
  constructor(measurement: string, joinsDots: boolean, taken: readonly string[] = []) {
    this.text = `{"name":${JSON.stringify(measurement)},"fields":[`;
    this.keys = new Set(taken);
    this.joinsDots = joinsDots;
  }

  /** Adds a tag to the point, except when its value is empty. */
  tag(key: string, value: string, origin: Origin = ""): void {
    if (value === "" || this.hasTooManyTags) return;
    const free = this.freeKey(key, origin);
    if (free === undefined) return;
    this.tagUnits += free.length + Math.min(value.length, defaultLimits.maxTagValue);
    this.append(free, `"s":${JSON.stringify(value)},"is_tag":true`);
  }

  /** Adds a tag to the point. When the value is too long for a tag, adds a field. */
  tagOrField(key: string, value: string, origin: Origin): void {
    const fits = value.length * 3 <= defaultLimits.maxTagValue || Buffer.byteLength(value) <= defaultLimits.maxTagValue;
    if (fits && this.tagUnits + key.length + value.length <= maxTagUnits) this.tag(key, value, origin);
    else this.field(key, { text: value }, origin);
  }

  field(key: string, value: EntryValue | undefined, origin: Origin = ""): void {
    if (value === undefined) return;
    const free = this.freeKey(key, origin);
    if (free === undefined) return;
    this.fields++;
    this.append(free, "text" in value ? `"s":${JSON.stringify(value.text)}` : value.json);
  }

  /** Whether the point has a field. A point without fields is not stored. */
  get hasField(): boolean {
    return this.fields > 0;
  }

  /** Whether the tags of the point are too long for one line of line protocol. */
  get hasTooManyTags(): boolean {
    return this.tagUnits > maxTagUnits;
  }

  /**
   * Ends the point and returns its PBJSON text (the JSON form of a protobuf point). `time`: nanoseconds since 1970; 0
   * means the time when the agent received the request.
   */
  end(time: bigint): string {
    return `${this.text}],"time":"${time}"}`;
  }

  private append(key: string, members: string): void {
    this.text += `${this.isFirst ? "" : ","}{"key":${JSON.stringify(key)},${members}}`;
    this.isFirst = false;
  }

  /**
   * Returns a key that the point does not have yet: `key` or else `<origin>.<key>`, where the origin is the part of the
   * request from which the value comes. Returns undefined when `key` is empty or none of these keys is free.
   */
  private freeKey(key: string, origin: Origin): string | undefined {
    if (key === "") return undefined;
    if (this.takes(key)) return key;
    const other = `${origin}.${key}`;
    return origin !== "" && this.takes(other) ? other : undefined;
  }

  private takes(key: string): boolean {
    const stored = this.joinsDots ? key.replaceAll(".", "_") : key;
    if (this.keys.has(stored)) return false;
    this.keys.add(stored);
    return true;
  }
}

const maxTime = (1n << 63n) - 1n;

/** Returns whether a point can have this time (nanoseconds since 1970). */
export function isTime(time: bigint): boolean {
  return time <= maxTime;
}
