// Decides the wire form of a body of points by its Content-Type (docs/reference/agent.md#parameters).

import type { Form } from "../../../lib/index.ts";

// A cache of one entry: successive bodies mostly have the same type.
let lastType = "";
let lastForm: Form = "lp";

/** Returns the wire form of a content type. An unknown type means line protocol. */
export function formOf(contentType: string): Form {
  if (contentType === lastType) return lastForm;
  lastForm = readForm(contentType);
  lastType = contentType;
  return lastForm;
}

/**
 * Returns whether a setting limits the number of points in a body of this form: a point in JSON can take as little as
 * three bytes and grows much larger.
 */
export function isJsonForm(form: Form): boolean {
  return form === "json" || form === "pbjson";
}

function readForm(contentType: string): Form {
  if (contentType.includes("application/json")) return "json";
  const media = contentType.split(";")[0].trim().toLowerCase();
  if (media === "application/pbjson") return "pbjson";
  return media === "application/protobuf" ? "pb" : "lp";
}
