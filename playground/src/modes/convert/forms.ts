// Titles of wire forms and time units, and the text that the page shows for a body of each wire form.

import { prettyJson } from "../../state/text.ts";
import { english } from "../../text/translate.ts";
import { hexText } from "../../worker/convert/body-text.ts";
import type { WireForm } from "../../worker/convert/conversion.ts";

export const formTitles: Readonly<Record<WireForm, string>> = {
  lp: english("Line protocol"),
  json: "JSON",
  pbjson: "PBJSON",
  pb: "Protobuf",
};

/** Titles of the units of time, by the value of the setting `precision`. */
export const precisionTitles: Readonly<Record<string, string>> = {
  "": english("unit by size"),
  n: english("nanoseconds"),
  u: english("microseconds"),
  ms: english("milliseconds"),
  s: english("seconds"),
  m: english("minutes"),
  h: english("hours"),
};

/** Largest number of bytes of a body that the page shows; the remaining bytes are not shown. */
const mostShown = 200_000;
const decoder = new TextDecoder();

/** Returns a body as text for the editor: protobuf as hex, the other wire forms unchanged. */
export function bodyText(form: WireForm, bytes: Uint8Array): string {
  return form === "pb" ? hexText(bytes) : decoder.decode(bytes);
}

/**
 * Returns the beginning of a text body for display. Divides JSON into lines. `isWhole`: false when `bytes` is not the
 * whole body.
 */
export function shownText(form: WireForm, bytes: Uint8Array): { readonly text: string; readonly isWhole: boolean } {
  const text = decoder.decode(bytes.subarray(0, mostShown));
  return { text: form === "lp" ? text : prettyJson(text), isWhole: bytes.length <= mostShown };
}

export function base64Text(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
