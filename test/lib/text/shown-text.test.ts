// Input that appears in messages: the library escapes and shortens it, and adds a note with the length of the
// omitted part.

import { describe, expect, it } from "vitest";
import { quoteBytes, quoteText } from "../../../lib/text/quote.ts";
import { escapeControls, escapeJson, escapeLines, shortenedText, shownText } from "../../../lib/text/shown-text.ts";
import { byteLength } from "../../../lib/text/utf8.ts";

const attacks: readonly (readonly [name: string, text: string, escaped: string])[] = [
  ["colours", "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"],
  ["the bell and a new title", "\x1b]0;title\x07", "\\x1b]0;title\\x07"],
  ["ends of lines", "a\r\nb\nc", "a\\r\\nb\\nc"],
  ["a tab, NUL and DEL", "\t\x00\x7f", "\\t\\x00\\x7f"],
  ["C1", "\x85\x9b31m\x9f", "\\x85\\x9b31m\\x9f"],
  ["separators of lines", "\u2028\u2029", "\\u2028\\u2029"],
  ["marks of order", "\u202eevil\u2066x\u2069\u200f\u061c", "\\u202eevil\\u2066x\\u2069\\u200f\\u061c"],
  ["characters without a width", "a\u200bb\ufeff\u{e0041}", "a\\u200bb\\ufeff\\u{e0041}"],
  ["half a pair", "\ud83d!", "\\ud83d!"],
];

describe("text for display", () => {
  it.each(attacks)("escapes %s", (_name, text, escaped) => {
    expect(escapeControls(text)).toBe(escaped);
    expect(shownText(text)).toBe(escaped);
    expect(escapeControls(escaped)).toBe(escaped);
    expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text);
    expect(escapeControls(escapeJson(JSON.stringify(text)))).toBe(escapeJson(JSON.stringify(text)));
  });

  it.each(["plain", "é中😀", "\u0645\u06cc\u200c\u062e", "👩\u200d💻", "C:\\new \\x1b"])("leaves %j alone", (text) => {
    expect(escapeControls(text)).toBe(text);
    expect(shownText(text)).toBe(text);
  });

  it("keeps newlines and tabs in multi-line text", () => {
    expect(escapeLines("a\tb\n\x1b[2Jc\r\n")).toBe("a\tb\n\\x1b[2Jc\\r\n");
  });
});

describe("long text", () => {
  it.each([
    ["shown", (text: string) => shownText(text), 1024],
    ["shortened", (text: string) => shortenedText(text), 1024],
    ["quoted", (text: string) => quoteText(text), 512],
    ["quoted bytes", (text: string) => quoteBytes(new TextEncoder().encode(text)), 512],
  ] as const)("is %s up to a bound, with how much is left out", (_name, show, most) => {
    for (const [character, units] of [
      ["a", 1],
      ["é", 1],
      ["\x00", 1],
      ["中", 1],
      ["😀", 2],
      ["\u202e", 1],
    ] as const) {
      const text = character.repeat(200_000);
      const found = /^(.*)\.\.\. \((\d+) more (characters|bytes)\)$/s.exec(show(text))!;
      const shown = found[1]!.replace(/^"|"$/g, "");
      expect(byteLength(shown)).toBeLessThanOrEqual(most);
      expect(byteLength(shown)).toBeGreaterThan(most - 8);
      const each = show(character).replace(/^"|"$/g, "");
      const count = shown.length / each.length;
      expect(each.repeat(count)).toBe(shown);
      const size = found[3] === "bytes" ? byteLength(character) : units;
      expect(Number(found[2])).toBe((200_000 - count) * size);
    }
  });

  it("is shown in full when its length equals the limit", () => {
    expect(shownText("a".repeat(1024))).toBe("a".repeat(1024));
    expect(shownText("a".repeat(1025))).toBe(`${"a".repeat(1024)}... (1 more character)`);
    expect(quoteText("é".repeat(256))).toBe(`"${"é".repeat(256)}"`);
    expect(quoteText("é".repeat(257))).toBe(`"${"é".repeat(256)}"... (1 more character)`);
  });

  it("is read only as far as it is shown", () => {
    const bytes = new Uint8Array(1 << 20).fill(0x61);
    let read = 0;
    const counted = new Proxy(bytes, {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) read++;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    quoteBytes(counted);
    expect(read).toBeLessThan(2 * 512);
  });
});
