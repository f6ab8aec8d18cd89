// Parses the labels of a Loki stream. A protobuf request contains the labels of a stream as one text.

import { describe, expect, it } from "vitest";
import { longestLabelSet, parseLabelSet } from "../../../../../server/agent/inputs/loki/label-set.ts";

describe("a label set", () => {
  it.each([
    ["{}", []],
    [" { } ", []],
    ['{a="b"}', [["a", "b"]]],
    [
      '{ a = "b" , c_d="e" }',
      [
        ["a", "b"],
        ["c_d", "e"],
      ],
    ],
    ['{a="x, y} z"}', [["a", "x, y} z"]]],
    ['{a="q\\"\\\\\\n\\t\\x41\\u00e9\\U0001F600\\101\\q"}', [["a", 'q"\\\n\tA\u00e9\u{1F600}Aq']]],
    ["{a=`raw \\n`}", [["a", "raw \\n"]]],
    ['{a="b",}', [["a", "b"]]],
    ['{a="\\UFFFFFFFF"}', [["a", "\ufffd"]]],
  ])("%s is read", (text, expected) => {
    expect(parseLabelSet(text)).toEqual(expected);
  });

  it.each(["", "a", "{", "{a}", "{a=b}", '{a="b"', '{a="b" c="d"}', '{"a"="b"}', '{="b"}'])("%s is refused", (text) => {
    expect(() => parseLabelSet(text)).toThrow(/^labels must be written as \{name="value"\}, got /);
  });

  it("is refused when it is too long", () => {
    expect(() => parseLabelSet(`{a="${"x".repeat(longestLabelSet)}"}`)).toThrow("labels of more than 65536 characters");
  });
});
