// Functions to declare OTLP messages. A message is declared once, as a shape (the list of its fields), for the JSON
// reader and the protobuf reader. Readers skip fields that are not declared. Fields that the client did not send are
// undefined. Property names always come from a declaration, never from a client.

/**
 * The TypeScript types of scalar fields. The value of an `id` consists of bytes, which JSON writes as hex
 * digits; both readers (JSON and protobuf) return it as lower-case hex digits. An `enum` is any 32-bit number.
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
 * How often a field occurs. The messages of a field declared as `each` are read one by one while the caller
 * iterates over them, so they are never all in memory at the same time.
 */
type Many = "one" | "list" | "each";

export interface Field<T> {
  readonly number: number;
  readonly kind: ScalarKind | "message";
  readonly many: Many;
  /** The declaration of the message in this field; absent for scalar fields. */
  readonly of?: () => Shape;
  /** Carries only the TypeScript type of the field's value; no field has this property at run time. */
  readonly read?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export interface Shape<F extends Fields = Fields> {
  readonly byName: ReadonlyMap<string, Field<unknown>>;
  readonly byNumber: readonly (readonly [name: string, field: Field<unknown>] | undefined)[];
  readonly fields?: F;
}

/** The TypeScript type of a parsed message whose declaration has the type `S`. */
export type Read<S> =
  S extends Shape<infer F> ? { readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never } : never;

/** Declares a message with the given fields. The field names are those of the JSON encoding. */
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

/** Largest nesting depth of messages in a request. A limit is needed because OTLP values can be nested without end. */
export const maxDepth = 100;
