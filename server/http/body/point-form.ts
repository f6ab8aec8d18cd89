// Chooses the wire format of a body of points by its Content-Type (docs/reference/agent.md#parameters).

import type { Form } from "../../../lib/index.ts";

/** Returns the wire format that a content type names. An unknown content type means line protocol. */
export function formOf(contentType: string): Form {
  if (contentType.includes("application/json")) return "json";
  const media = contentType.split(";")[0].trim().toLowerCase();
  if (media === "application/pbjson") return "pbjson";
  return media === "application/protobuf" ? "pb" : "lp";
}

/**
 * Returns whether the wire format is JSON (`json` or `pbjson`). A JSON body needs a limit on its points, because a
 * point can take as little as three bytes in JSON and grows much larger when it is stored.
 */
export function isJsonForm(form: Form): boolean {
  return form === "json" || form === "pbjson";
}
