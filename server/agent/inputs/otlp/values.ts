// Converts attribute values and bodies of OTLP logs (AnyValue) to text, to JSON and to field values in PBJSON (the JSON
// form of the agent's protobuf points).

import type { EntryValue } from "../pbjson/point-text.ts";
import type { AnyValue, KeyValue } from "./messages.ts";

/**
 * Returns the tag or field value for an OTLP value; undefined when the OTLP value is absent. A list or map becomes JSON
 * text; bytes become base64.
 */
export function entryOf(value: AnyValue | undefined): EntryValue | undefined {
  if (value === undefined) return undefined;
  if (value.stringValue !== undefined) return { text: value.stringValue };
  if (value.boolValue !== undefined) return { json: `"b":${value.boolValue}` };
  if (value.intValue !== undefined) return { json: `"i":"${value.intValue}"` };
  if (value.doubleValue !== undefined && Number.isFinite(value.doubleValue))
    return { json: floatJson(value.doubleValue) };
  const text = textOf(value);
  return text === undefined ? undefined : { text };
}

export function floatJson(value: number): string {
  return `"f":${Object.is(value, -0) ? "-0" : value}`;
}

/** Returns an OTLP value as a string; undefined when the value is absent. */
export function textOf(value: AnyValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.boolValue !== undefined) return String(value.boolValue);
  if (value.intValue !== undefined) return String(value.intValue);
  if (value.doubleValue !== undefined) return String(value.doubleValue);
  if (value.bytesValue !== undefined) return base64(value.bytesValue);
  if (value.arrayValue !== undefined || value.kvlistValue !== undefined) return jsonOf(value);
  return undefined;
}

/** Returns an OTLP value as JSON text. Integers keep all digits; an absent value becomes null. */
export function jsonOf(value: AnyValue | undefined): string {
  if (value === undefined) return "null";
  if (value.stringValue !== undefined) return JSON.stringify(value.stringValue);
  if (value.boolValue !== undefined) return String(value.boolValue);
  if (value.intValue !== undefined) return String(value.intValue);
  if (value.doubleValue !== undefined) {
    return Number.isFinite(value.doubleValue) ? String(value.doubleValue) : JSON.stringify(String(value.doubleValue));
  }
  if (value.bytesValue !== undefined) return JSON.stringify(base64(value.bytesValue));
  if (value.arrayValue !== undefined) return `[${(value.arrayValue.values ?? []).map(jsonOf).join(",")}]`;
  if (value.kvlistValue !== undefined) return attributesJson(value.kvlistValue.values);
  return "null";
}

export function attributesJson(attributes: readonly KeyValue[] = []): string {
  return `{${attributes.map(({ key = "", value }) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(",")}}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
