// Schemas of parameters, bodies and answers. They are a subset of JSON Schema (2020-12), and each schema also
// carries the TypeScript type of its valid values. `validate.ts` checks requests with them; `document.ts` copies
// the same schemas into the OpenAPI document.

import type { Json, JsonObject } from "../client/wire.ts";

export type TypeName = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

export interface JsonSchema {
  readonly type?: TypeName | readonly TypeName[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly (string | number)[];
  readonly minLength?: number;
  /** Maximum length of a string in code points. */
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  /** The schema of members that are not declared. `true` means that undeclared members may have any value. */
  readonly additionalProperties?: JsonSchema | true;
}

/** A schema; `T` is the TypeScript type of a valid value. */
export interface Schema<T> {
  readonly json: JsonSchema;
  /** The encoding of a query parameter that is not a plain string: JSON, or a list separated by commas. */
  readonly spelling?: "json" | "commas";
  /** Whether the member with this schema may be absent from its object. */
  readonly isOptional?: boolean;
  /** A member that never has a value at run time. It exists only so that the type `T` is part of the schema's type. */
  readonly of?: T;
}

export interface OptionalSchema<T> extends Schema<T> {
  readonly isOptional: true;
}

export type Members = Readonly<Record<string, Schema<unknown>>>;
export type ValueOf<S> = S extends Schema<infer T> ? T : never;
type OptionalNames<M> = { [K in keyof M]: M[K] extends OptionalSchema<unknown> ? K : never }[keyof M];
export type ObjectOf<M extends Members> = {
  readonly [K in Exclude<keyof M, OptionalNames<M>>]: ValueOf<M[K]>;
} & { readonly [K in OptionalNames<M>]?: ValueOf<M[K]> };

export type { Json, JsonObject };

interface About {
  readonly about?: string;
  readonly default?: unknown;
}

function described({ about, default: value }: About): Pick<JsonSchema, "description" | "default"> {
  return {
    ...(about === undefined ? {} : { description: about }),
    ...(value === undefined ? {} : { default: value }),
  };
}

/**
 * Returns the schema of a string. `min` and `max`: the allowed lengths in code points. `min` is 1 by default; 0
 * also allows the empty string.
 */
export function text<const T extends string = string>({
  min = 1,
  max,
  pattern,
  oneOf,
  ...about
}: About & {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly T[];
} = {}): Schema<T> {
  return {
    json: {
      type: "string",
      ...described(about),
      ...(min === 0 ? {} : { minLength: min }),
      ...(max === undefined ? {} : { maxLength: max }),
      ...(pattern === undefined ? {} : { pattern }),
      ...(oneOf === undefined ? {} : { enum: oneOf }),
    },
  };
}

export function integer<const T extends number = number>({
  min,
  max,
  oneOf,
  ...about
}: About & { readonly min?: number; readonly max?: number; readonly oneOf?: readonly T[] } = {}): Schema<T> {
  return {
    json: {
      type: "integer",
      ...described(about),
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
      ...(oneOf === undefined ? {} : { enum: oneOf }),
    },
  };
}

export function number(about: About = {}): Schema<number> {
  return { json: { type: "number", ...described(about) } };
}

export function bool(about: About = {}): Schema<boolean> {
  return { json: { type: "boolean", ...described(about) } };
}

export function list<T>(items: Schema<T>, about: About = {}): Schema<readonly T[]> {
  return { json: { type: "array", ...described(about), items: items.json } };
}

/**
 * Returns the schema of an object. Members are checked in the order of their declaration. Members that are not declared
 * are allowed and ignored.
 */
export function object<M extends Members>(
  members: M,
  { notEmpty = false, ...about }: About & { readonly notEmpty?: boolean } = {},
): Schema<ObjectOf<M>> {
  const required = Object.keys(members).filter((name) => members[name].isOptional !== true);
  return {
    json: {
      type: "object",
      ...described(about),
      ...(notEmpty ? { minProperties: 1 } : {}),
      properties: Object.fromEntries(Object.entries(members).map(([name, { json }]) => [name, json])),
      ...(required.length === 0 ? {} : { required }),
    },
  };
}

/** Returns the schema of an object that may have any members. The handler receives all of them. */
export function anyObject(about: About = {}): Schema<JsonObject> {
  return { json: { type: "object", ...described(about), additionalProperties: true } };
}

/** Returns the schema of an object with any member names, whose values all have the same schema. */
export function mapOf<T>(values: Schema<T>, about: About = {}): Schema<Readonly<Record<string, T>>> {
  return { json: { type: "object", ...described(about), additionalProperties: values.json } };
}

/** Returns a schema that allows any value. */
export function any(about: About = {}): Schema<Json> {
  return { json: described(about) };
}

export function nullable<T>({ json }: Schema<T>): Schema<T | null> {
  const types = json.type === undefined ? [] : [json.type].flat();
  return { json: { ...json, ...(types.length === 0 ? {} : { type: [...types, "null"] }) } };
}

export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return { ...schema, isOptional: true };
}

/**
 * Returns the schema of a query parameter whose value is JSON. A client may also send a list of strings as plain
 * text with commas between the strings.
 */
export function inJson<T>(schema: Schema<T>): Schema<T> {
  return { ...schema, spelling: "json" };
}

/**
 * Returns the schema of a query parameter that is a list of strings separated by commas. Spaces before and after
 * each string are removed.
 */
export function inCommas(about: About = {}): Schema<readonly string[]> {
  return { ...list(text(), about), spelling: "commas" };
}
