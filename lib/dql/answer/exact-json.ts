// Parses the JSON of answers to queries (docs/reference/query.md#answers), whose integers may have 64 bits.

const longInteger = /^-?[0-9]{16,}$/;

/**
 * Parses a JSON text. A JavaScript number may not be able to store integers with 16 digits or more exactly. So
 * the function calls `integer` with the digits of such an integer and uses the result as the value. Throws
 * SyntaxError when the text is not JSON.
 *
 * @example
 * parseExactJson("[9007199254740993, 1.5]", BigInt); // [9007199254740993n, 1.5]
 */
export function parseExactJson(text: string, integer: (digits: string) => unknown): unknown {
  // Before JSON.parse runs, each long integer is replaced by a string that begins with this mark. The mark is
  // chosen so that no other string of the text contains it.
  let mark = "int ";
  while (text.includes(mark)) mark += "_";
  // The pattern matches a number as a whole, so that the digits after a decimal point are not taken for an integer.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?[0-9]+(?:[.eE][0-9.eE+-]*)?/gs, (token) =>
    longInteger.test(token) ? `"${mark}${token}"` : token,
  );
  if (marked === text) return JSON.parse(text);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? integer(value.slice(mark.length)) : value,
  );
}
