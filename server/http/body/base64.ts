// Decodes standard base64 as strictly as Go's decoder: padding is required, line ends are skipped, and the error
// message contains the offset of the wrong byte.

export class Base64Error extends Error {
  constructor(offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

/**
 * Returns the decoded bytes. Throws Base64Error with the offset of the first wrong byte in the text, counted in bytes.
 */
export function decodeBase64(text: string): Uint8Array {
  const mistake = firstMistake(text);
  if (mistake !== undefined) throw new Base64Error(mistake);
  const decoded = Buffer.from(text, "base64");
  return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
}

/**
 * Returns the offset of the first wrong byte, as Go's decoder reports it; undefined for well-formed base64. All
 * characters before this offset are ASCII, so an index into the text is also an offset in bytes.
 */
function firstMistake(text: string): number | undefined {
  const skipLineEnds = (at: number) => {
    while (text[at] === "\n" || text[at] === "\r") at++;
    return at;
  };
  const end = text.search(/[^A-Za-z0-9+/\r\n]|$/);
  const digitsOver = text.slice(0, end).replace(/[\r\n]/g, "").length % 4;
  if (end === text.length) return digitsOver === 0 ? undefined : end - digitsOver;
  if (text[end] !== "=" || digitsOver < 2) return end;
  let at = skipLineEnds(end + 1);
  if (digitsOver === 2) {
    if (at === text.length) return at;
    if (text[at] !== "=") return at - 1;
    at = skipLineEnds(at + 1);
  }
  return at === text.length ? undefined : at;
}
