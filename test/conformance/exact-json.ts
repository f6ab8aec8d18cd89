// Parses JSON without losing digits of 64-bit integers: a number without fraction and exponent becomes a bigint,
// any other number becomes a number. (`JSON.parse` of Node 20 cannot do this: it does not pass the source text
// of a number to its reviver function.)

export type ExactJson = null | boolean | number | bigint | string | ExactJson[] | { [key: string]: ExactJson };

const token = /[\s]*([{}[\],:]|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)/y;

export function parseExact(text: string): ExactJson {
  token.lastIndex = 0;
  const next = (): string => {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (match === null) throw new SyntaxError(`bad JSON at ${at}: ${text.slice(at, at + 40)}`);
    return match[1]!;
  };
  const value = (first: string): ExactJson => {
    if (first === "{") {
      const object: { [key: string]: ExactJson } = Object.create(null);
      for (let each = next(); each !== "}"; each = next()) {
        if (each === ",") each = next();
        next();
        object[JSON.parse(each) as string] = value(next());
      }
      return object;
    }
    if (first === "[") {
      const list: ExactJson[] = [];
      for (let each = next(); each !== "]"; each = next()) list.push(value(each === "," ? next() : each));
      return list;
    }
    if (first.startsWith('"')) return JSON.parse(first) as string;
    if (first === "true") return true;
    if (first === "false") return false;
    if (first === "null") return null;
    return /^-?\d+$/.test(first) && first !== "-0" ? BigInt(first) : Number(first);
  };
  return value(next());
}

/** Returns whether two values are deeply equal. 1 and 1.0 count as equal; the tests compare types separately. */
export function equalExact(a: ExactJson | undefined, b: ExactJson | undefined): boolean {
  if (isNumber(a) && isNumber(b)) return a <= b && a >= b;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => equalExact(item, b[at]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && equalExact(a[key], b[key]));
  }
  return a === b;
}

export function showExact(value: ExactJson | undefined): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}` : each)) ?? "(none)";
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is { [key: string]: ExactJson } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
