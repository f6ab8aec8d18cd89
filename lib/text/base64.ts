// Base64 of binary field values, with the standard alphabet and padding. The decoder also accepts line breaks, and
// unused bits that are not zero (docs/reference/points.md#field-values).

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const pad = 0x3d;

const sextets = new Int8Array(128).fill(-1);
for (let i = 0; i < alphabet.length; i++) sextets[alphabet.charCodeAt(i)] = i;

/** Decodes base64. Returns `undefined` when the input is not valid base64. */
export function decodeBase64(source: Uint8Array): Uint8Array | undefined {
  const text = source.filter((byte) => byte !== 0x0a && byte !== 0x0d);
  if (text.length % 4 !== 0) return undefined;
  let end = text.length;
  if (text[end - 1] === pad) end -= text[end - 2] === pad ? 2 : 1;
  const bytes = new Uint8Array((end * 3) >> 2);
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let i = 0; i < end; i++) {
    const sextet = text[i]! < 128 ? sextets[text[i]!]! : -1;
    if (sextet < 0) return undefined;
    bits = ((bits & 0xff) << 6) | sextet;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[length++] = bits >> held;
    }
  }
  return bytes;
}

const digits = new TextEncoder().encode(alphabet);
const decoder = new TextDecoder();

export function encodeBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text[at++] = digits[group >> 18]!;
    text[at++] = digits[(group >> 12) & 63]!;
    text[at++] = left > 1 ? digits[(group >> 6) & 63]! : pad;
    text[at++] = left > 2 ? digits[group & 63]! : pad;
  }
  return decoder.decode(text);
}
