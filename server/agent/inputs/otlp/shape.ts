// Declares OTLP messages: each field once, for the JSON and the protobuf reader. Readers skip fields that are not
// declared. Fields that the client did not send are undefined. Property names always come from a declaration, never
// from a client.

/**
 * Types of scalar fields. An `id` is bytes that JSON writes as hex digits; both readers return lower-case hex digits.
 * An `enum` is any 32-bit number.
 */
export interface ScalarTypes {
  readonly text: string;
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly bool: boolean;
  readonly enum: number;
  readonly sint32: number;
  readonly int64: bigint;
  readonly uint64: bigint;
  readonly fixed64: bigint;
  readonly sfixed64: bigint;
  readonly double: number;
}

export type ScalarKind = keyof ScalarTypes;

/**
 * How often a field occurs. An `each` field is read lazily, message by message, on every iteration, so that its
 * messages are never all in memory.
 */
type Many = "one" | "list" | "each";

export interface Field<T> {
  readonly number: number;
  readonly kind: ScalarKind | "message";
  readonly many: Many;
  /** Shape of the message; for message fields only. */
  readonly of?: () => Shape;
  /** Carries only the type of the value; no field has this property at run time. */
  readonly read?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export interface Shape<F extends Fields = Fields> {
  readonly byName: ReadonlyMap<string, Field<unknown>>;
  readonly byNumber: readonly (readonly [name: string, field: Field<unknown>] | undefined)[];
  readonly fields?: F;
}

/** The type that a message of a shape is read as. */
export type Read<S> =
  S extends Shape<infer F> ? { readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never } : never;

/** Returns the shape of a message. The names are those of the JSON form. */
export function shape<F extends Fields>(fields: F): Shape<F> {
  const byNumber: [string, Field<unknown>][] = [];
  for (const [name, field] of Object.entries(fields)) byNumber[field.number] = [name, field];
  return { byName: new Map(Object.entries(fields)), byNumber };
}

export function one<K extends ScalarKind>(number: number, kind: K): Field<ScalarTypes[K]> {
  return { number, kind, many: "one" };
}

export function list<K extends ScalarKind>(number: number, kind: K): Field<readonly ScalarTypes[K][]> {
  return { number, kind, many: "list" };
}

export function message<S extends Shape>(number: number, of: S): Field<Read<S>> {
  return { number, kind: "message", many: "one", of: () => of };
}

export function messages<S extends Shape>(number: number, of: S): Field<readonly Read<S>[]> {
  return { number, kind: "message", many: "list", of: () => of };
}

export function each<S extends Shape>(number: number, of: S): Field<Iterable<Read<S>>> {
  return { number, kind: "message", many: "each", of: () => of };
}

/** Largest nesting depth of messages in a request. OTLP values can be nested without a limit. */
export const maxDepth = 100;

/** Thrown when the body is not a valid request. */
export class OtlpError extends Error {}
