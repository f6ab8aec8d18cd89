// How the messages of OTLP are declared: each field once, for both encodings. What is not declared is passed over by the readers.
// Fields that are not sent are undefined; no name of a client's ever becomes the name of a property.

/** `id`: bytes that JSON writes as hex digits, read as these, in lower case. `enum` stands for any number of 32 bits. */
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

/** `each`: read one by one while they are walked over, each time anew, so that they are never held together. */
type Many = "one" | "list" | "each";

export interface Field<T> {
  readonly number: number;
  readonly kind: ScalarKind | "message";
  readonly many: Many;
  /** Of a message: its shape. */
  readonly of?: () => Shape;
  /** What is read; there is no such member. */
  readonly read?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export interface Shape<F extends Fields = Fields> {
  readonly byName: ReadonlyMap<string, Field<unknown>>;
  readonly byNumber: readonly (readonly [name: string, field: Field<unknown>] | undefined)[];
  readonly fields?: F;
}

/** What a message of a shape is read as. */
export type Read<S> =
  S extends Shape<infer F> ? { readonly [Name in keyof F]?: F[Name] extends Field<infer T> ? T : never } : never;

/** Names are those of the JSON form. */
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

/** Messages within each other, in a request; values nest at will. */
export const maxDepth = 100;

/** The body is no request. */
export class OtlpError extends Error {}
