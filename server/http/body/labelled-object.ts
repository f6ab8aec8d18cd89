// Reads the body of a request to /v1/object/labels (docs/reference/agent.md#object-labels). The body names an object by
// its class, its name, and a field that identifies it.

import { createHash } from "node:crypto";
import { type JsonObject, readJson } from "../../../lib/text/index.ts";
import { ApiError, type ErrorCode } from "../errors.ts";
import { exactJson } from "./exact-json.ts";
import { isRecord, type JsonBody } from "./json-body.ts";

export interface LabelledObject {
  readonly object_class: string;
  readonly object_name: string;
  readonly key: string;
  /** Value of the field that identifies the object, as JSON text; a number keeps all its digits. */
  readonly value: string;
}

/** Returns the object that the body names. Throws an ApiError with the code `code` when the body is malformed. */
export function labelledObject({ value: body, text }: JsonBody, code: ErrorCode): LabelledObject {
  if (!isRecord(body)) throw new ApiError(code, "an object is expected");
  const textOf = (name: string) => {
    const value = body[name];
    if (typeof value !== "string") throw new ApiError(code, `${name} must be a string`);
    return value;
  };
  return {
    object_class: textOf("object_class"),
    object_name: textOf("object_name"),
    key: textOf("key"),
    value: exactJson((readJson(text) as JsonObject).get("value") ?? null),
  };
}

export function labelsOf({ value: body }: JsonBody, code: ErrorCode): readonly string[] {
  const { labels } = body as Record<string, unknown>;
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === "string"))
    throw new ApiError(code, "labels must be a list of strings");
  return labels;
}

/**
 * Returns the id of a labelled object: 40 hex digits, computed from its class, its name, and the key and the value of
 * the field that identifies it. Equal input always gives the same id.
 */
export function labelledObjectId({ object_class, object_name, key, value }: LabelledObject): string {
  const names = [object_class, object_name, key].map((name) => JSON.stringify(name));
  return createHash("sha1")
    .update(`[${names.join(",")},${value}]`)
    .digest("hex");
}
