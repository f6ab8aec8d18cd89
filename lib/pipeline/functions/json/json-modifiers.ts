// The modifiers of the path language of `gjson`, `@name` and `@name:argument` (docs/reference/functions.md#gjson). Each
// modifier takes JSON source text and returns JSON source text.

import { prettyJson, uglyJson } from "./json-pretty.ts";
import { elementsOf, firstValue, membersOf, type Raw, type Step, stringText } from "./json-scan.ts";

/**
 * Returns the function that applies a modifier; undefined for an unknown modifier name. `compile` compiles a path that
 * is given as the argument of a modifier.
 */
export function modifier(name: string, argument: string, compile: (path: string) => Step): Step | undefined {
  if (name === "dig") return dig(compile(argument));
  const make = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
  return make?.(optionsOf(argument));
}

/** The members of a modifier's argument, when the argument is a JSON object. */
type Options = ReadonlyMap<string, Raw>;

function optionsOf(argument: string): Options {
  return new Map(argument.startsWith("{") ? membersOf(argument) : []);
}

function entries(raw: Raw): (readonly [name: string, value: Raw])[] {
  return raw.startsWith("{") ? [...membersOf(raw)] : [];
}

function object(pairs: Iterable<readonly [name: string, value: Raw]>): Raw {
  return `{${Array.from(pairs, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

function list(elements: readonly Raw[]): Raw {
  return `[${elements.join(",")}]`;
}

/**
 * Deepest level of lists and objects that a modifier enters. The depth is limited, because each list or object is read
 * again for every list or object that contains it.
 */
const DEEPEST = 100;

/** Largest number of characters that `@pretty` puts before each line. */
const LONGEST_PREFIX = 64;

const isList = (raw: Raw) => raw.startsWith("[");

const MODIFIERS: Readonly<Record<string, (options: Options) => Step>> = {
  this: () => (raw) => raw,
  reverse: () => (raw) => {
    if (isList(raw)) return list(elementsOf(raw).reverse());
    return raw.startsWith("{") ? object(entries(raw).reverse()) : raw;
  },
  keys: () => (raw) => list(entries(raw).map(([name]) => JSON.stringify(name))),
  values: () => (raw) => (isList(raw) ? raw : list(entries(raw).map(([, value]) => value))),
  flatten: (options) => (raw) => (isList(raw) ? list(flat(raw, options.get("deep") === "true")) : raw),
  tostr: () => (raw) => JSON.stringify(raw),
  fromstr: () => (raw) => (raw.startsWith('"') ? firstValue(stringText(raw)) : undefined),
  valid: () => (raw) => (isJson(raw) ? raw : undefined),
  ugly: () => uglyJson,
  pretty: (options) => (raw) =>
    prettyJson(raw, {
      width: Number(options.get("width") ?? 80),
      indent: stringText(options.get("indent") ?? '"  "'),
      prefix: stringText(options.get("prefix") ?? '""').slice(0, LONGEST_PREFIX),
      sortKeys: options.get("sortKeys") === "true",
    }),
  join: (options) => (raw) => (isList(raw) ? join(elementsOf(raw), options.get("preserve") === "true") : raw),
  group: () => (raw) => (raw.startsWith("{") ? group(entries(raw)) : undefined),
};

/**
 * Returns the elements of a list with inner lists replaced by their elements. With `deep`, inner lists at every level
 * are replaced.
 */
function flat(raw: Raw, deep: boolean, depth = 0): Raw[] {
  const inner = (element: Raw): Raw[] => {
    if (!isList(element)) return [element];
    return deep && depth < DEEPEST ? flat(element, deep, depth + 1) : elementsOf(element);
  };
  return elementsOf(raw).flatMap(inner);
}

/**
 * Merges objects into one object. When a name occurs several times, the result has its last value at the
 * position of its first occurrence. With `preserve`, all members are kept.
 */
function join(objects: readonly Raw[], preserve: boolean): Raw {
  const pairs = objects.flatMap(entries);
  return object(preserve ? pairs : new Map(pairs));
}

/** Converts an object of lists to a list of objects: `{"a":[1,2],"b":[3,4]}` to `[{"a":1,"b":3},{"a":2,"b":4}]`. */
function group(columns: readonly (readonly [name: string, value: Raw])[]): Raw {
  const rows: [string, Raw][][] = [];
  for (const [name, values] of columns) {
    if (!isList(values)) continue;
    for (const [index, value] of elementsOf(values).entries()) (rows[index] ??= []).push([name, value]);
  }
  return list(rows.map(object));
}

/** Returns a function that applies the path to a value and to every value inside it, outer values first. */
function dig(step: Step): Step {
  return (raw) => {
    const found: Raw[] = [];
    const visit = (value: Raw, depth: number): void => {
      const its = step(value);
      if (its !== undefined) found.push(its);
      if (depth === DEEPEST) return;
      const inner = isList(value) ? elementsOf(value) : entries(value).map(([, member]) => member);
      for (const each of inner) visit(each, depth + 1);
    };
    visit(raw, 0);
    return list(found);
  };
}

function isJson(raw: Raw): boolean {
  try {
    JSON.parse(raw);
    return true;
  } catch {
    return false;
  }
}
