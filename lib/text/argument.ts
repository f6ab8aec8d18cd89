// Checks the arguments of public functions. When an argument is wrong, the check throws a TypeError that names
// the function, the argument, the expected value and the given value: `decodePoints: form must be one of "lp",
// "json", "pbjson", "pb"; got "protobuf". Did you mean "pb"?`. Each function checks its arguments once per call.
// Checking a correct argument allocates no memory.

import { nearestName } from "./nearest.ts";
import { shownText } from "./shown-text.ts";

/** Largest number of bytes of a wrong argument that a message shows. */
const mostOfArgument = 60;

/** A body or a text that a public function takes: a string, or its bytes. A Node `Buffer` is a Uint8Array. */
export type Body = string | Uint8Array | ArrayBuffer;

export const bodyText = "a string, a Uint8Array (such as a Buffer) or an ArrayBuffer";

/**
 * Describes an argument in a few words, such as `undefined`, `"text"`, `an array of 3` or `a Map`.
 *
 * @example
 * describeArgument(new Map()); // "a Map"
 */
export function describeArgument(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `"${shownText(value, mostOfArgument)}"`;
    case "bigint":
      return `${shownText(String(value), mostOfArgument)}n`;
    case "symbol":
      return "a symbol";
    case "function":
      return "a function";
    case "object":
      return value === null ? "null" : describeObject(value);
    default:
      return String(value);
  }
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isPlainObject(value)) return "an object";
  if (value instanceof Date && Number.isNaN(value.getTime())) return "an invalid Date";
  // The caller's code may define the class name of the value by a getter. If the getter throws, its error must not
  // replace the TypeError about the argument.
  let name = "";
  try {
    const maker = (value as { constructor?: { name?: unknown } }).constructor;
    if (typeof maker?.name === "string") name = shownText(maker.name, mostOfArgument);
  } catch {}
  return name === "" ? "an object" : `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

/**
 * Throws the TypeError for a wrong argument. `call` is the name of the called function, `argument` the name of its
 * argument.
 */
export function refuse(call: string, argument: string, expected: string, value: unknown, help = ""): never {
  throw new TypeError(`${call}: ${argument} must be ${expected}; got ${describeArgument(value)}${help}`);
}

/**
 * Returns whether the value is an object that is not an instance of a class, such as an object made by `{}`,
 * `Object.create(null)` or JSON.parse.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm (such as a frame) inherits from the Object.prototype of that realm, which is a different
  // object than the Object.prototype here. But every Object.prototype has the prototype null, and the last of the three
  // conditions tests this.
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/**
 * Returns whether the value may be an object of options: not an array, a function, or an instance of a built-in class.
 */
function mayHoldOptions(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  // Nearly all objects of options are object literals. The comparison with Object.prototype is fast and accepts them,
  // so it comes first.
  if (Object.getPrototypeOf(value) === Object.prototype) return true;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return Object.prototype.toString.call(value) === "[object Object]";
}

export function requireString(call: string, argument: string, value: unknown): asserts value is string {
  if (typeof value !== "string") refuse(call, argument, "a string", value);
}

export function requireBoolean(call: string, argument: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") refuse(call, argument, "true or false", value);
}

export function requireFunction(call: string, argument: string, value: unknown): void {
  if (typeof value !== "function") refuse(call, argument, "a function", value);
}

/**
 * Throws a TypeError unless the value is an object. Any object is accepted, such as a step budget that several runs
 * share; the members of the object are not checked.
 */
export function requireObject(call: string, argument: string, value: unknown): void {
  if (!mayHoldOptions(value)) refuse(call, argument, "an object", value);
}

/**
 * An object whose keys are the names of all options of a function, that is, all members of the interface `T`. The
 * TypeScript compiler reports an error when a name is missing.
 */
export type OptionNames<T> = Readonly<Record<keyof T & string, true>>;

/**
 * Throws a TypeError unless the value is undefined or an object that has no other members than `names`. Members that
 * the object inherits from a prototype do not count.
 */
export function requireOptions(
  call: string,
  value: unknown,
  names: Readonly<Record<string, true>>,
  argument = "options",
): void {
  if (value === undefined) return;
  if (!mayHoldOptions(value)) refuse(call, argument, "an object", value);
  for (const name in value) {
    if (names[name] !== true && Object.hasOwn(value, name)) refuseName(call, argument, name, Object.keys(names));
  }
}

/** Throws the TypeError for an option that does not exist. */
function refuseName(call: string, argument: string, name: string, names: readonly string[]): never {
  const shown = shownText(name, mostOfArgument);
  // A function has so few options that even a name with two wrong letters is similar to at most one of them. So up to
  // two wrong letters are accepted for the suggestion.
  const near =
    name.length > mostOfArgument ? undefined : nearestName(name, names, Math.min(2, Math.ceil(name.length / 2)));
  const list = names.map((each) => `"${each}"`).join(", ");
  const help = near === undefined ? "" : `. Did you mean "${near}"?`;
  throw new TypeError(`${call}: ${argument} must have no members but ${list}; got "${shown}"${help}`);
}

/**
 * Throws a TypeError unless the value is an object that has all the given methods. `expected` describes such an object
 * in the error message, for example as `a point`.
 */
export function requireMethods(
  call: string,
  argument: string,
  value: unknown,
  expected: string,
  ...methods: readonly string[]
): void {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject || methods.some((method) => typeof (value as Record<string, unknown>)[method] !== "function"))
    refuse(call, argument, expected, value);
}

/**
 * Throws a TypeError unless the value is undefined or a whole number of at least `least`. `unit` says what the number
 * counts, such as `of bytes`.
 */
export function requireCount(call: string, argument: string, value: unknown, unit = "", least = 0): void {
  if (value === undefined || (typeof value === "number" && Number.isSafeInteger(value) && value >= least)) return;
  refuse(call, argument, `a whole number${unit === "" ? "" : ` ${unit}`} of ${least} or more`, value);
}

/**
 * Throws a TypeError unless the value is undefined or a number of 0 or more, which may have a fraction or be infinite.
 */
export function requireBound(call: string, argument: string, value: unknown, unit = ""): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  refuse(call, argument, `a number${unit === "" ? "" : ` ${unit}`} of 0 or more`, value);
}

/**
 * Throws a TypeError unless the value is one of the names; the message suggests the most similar name. `others` maps
 * wrong names that people often write to the right names.
 */
export function requireOneOf(
  call: string,
  argument: string,
  value: unknown,
  names: readonly string[],
  others: Readonly<Record<string, string>> = {},
): void {
  if (typeof value === "string" && names.includes(value)) return;
  const lower = typeof value === "string" ? value.trim().toLowerCase() : "";
  const near = Object.hasOwn(others, lower) ? others[lower] : nearName(lower, names);
  const list = names.map((name) => `"${name}"`).join(", ");
  refuse(call, argument, `one of ${list}`, value, near === undefined ? "" : `. Did you mean "${near}"?`);
}

function nearName(lower: string, names: readonly string[]): string | undefined {
  if (lower === "" || lower.length > mostOfArgument) return undefined;
  return names.find((name) => name.toLowerCase() === lower) ?? nearestName(lower, names);
}

/** Throws a TypeError unless the value is a string or a Uint8Array. */
export function requireText(call: string, argument: string, value: unknown): asserts value is string | Uint8Array {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) refuse(call, argument, bodyText, value);
}

const encoder = new TextEncoder();

/**
 * Returns the bytes of a body: encodes a string as UTF-8, and returns bytes without copying them. Also accepts buffers
 * of another realm, such as a frame or the sandbox of a test runner.
 */
export function bytesOfBody(call: string, argument: string, body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return encoder.encode(body);
  return otherBuffer(body) ?? refuse(call, argument, bodyText, body);
}

/** Returns a string unchanged, and any kind of buffer as a Uint8Array without copying it. */
export function textOfBody(call: string, argument: string, body: unknown): string | Uint8Array {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  return otherBuffer(body) ?? refuse(call, argument, bodyText, body);
}

function otherBuffer(body: unknown): Uint8Array | undefined {
  const tag = Object.prototype.toString.call(body);
  if (tag === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer);
  if (tag !== "[object Uint8Array]" || !ArrayBuffer.isView(body)) return undefined;
  return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
}
