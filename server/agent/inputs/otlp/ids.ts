// Ids of traces and spans, as hex digits.

/** Of that many digits, and not all of them 0. */
export function isId(id: string, digits: number): boolean {
  return id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);
}
