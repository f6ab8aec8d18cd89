// The body of /v1/object/labels (agent document, A.4): which object, by which of its fields.

import { createHash } from "node:crypto";
import { ApiError, type ErrorCode } from "./errors.ts";
import { isRecord } from "./json-body.ts";

export interface LabelledObject {
  readonly object_class: string;
  readonly object_name: string;
  readonly key: string;
  readonly value: unknown;
}

/** `code`: of the refusal of what is none. */
export function labelledObject(body: unknown, code: ErrorCode): Record<string, unknown> & LabelledObject {
  if (!isRecord(body)) throw new ApiError(code, "an object is expected");
  for (const name of ["object_class", "object_name", "key"]) {
    if (typeof body[name] !== "string") throw new ApiError(code, `${name} must be a string`);
  }
  return body as Record<string, unknown> & LabelledObject;
}

export function labelsOf({ labels }: Record<string, unknown>, code: ErrorCode): readonly string[] {
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === "string"))
    throw new ApiError(code, "labels must be a list of strings");
  return labels;
}

/** 40 hex characters, the same for the same object, key and value. */
export function labelledObjectId({ object_class, object_name, key, value }: LabelledObject): string {
  const text = JSON.stringify([object_class, object_name, key, value ?? null]);
  return createHash("sha1").update(text).digest("hex");
}
