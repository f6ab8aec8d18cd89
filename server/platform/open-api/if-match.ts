// The header If-Match of changes: the `updateAt` that the client has seen (Open API document, 1.9).

import { invalidParameter, OpenApiError } from "./errors.ts";

/** Throws VersionConflict when the object has changed since. Without the header the last writer wins. */
export function checkUnchanged(header: (name: string) => string, updateAt: number): void {
  const sent = header("if-match").trim();
  if (sent === "") return;
  const seen = /^"?([0-9]+(?:\.[0-9]+)?)"?$/.exec(sent)?.[1];
  if (seen === undefined) throw invalidParameter("If-Match", "expected integer");
  if (Number(seen) !== updateAt) {
    throw new OpenApiError("VersionConflict", `The object has changed since ${seen}.`);
  }
}
