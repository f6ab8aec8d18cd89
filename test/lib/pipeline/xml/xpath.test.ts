// XPath over XML text: the result of a path, refused paths, and the bounded cost of hostile documents.

import { describe, expect, it } from "vitest";
import { compileXPath, XPathMistake } from "../../../../lib/pipeline/xml/xpath.ts";
import table from "./xpath.jsonl?raw";

const cases = table
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { xpath: string; xml: string; text: string | null });

const plenty = 1_000_000;

function find(xpath: string, xml: string): string | null {
  return compileXPath(xpath)(xml, plenty).text;
}

describe("XPath", () => {
  it.each(cases)("$xpath of $xml", ({ xpath, xml, text }) => {
    expect(find(xpath, xml)).toBe(text);
  });

  it.each([
    "//book[",
    "",
    "//a[$v]",
    "id('x')",
    "lang('en')",
    "//namespace::*",
    "nothing(1)",
    "//processing-instruction()",
  ])("refuses %j", (expression) => {
    expect(() => compileXPath(expression)).toThrow(XPathMistake);
  });
});

describe("hostile documents", () => {
  it("give no result when they are nested too deep", () => {
    const nested = (depth: number) => `${"<a>".repeat(depth)}x${"</a>".repeat(depth)}`;
    expect(find("/a", nested(256))).toBe("x");
    expect(find("/a", nested(257))).toBeNull();
    expect(find("/a", nested(1_000_000))).toBeNull();
  });

  it("give no result when they define entities", () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><a>&b;</a>`;
    expect(find("/a", bomb)).toBeNull();
  });

  it("stop an expression that visits their nodes too often", () => {
    const wide = `<r>${"<a/>".repeat(2000)}</r>`;
    const { text, walks } = compileXPath("//a[count(//a) = 1]")(wide, 100_000);
    expect(text).toBeNull();
    expect(walks).toBe(100_001);
  });

  it("are visited only a few times when they are long", () => {
    const long = `<r>${"<a><b>1</b></a>".repeat(20_000)}</r>`;
    const { text, walks } = compileXPath("count(//a/b)")(long, plenty);
    expect(text).toBe("20000");
    expect(walks).toBeLessThan(400_000);
  });
});
