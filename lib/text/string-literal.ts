// Reads string literals: their escapes, and the errors in escapes (docs/reference/language.md#strings).

import { codePointName, quoted } from "./quoting.ts";

const simple: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

interface Form {
  readonly digits: number;
  readonly base: 8 | 16;
  readonly max: number;
}

const byte: Form = { digits: 2, base: 16, max: 0xff };
const octal: Form = { digits: 3, base: 8, max: 0xff };
const forms: Readonly<Record<string, Form>> = {
  x: byte,
  X: byte,
  u: { digits: 4, base: 16, max: 0x10ffff },
  U: { digits: 8, base: 16, max: 0x10ffff },
};

/**
 * Returns the type of a numeric escape and the index at which its digits start. `at` is the index after the backslash.
 */
function formAt(text: string, at: number): { form: Form; digitsAt: number } | null {
  const kind = text[at]!;
  if (kind >= "0" && kind <= "7") return { form: octal, digitsAt: at };
  const form = forms[kind];
  return form === undefined ? null : { form, digitsAt: at + 1 };
}

/**
 * Returns the error message for the escape whose backslash is at index `at`, in a string with the quote `quote`; null
 * when the escape is valid.
 */
export function escapeError(text: string, at: number, quote: string): string | null {
  const kind = text.codePointAt(at + 1);
  if (kind === undefined) return "escape sequence not terminated";
  const character = String.fromCodePoint(kind);
  if (character === quote || (simple[character] !== undefined && character !== '"' && character !== "'")) return null;
  const numeric = formAt(text, at + 1);
  if (numeric === null) return `unknown escape sequence ${codePointName(character)}`;
  const { form, digitsAt } = numeric;
  let value = 0;
  for (let digit = 0; digit < form.digits; digit++) {
    const code = text.codePointAt(digitsAt + digit);
    if (code === undefined) return "escape sequence not terminated";
    const written = String.fromCodePoint(code);
    const worth = Number.parseInt(written, form.base);
    if (Number.isNaN(worth)) return `illegal character ${codePointName(written)} in escape sequence`;
    value = value * form.base + worth;
  }
  const surrogate = value >= 0xd800 && value <= 0xdfff;
  return value > form.max || surrogate ? "escape sequence is an invalid Unicode code point" : null;
}

/** Returns the value of a string token, or the error message when its quotes or escapes are wrong. */
export function stringValue(token: string): { readonly value: string } | { readonly error: string } {
  const quote = token[0]!;
  if (token.length >= 6 && token.startsWith(quote.repeat(3))) {
    if (token.endsWith(quote.repeat(3))) return { value: token.slice(3, -3) };
    return { error: `error unquoting multiline string ${quoted(token)}: invalid syntax` };
  }
  const body = token.slice(1, -1);
  if (!body.includes("\\")) return { value: body };
  return unescaped(body) ?? { error: `error unquoting string ${quoted(token)}: invalid syntax` };
}

/**
 * Replaces escapes by the characters that they stand for. Adjacent escapes of single bytes are joined and decoded as
 * UTF-8.
 */
function unescaped(body: string): { value: string } | null {
  let value = "";
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length > 0) value += new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
    bytes = [];
  };
  for (let at = 0; at < body.length; at++) {
    if (body[at] !== "\\") {
      flush();
      value += body[at];
      continue;
    }
    const kind = body[++at]!;
    if (kind === "X") return null;
    const numeric = formAt(body, at);
    if (numeric === null) {
      flush();
      value += simple[kind];
      continue;
    }
    const { form, digitsAt } = numeric;
    const code = Number.parseInt(body.slice(digitsAt, digitsAt + form.digits), form.base);
    at = digitsAt + form.digits - 1;
    if (form.max === 0xff) bytes.push(code);
    else {
      flush();
      value += String.fromCodePoint(code);
    }
  }
  flush();
  return { value };
}
