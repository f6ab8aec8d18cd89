// Decodes the values in ClickHouse's JSON answers by their types. Integers of 64 bits and more become bigints; values
// that are not numbers become strings.

import type { Parameter } from "../../../lib/dql/sql/index.ts";

/** Returns the ClickHouse type for a bound parameter. */
export function parameterType(value: Parameter): string {
  if (typeof value === "string") return "String";
  if (typeof value === "boolean") return "Bool";
  if (typeof value === "number") return "Float64";
  if (BigInt.asIntN(64, value) === value) return "Int64";
  return BigInt.asIntN(128, value) === value ? "Int128" : "Int256";
}

export type Decode = (json: unknown) => unknown;

/**
 * Returns the function that decodes values of a ClickHouse type. Throws for a type that no query of the store returns.
 */
export function decoderOf(type: string): Decode {
  const [, name, inner] = /^(\w+)(?:\((.*)\))?$/s.exec(type) ?? [];
  switch (name) {
    case "Nullable": {
      const decode = decoderOf(inner!);
      return (json) => (json === null ? null : decode(json));
    }
    case "LowCardinality":
      return decoderOf(inner!);
    case "Float64":
    case "Float32":
      return (json) => (typeof json === "number" ? json : notFinite(json as string));
    case "Bool":
    case "String":
      return (json) => json;
    case "Map": {
      const [, value] = /^(?:String|LowCardinality\(String\)), (.*)$/s.exec(inner!) ?? [];
      const decode = decoderOf(value ?? "");
      return (json) => new Map(Object.entries(json as object).map(([key, each]) => [key, decode(each)]));
    }
    default:
      if (/^U?Int[0-9]+$/.test(name ?? "")) return (json) => BigInt(json as string | number);
      throw new Error(`ClickHouse answered with the type ${type}`);
  }
}

function notFinite(text: string): number {
  if (text.endsWith("nan")) return Number.NaN;
  return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
