// Cutting a grok expression into elements: references, literals, classes, groups, anchors and spaces.

import { describe, expect, it } from "vitest";
import { elementsOf } from "../../../../lib/grok/mismatch/elements.ts";

const table: readonly (readonly [expression: string, elements: readonly string[]])[] = [
  [
    "^%{IP:a} +x\\.y$",
    ["anchor ^", "reference %{IP:a}", "space  +", "literal x", "literal \\.", "literal y", "anchor $"],
  ],
  ["(?:%{INT:n}|-)?[^\\]]*a", ["group (?:%{INT:n}|-)?", "class [^\\]]*", "literal a"]],
  ["\\s+\\d{1,3}\\t", ["space \\s+", "class \\d{1,3}", "space \\t"]],
  ["\\d\\w\\b", ["class \\d", "class \\w", "anchor \\b"]],
  ["a|b", ["group a|b"]],
  ["([|)]|\\|)é", ["group ([|)]|\\|)", "literal é"]],
  ["\\Qa|b\\E\\x41", ["literal \\Qa|b\\E", "class \\x41"]],
  ["ab+c", ["literal a", "class b+", "literal c"]],
  ["%{}x", ["literal %", "literal {", "literal }", "literal x"]],
  ["%{[a][b]}", ["literal %", "literal {", "class [a]", "class [b]", "literal }"]],
];

describe("elementsOf", () => {
  it.each(table)("%s", (expression, elements) => {
    const found = elementsOf(expression);
    expect(found.map(({ kind, source }) => `${kind} ${source}`)).toEqual(elements);
    expect(found.map(({ source }) => source).join("")).toBe(expression);
    for (const { source, start } of found) expect(expression.slice(start, start + source.length)).toBe(source);
  });
});
