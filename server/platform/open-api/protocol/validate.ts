// Checks a value against a schema. Reports the first wrong member, in the order of the declaration, with the
// messages of docs/reference/open-api.md#the-envelope. A value is never converted to another type. Undeclared
// members are ignored.

import { isRecord } from "../../../http/body/json-value.ts";
import { invalidParameter } from "./errors.ts";
import type { JsonSchema, Members, ObjectOf, Schema, TypeName } from "./schema.ts";

/** Checks a request body and returns it. Throws the OpenApiError `InvalidParameter` when the body is wrong. */
export function checkBody<T>(schema: Schema<T>, value: unknown): T {
  if (!isRecord(value)) throw invalidParameter("body", "expected object");
  check(schema.json, value, "");
  return value as T;
}

/**
 * Throws InvalidParameter when a value does not match its schema. `name`: the path of the value in the request; `""`
 * for the whole body.
 */
function check(schema: JsonSchema, value: unknown, name: string): void {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value)))
    throw invalidParameter(name, `expected ${types[0]}`);
  if (typeof value === "string") checkText(schema, value, name);
  else if (typeof value === "number") checkRange(schema, value, name);
  if (schema.enum !== undefined && value !== null && !schema.enum.includes(value as string | number)) {
    throw invalidParameter(name, `must be one of [${schema.enum.join(", ")}]`);
  }
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [at, item] of value.entries()) check(schema.items, item, `${name}[${at}]`);
  } else if (isRecord(value)) checkMembers(schema, value, name);
}

function checkText({ minLength = 0, maxLength, pattern }: JsonSchema, value: string, name: string): void {
  if (minLength > 0 && value === "") throw invalidParameter(name, "must not be empty");
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    throw invalidParameter(name, `longer than ${maxLength} characters`);
  }
  if (pattern !== undefined && !expression(pattern).test(value)) {
    throw invalidParameter(name, `does not match ${pattern}`);
  }
}

function checkRange({ minimum, maximum }: JsonSchema, value: number, name: string): void {
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)) {
    throw invalidParameter(name, `must be between ${minimum ?? "-infinity"} and ${maximum ?? "infinity"}`);
  }
}

function checkMembers(schema: JsonSchema, value: Readonly<Record<string, unknown>>, name: string): void {
  const at = (member: string) => (name === "" ? member : `${name}.${member}`);
  if ((schema.minProperties ?? 0) > 0 && Object.keys(value).length === 0) {
    throw invalidParameter(name, "must not be empty");
  }
  for (const [member, inner] of Object.entries(schema.properties ?? {})) {
    // Only the object's own members count. Otherwise a name such as `constructor` would find an inherited member,
    // which the client did not send.
    const sent = Object.hasOwn(value, member) ? value[member] : undefined;
    const isRequired = schema.required?.includes(member) === true;
    if (sent === undefined || (sent === null && isRequired && !allowsNull(inner))) {
      if (isRequired) throw invalidParameter(at(member), "required");
    } else check(inner, sent, at(member));
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== true) {
    for (const [member, inner] of Object.entries(value)) {
      if (!Object.hasOwn(schema.properties ?? {}, member)) check(schema.additionalProperties, inner, at(member));
    }
  }
}

function allowsNull({ type }: JsonSchema): boolean {
  return type === undefined || [type].flat().includes("null");
}

function isOf(type: TypeName, value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

const expressions = new Map<string, RegExp>();

/**
 * Returns the compiled regular expression of a pattern, from a cache. The cache needs no size limit, because all
 * patterns come from the declarations of routes.
 */
function expression(pattern: string): RegExp {
  let found = expressions.get(pattern);
  if (found === undefined) expressions.set(pattern, (found = new RegExp(pattern, "u")));
  return found;
}

/** Returns the parsed parameters of a query string. Parameters that are not declared are ignored. */
export function readQuery<M extends Members>(declared: M, query: string): ObjectOf<M> {
  const sent = new URLSearchParams(query);
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(declared)) {
    const given = sent.getAll(name);
    if (given.length > 1) throw invalidParameter(name, "given more than once");
    const value = given.length === 0 ? undefined : parameter(schema, given[0], name);
    if (value === undefined) {
      if (schema.isOptional !== true) throw invalidParameter(name, "required");
    } else {
      check(schema.json, value, name);
      values[name] = value;
    }
  }
  return values as ObjectOf<M>;
}

/**
 * Parses the value of a query parameter. Returns undefined for an empty string, because such a parameter counts
 * as absent.
 */
function parameter({ json, spelling }: Schema<unknown>, given: string, name: string): unknown {
  if (spelling === "commas" || (spelling === "json" && json.type === "array" && !/^\s*[[{]/.test(given))) {
    return given
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  }
  if (spelling === "json") {
    try {
      return JSON.parse(given) as unknown;
    } catch {
      throw invalidParameter(name, `expected ${json.type}`);
    }
  }
  switch (json.type) {
    case "integer":
      if (!/^-?[0-9]+$/.test(given)) throw invalidParameter(name, "expected integer");
      // `Number` rounds integers above 2^53. This does no harm, because such an integer is too large for every allowed
      // range and is refused later.
      return Number(given);
    case "boolean":
      if (given !== "true" && given !== "false") throw invalidParameter(name, "expected boolean");
      return given === "true";
    default:
      return given === "" ? undefined : given;
  }
}
