// One point of OTLP data as PBJSON text. A key is there once: a later one of the same name gets the prefix of where it comes from,
// so that an attribute `status` does not hide the status of a log.

import { defaultLimits, maxSeriesKey } from "../../../../lib/point/limits.ts";
import type { EntryValue } from "./values.ts";

/** Where an entry comes from, and so the prefix it gets when its key is taken. */
export type Origin = "" | "attributes" | "scope" | "resource";

/** Of the keys and values of tags, in UTF-16 units: as UTF-8, and escaped, with more tags added later, they still make a line. */
const maxTagUnits = Math.floor(maxSeriesKey / 4);

export class PointText {
  private text: string;
  private readonly keys: Set<string>;
  private readonly joinsDots: boolean;
  private tagUnits = 0;
  private isFirst = true;

  /** `joinsDots`: `a.b` and `a_b` are one key. `taken`: keys that an attribute may not have. */
  constructor(measurement: string, joinsDots: boolean, taken: readonly string[] = []) {
    this.text = `{"name":${JSON.stringify(measurement)},"fields":[`;
    this.keys = new Set(taken);
    this.joinsDots = joinsDots;
  }

  /** Text of no length is left out. */
  tag(key: string, value: string, origin: Origin = ""): void {
    if (value === "" || this.hasTooManyTags) return;
    const free = this.freeKey(key, origin);
    if (free === undefined) return;
    this.tagUnits += free.length + Math.min(value.length, defaultLimits.maxTagValue);
    this.append(free, `"s":${JSON.stringify(value)},"is_tag":true`);
  }

  /** A tag, or a field when it is too long to be a tag. */
  tagOrField(key: string, value: string, origin: Origin): void {
    const fits = value.length * 3 <= defaultLimits.maxTagValue || Buffer.byteLength(value) <= defaultLimits.maxTagValue;
    if (fits && this.tagUnits + key.length + value.length <= maxTagUnits) this.tag(key, value, origin);
    else this.field(key, { text: value }, origin);
  }

  field(key: string, value: EntryValue | undefined, origin: Origin = ""): void {
    if (value === undefined) return;
    const free = this.freeKey(key, origin);
    if (free !== undefined) this.append(free, "text" in value ? `"s":${JSON.stringify(value.text)}` : value.json);
  }

  /** A line of points would have no room for them. */
  get hasTooManyTags(): boolean {
    return this.tagUnits > maxTagUnits;
  }

  /** `time`: nanoseconds; 0 = when it is received. */
  end(time: bigint): string {
    return `${this.text}],"time":"${time}"}`;
  }

  private append(key: string, members: string): void {
    this.text += `${this.isFirst ? "" : ","}{"key":${JSON.stringify(key)},${members}}`;
    this.isFirst = false;
  }

  /** Undefined: nothing can be stored under it, or the same place has it already. */
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

/** Nanoseconds that a point can have. */
export function isTime(time: bigint): boolean {
  return time <= maxTime;
}
