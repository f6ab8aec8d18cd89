// Quoting of input in error messages. The tests follow the rules of docs/reference/points.md#errors.

import { describe, expect, it } from "vitest";
import { quoteBytes, quoteText } from "../../../lib/text/quote.ts";

describe("quoted text", () => {
  it.each([
    ["plain 'x' `y`", `"plain 'x' \`y\`"`],
    ['"\\', String.raw`"\"\\"`],
    ["\x07\b\f\n\r\t\v", String.raw`"\a\b\f\n\r\t\v"`],
    ["\x00\x01\x1b\x7f", String.raw`"\x00\x01\x1b\x7f"`],
    ["é中😀€½", '"é中😀€½"'],
    ["\u00a0\u200b\ufeff\u3000\u2028", String.raw`"\u00a0\u200b\ufeff\u3000\u2028"`],
    ["\u{e0001}\u{10ffff}", String.raw`"\U000e0001\U0010ffff"`],
    ["a\ufffdb", '"a\ufffdb"'],
    ["", '""'],
  ])("%j", (text, quoted) => {
    expect(quoteText(text)).toBe(quoted);
  });

  it.each([
    [[0xff, 0xfe], String.raw`"\xff\xfe"`],
    [[0x61, 0xf0, 0x9f], String.raw`"a\xf0\x9f"`],
    [[0xc0, 0xaf], String.raw`"\xc0\xaf"`],
    [[0xe0, 0x80, 0x80], String.raw`"\xe0\x80\x80"`],
    [[0xed, 0xa0, 0x80], String.raw`"\xed\xa0\x80"`],
    [[0xf4, 0x90, 0x80, 0x80], String.raw`"\xf4\x90\x80\x80"`],
    [[0xf5, 0x80, 0x80, 0x80], String.raw`"\xf5\x80\x80\x80"`],
    [[0xc3, 0xa9, 0x80], String.raw`"é\x80"`],
    [[0xe4, 0xb8, 0x22], String.raw`"\xe4\xb8\""`],
  ])("bytes %j", (bytes, quoted) => {
    expect(quoteBytes(new Uint8Array(bytes))).toBe(quoted);
  });
});
