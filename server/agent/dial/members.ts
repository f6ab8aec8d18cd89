// Reads the members of a task (the JSON description of a dial test) and checks their types. The error for a
// wrong type has the same form as an error of a JSON decoder (docs/reference/agent.md#dial-tests).

import { isRecord } from "../../http/body/json-body.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Thrown when a member of the task (the JSON description of a dial test) has the wrong type. */
export class MemberError extends Error {}

export function textOf(object: Json, name: string, fallback = ""): string {
  const value = object[name] ?? fallback;
  if (typeof value !== "string") throw new MemberError(`${name} must be a string`);
  return value;
}

/**
 * Returns the value of a member that may be a string or a number, as a string: `"port": 80` and `"port": "80"` are the
 * same.
 */
export function textOrNumberOf(object: Json, name: string): string {
  const value = object[name] ?? "";
  return typeof value === "number" ? String(value) : textOf(object, name);
}

export function numberOf(object: Json, name: string, fallback: number): number {
  const value = object[name] ?? fallback;
  if (typeof value !== "number") throw new MemberError(`${name} must be a number`);
  return value;
}

export function boolOf(object: Json, name: string): boolean {
  const value = object[name] ?? false;
  if (typeof value !== "boolean") throw new MemberError(`${name} must be a boolean`);
  return value;
}

export function objectOf(object: Json, name: string): Json {
  const value = object[name] ?? {};
  if (!isRecord(value)) throw new MemberError(`${name} must be an object`);
  return value;
}

export function objectsOf(object: Json, name: string): readonly Json[] {
  const value = object[name] ?? [];
  if (!Array.isArray(value) || !value.every(isRecord)) throw new MemberError(`${name} must be a list of objects`);
  return value;
}

/** Returns the member `name`, an object whose values are strings, as pairs of key and value. Throws MemberError. */
export function textsOf(object: Json, name: string): readonly (readonly [string, string])[] {
  return Object.entries(objectOf(object, name)).map(([key, value]) => {
    if (typeof value !== "string") throw new MemberError(`${name}.${key} must be a string`);
    return [key, value] as const;
  });
}

/**
 * Returns the task with the members `status` and `success_when`. When one of them is missing, its value is taken from
 * the member with the older spelling, `cur_status` or `SuccessWhen`.
 */
export function bothSpellings(task: Json): Json {
  return {
    ...task,
    status: task.status ?? task.cur_status,
    success_when: task.success_when ?? task.SuccessWhen,
  };
}
