// Standard base64, as strict as Go's decoder: padding is needed, line ends are skipped, the message names the byte.

const alphabet = /^[A-Za-z0-9+/]$/;
const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export class Base64Error extends Error {
  constructor(offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

/** Throws Base64Error with the offset, in bytes of the text, of the first byte that is wrong. */
export function decodeBase64(text: string): Uint8Array {
  const bare = text.replace(/[\r\n]/g, "");
  if (!wellFormedText(bare)) throw new Base64Error(firstMistake(Buffer.from(text).toString("latin1")));
  const decoded = Buffer.from(bare, "base64");
  return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
}

/** In pieces: a regular expression over 40 MB of groups would exhaust the engine's stack. */
function wellFormedText(text: string): boolean {
  const piece = 4096;
  for (let at = 0; at < text.length; at += piece) {
    const part = text.slice(at, at + piece);
    if (!wellFormed.test(part) || (at + piece < text.length && part.endsWith("="))) return false;
  }
  return true;
}

/** The offset that Go's decoder reports; called only for texts that are wrong. */
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
