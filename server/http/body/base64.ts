// Decodes standard base64 as strictly as Go's decoder: padding is required, line ends are skipped, and the error
// message contains the offset of the wrong byte.

const alphabet = /^[A-Za-z0-9+/]$/;
const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export class Base64Error extends Error {
  constructor(offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

/**
 * Returns the decoded bytes. Throws Base64Error with the offset of the first wrong byte in the text, counted in bytes.
 */
export function decodeBase64(text: string): Uint8Array {
  const bare = text.replace(/[\r\n]/g, "");
  if (!wellFormedText(bare)) throw new Base64Error(firstMistake(Buffer.from(text).toString("latin1")));
  const decoded = Buffer.from(bare, "base64");
  return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
}

/**
 * Returns whether the text (without line ends) is well-formed base64. Tests 4 KiB at a time, because matching a
 * text of 40 MB at once would exhaust the stack of the regular-expression engine.
 */
function wellFormedText(text: string): boolean {
  const piece = 4096;
  for (let at = 0; at < text.length; at += piece) {
    const part = text.slice(at, at + piece);
    if (!wellFormed.test(part) || (at + piece < text.length && part.endsWith("="))) return false;
  }
  return true;
}

/** Returns the offset of the first wrong byte, as Go's decoder reports it. The text must be malformed base64. */
function firstMistake(text: string): number {
  const skipLineEnds = (at: number) => {
    while (text[at] === "\n" || text[at] === "\r") at++;
    return at;
  };
  let at = 0;
  for (;;) {
    for (let j = 0; j < 4; ) {
      if (at === text.length) return at - j;
      const char = text[at++];
      if (alphabet.test(char)) j++;
      else if (char !== "\n" && char !== "\r") {
        if (char !== "=" || j < 2) return at - 1;
        if (j === 2) {
          at = skipLineEnds(at);
          if (at === text.length) return text.length;
          if (text[at] !== "=") return at - 1;
          at++;
        }
        return skipLineEnds(at);
      }
    }
  }
}
