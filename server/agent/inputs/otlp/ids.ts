// Checks the ids of OTLP traces and spans, which are written as hex digits.

/** Returns whether the id has exactly `digits` hex digits and is not zero. */
export function isId(id: string, digits: number): boolean {
  return id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);
}
