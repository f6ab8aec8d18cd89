// The wire form of a body of points, by its Content-Type (docs/reference/agent.md#parameters).

import type { Form } from "../../../lib/index.ts";

// One after the other mostly have the same type.
let lastType = "";
let lastForm: Form = "lp";

/** Anything that is not known is line protocol. */
export function formOf(contentType: string): Form {
  if (contentType === lastType) return lastForm;
  lastForm = readForm(contentType);
  lastType = contentType;
  return lastForm;
}

/** Whether a setting bounds the points of a body in this form: a point of JSON takes three bytes and becomes many more. */
export function isJsonForm(form: Form): boolean {
  return form === "json" || form === "pbjson";
}

function readForm(contentType: string): Form {
  if (contentType.includes("application/json")) return "json";
  const media = contentType.split(";")[0].trim().toLowerCase();
  if (media === "application/pbjson") return "pbjson";
  return media === "application/protobuf" ? "pb" : "lp";
}
