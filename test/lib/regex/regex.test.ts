// The public interface of regular expressions: arguments and results of its calls, with offsets in bytes and in UTF-16
// units. cases.test.ts tests what expressions match.

import { describe, expect, it } from "vitest";
import type { Engine } from "../../../lib/regex/engines/engine.ts";
import { Regex, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { tables } from "../../../lib/regex/regex.ts";
import type { Parsed } from "../../../lib/regex/syntax/tree.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

function mistake(source: string, flags?: string): RegexSyntaxError {
  try {
    Regex.compile(source, flags);
  } catch (error) {
    if (error instanceof RegexSyntaxError) return error;
    throw error;
  }
  throw new Error(`${source} was accepted`);
}

describe("find", () => {
  it("returns spans by group number and by name", () => {
    const match = Regex.compile("(?P<key>\\w+)=(?:(?P<value>\\d+)|(-))").find("x: size=12;");
    expect(match).toEqual({
      start: 3,
      end: 10,
      groups: [[3, 10], [3, 7], [8, 10], null],
      names: { key: [3, 7], value: [8, 10] },
    });
  });

  it("counts UTF-16 units in strings and bytes in bytes", () => {
    const regex = Regex.compile("(é+)(.)");
    expect(regex.find("😀éé😀!")?.groups).toEqual([
      [2, 6],
      [2, 4],
      [4, 6],
    ]);
    expect(regex.find(utf8("😀éé😀!"))?.groups).toEqual([
      [4, 12],
      [4, 8],
      [8, 12],
    ]);
  });

  it("starts at the given offset and still sees the text before it", () => {
    expect(Regex.compile("(b)|(c)").find("abc", 2)).toEqual({
      start: 2,
      end: 3,
      groups: [[2, 3], null, [2, 3]],
      names: {},
    });
    expect(Regex.compile("^c").find("abc", 2)).toBeNull();
    expect(Regex.compile("\\bc").find("abc", 2)).toBeNull();
    expect(Regex.compile("\\Bc").find(utf8("abc"), 2)?.start).toBe(2);
    expect(Regex.compile("").find("abc", 3)?.start).toBe(3);
    expect(Regex.compile("").find("abc", 4)).toBeNull();
    expect(Regex.compile("").find("abc", -1)).toBeNull();
  });

  it("accepts any offset in a long text with characters of all widths", () => {
    const text = "aé日😀".repeat(60);
    const regex = Regex.compile("");
    for (let from = 0; from <= text.length; from++) {
      const inPair = /[\udc00-\udfff]/.test(text[from] ?? "");
      expect(regex.find(text, from)?.start).toBe(inPair ? from + 1 : from);
    }
  });

  it("reads a lone surrogate as U+FFFD", () => {
    expect(Regex.compile("\\x{FFFD}(b)").find("a\ud800b")?.groups).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  it("returns the highest-numbered matching group for a repeated name", () => {
    const regex = Regex.compile("(?:(?P<n>a)|(?P<n>b))+");
    expect(regex.find("a")?.names).toEqual({ n: [0, 1] });
    expect(regex.find("ba")?.names).toEqual({ n: [0, 1] });
    expect(regex.names).toEqual([null, "n", "n"]);
  });

  it("accepts group names that objects inherit, such as constructor", () => {
    const match = Regex.compile("(?P<constructor>a)(?P<__proto__>b)").find("ab");
    expect(Object.entries(match?.names ?? {})).toEqual([
      ["constructor", [0, 1]],
      ["__proto__", [1, 2]],
    ]);
    expect(match?.names.toString).toBeUndefined();
  });
});

describe("test", () => {
  it("reports whether there is a match", () => {
    const regex = Regex.compile("b+$");
    expect([regex.test("abb"), regex.test(utf8("abb")), regex.test("bba"), regex.test("")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("findAll", () => {
  it("leaves out an empty match directly after another match", () => {
    expect(
      Regex.compile("a*")
        .findAll("baac")
        .map(({ start, end }) => [start, end]),
    ).toEqual([
      [0, 0],
      [1, 3],
      [4, 4],
    ]);
  });

  it("advances by whole characters, and by single bytes in invalid UTF-8", () => {
    expect(
      Regex.compile("")
        .findAll("é😀")
        .map(({ start }) => start),
    ).toEqual([0, 1, 3]);
    expect(
      Regex.compile("")
        .findAll(latin1("\xff\xc3\xa9\xe2"))
        .map(({ start }) => start),
    ).toEqual([0, 1, 3, 4]);
  });

  it("reads a long text a bounded number of times", () => {
    let reads = 0;
    const counting = (parsed: Parsed): Engine => {
      const engine = tables(parsed);
      return {
        slots: engine.slots,
        free: () => engine.free(),
        test: (...text) => engine.test(...text),
        exec: (...text) => {
          reads++;
          return engine.exec(...text);
        },
      };
    };
    const text = "1-".repeat(5000);
    expect(Regex.compile("(\\d)", "", { engine: counting }).findAll(text)).toEqual(
      Array.from({ length: 5000 }, (_, i) => {
        const span = [2 * i, 2 * i + 1];
        return { start: 2 * i, end: 2 * i + 1, groups: [span, span], names: {} };
      }),
    );
    expect(reads).toBeLessThan(100);
  });

  it("allows other searches and an early end while its matches are read", () => {
    const regex = Regex.compile("\\d");
    const seen: number[] = [];
    for (const match of regex.matches("1a2b3")) {
      seen.push(match.start, regex.find("zz9")!.start);
      if (seen.length === 4) break;
    }
    expect(seen).toEqual([0, 2, 2, 2]);
  });
});

describe("replace", () => {
  it("returns a string for a string and bytes for bytes", () => {
    const regex = Regex.compile("(?P<k>\\w+)=(\\w+)");
    expect(regex.replace("a=1 b=2", "$2:${k} $$1 $1x")).toBe("1:a $1  2:b $1 ");
    expect(regex.replace(utf8("a=1é"), "${k}→")).toEqual(utf8("a→é"));
    expect(Regex.compile("b").replace(latin1("a\xffb\xfe"), "$0$0")).toEqual(latin1("a\xffbb\xfe"));
  });

  it("inserts the first matching group for a repeated name", () => {
    expect(Regex.compile("(?P<n>a)?(?P<n>b)").replace("ab b", "<$n>")).toBe("<a> <b>");
  });
});

describe("mistakes", () => {
  it.each<[string, string, string, number]>([
    ["ab(cd", "missing closing )", "ab(cd", 2],
    ["(a(b", "missing closing )", "(a(b", 2],
    ["ab)cd", "unexpected )", "ab)cd", 2],
    ["x[a", "missing closing ]", "[a", 1],
    ["a|*", "missing argument to repetition operator", "*", 2],
    ["aa**", "invalid nested repetition operator", "**", 2],
    ["é😀\\h", "invalid escape sequence", "\\h", 3],
    ["a{2,1}", "invalid repeat count", "{2,1}", 1],
    ["a\\", "trailing backslash at end of expression", "", 1],
    ["ab(?P<a b>x)", "invalid named capture", "(?P<a b>", 2],
    ["ab(?<a b>x)", "invalid named capture", "(?<a b>", 2],
    ["a\ud800b", "invalid UTF-8", "\ud800b", 1],
    // Lookbehinds, for which the error messages of Millrace differ from those of the newest Go version.
    ["a(?<=b)", "invalid or unsupported Perl syntax", "(?<", 1],
    ["a(?<!b)", "invalid or unsupported Perl syntax", "(?<", 1],
  ])("%j: reason, fragment and offset", (source, reason, fragment, offset) => {
    const error = mistake(source);
    expect([error.reason, error.fragment, error.offset]).toEqual([reason, fragment, offset]);
    expect(error.message).toBe(`error parsing regexp: ${reason}: \`${fragment}\``);
  });

  it("refuses an expression that would need too much memory, before building it", () => {
    expect(mistake("x{1000}".repeat(3356)).reason).toBe("expression too large");
    expect(mistake("(?:\\pL\\pN){1000}".repeat(1700)).reason).toBe("expression too large");
    expect(Regex.compile("(?:x{10}|\\pL{10}){10}y").test(`${"é".repeat(100)}y`)).toBe(true);
  });

  it("accepts every expression that RE2 accepts, however large its character sets are", () => {
    const regex = Regex.compile("^(?P<a>\\pL{1000})-(?P<b>(?i:\\pL\\pN?){300})$");
    const text = `${"é日".repeat(500)}-${"ß9".repeat(300)}`;
    expect(regex.find(text)?.names).toEqual({ a: [0, 1000], b: [1001, 1601] });
    expect(regex.test(text.slice(1))).toBe(false);
    expect(Regex.compile("\\pL{1000}".repeat(100)).test("é")).toBe(false);
  });

  it("names a flag that does not exist", () => {
    expect(mistake("a", "ix").message).toBe("error parsing regexp: invalid or unsupported Perl syntax: `x`");
  });
});

it("accepts Unicode properties whose names have underscores", () => {
  expect(Regex.compile("\\p{Old_Italic}+").find("a\u{10300}\u{10301}b")?.groups).toEqual([[1, 5]]);
});
