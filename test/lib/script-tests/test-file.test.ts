// Parses test files that are given as plain values, and explains mistakes in them.

import { describe, expect, it } from "vitest";
import { readTests } from "../../../lib/script-tests/test-file.ts";

describe("a test file", () => {
  it("gets defaults for absent members", () => {
    const set = readTests({ tests: [{ input: "a", expect: {} }] }, "nginx.p");
    expect(set).toEqual({
      script: "nginx.p",
      scripts: {},
      category: "logging",
      now: 1_767_225_600_000_000_000n,
      timeZone: "UTC",
      tests: [
        {
          name: "test 1",
          input: "a",
          expect: { tags: {}, fields: {}, removed: [], dropped: false, created: [] },
        },
      ],
    });
  });

  it.each<[mistake: string, value: unknown]>([
    ["the file must be a mapping, got a list", []],
    ["`tests` must be a list of tests", { tests: [] }],
    ["the file has an unknown member `test`", { test: [] }],
    ["tests[0] has no `expect`", { tests: [{ input: "a" }] }],
    [
      "tests[1].expect.removed must be a list of keys",
      {
        tests: [
          { input: "a", expect: {} },
          { input: "a", expect: { removed: "a" } },
        ],
      },
    ],
    ["tests[0].expect.fields.a must be a single value", { tests: [{ input: "a", expect: { fields: { a: [] } } }] }],
    ["tests[0].expect.tags.a must be a text, got 1", { tests: [{ input: "a", expect: { tags: { a: 1n } } }] }],
    ["now must be a time such as", { now: "soon", tests: [{ input: "a", expect: {} }] }],
    ["unsupported category: the text", { category: "logs", tests: [{ input: "a", expect: {} }] }],
  ])("with a mistake is refused: %s", (mistake, value) => {
    expect(() => readTests(value, "a.p")).toThrow(mistake);
  });

  it("is refused with a message that quotes at most about a kilobyte", () => {
    const value = { now: "x".repeat(100_000), tests: [{ input: "a", expect: {} }] };
    let message = "";
    try {
      readTests(value, "a.p");
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain("now must be a time");
    expect(message.length).toBeLessThan(1500);
  });
});
