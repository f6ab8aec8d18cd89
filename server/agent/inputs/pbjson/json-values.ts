// Converts JSON values to the values of tags and fields. Numbers keep all digits.

import { JsonNumber, type JsonValue } from "../../../../lib/text/index.ts";
import { exactJson } from "../../../http/body/exact-json.ts";
import type { EntryValue } from "./point-text.ts";

/**
 * Returns a JSON value as the value of a field. A list or an object becomes JSON text. Works by recursion, so the
 * caller must limit how deeply the value is nested.
 */
export function entryOfJson(value: Exclude<JsonValue, null>): EntryValue {
  if (typeof value === "boolean") return { json: `"b":${value}` };
  if (value instanceof JsonNumber) return { json: numberOf(value) };
  return { text: typeof value === "string" ? value : exactJson(value) };
}

/** Returns a JSON value as a string, for a tag; an empty string for null. */
export function textOfJson(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return value instanceof JsonNumber ? value.text : exactJson(value);
}

const [minInt, maxInt, maxUint] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];

/**
 * Returns a number as a member of a PBJSON field, such as `"i":"5"`. (PBJSON is the JSON form of the agent's
 * protobuf points.) A number that no numeric field type can represent becomes a string.
 */
function numberOf({ text }: JsonNumber): string {
  if (/^-?\d{1,20}$/.test(text)) {
    const value = BigInt(text);
    if (value >= minInt && value <= maxInt) return `"i":"${value}"`;
    if (value > 0n && value <= maxUint) return `"u":"${value}"`;
  }
  return Number.isFinite(Number(text)) ? `"f":${text}` : `"s":"${text}"`;
}
