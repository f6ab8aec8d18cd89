// Names of wire forms and units, and how a body of a form is shown and saved.

import { prettyJson } from "../../state/text.ts";
import { hexText } from "../../worker/convert/body-text.ts";
import type { WireForm } from "../../worker/convert/conversion.ts";

export const formTitles: Readonly<Record<WireForm, string>> = {
  lp: "Line protocol",
  json: "JSON",
  pbjson: "PBJSON",
  pb: "Protobuf",
};

/** Titles of the units of time, by the value of `precision`. */
export const precisionTitles: Readonly<Record<string, string>> = {
  "": "by size",
  n: "nanoseconds",
  u: "microseconds",
  ms: "milliseconds",
  s: "seconds",
  m: "minutes",
  h: "hours",
};

/** Largest number of bytes of a body that is shown. */
const mostShown = 200_000;
const decoder = new TextDecoder();

/** Returns a body as the editor takes it: text as it is, protobuf as hex. */
export function bodyText(form: WireForm, bytes: Uint8Array): string {
  return form === "pb" ? hexText(bytes) : decoder.decode(bytes);
}

/** Returns the first part of a text body as it is shown: JSON on many lines. */
export function shownText(form: WireForm, bytes: Uint8Array): { readonly text: string; readonly isWhole: boolean } {
  const text = decoder.decode(bytes.subarray(0, mostShown));
  return { text: form === "lp" ? text : prettyJson(text), isWhole: bytes.length <= mostShown };
}

export function base64Text(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
