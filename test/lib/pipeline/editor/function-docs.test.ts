import { describe, expect, it } from "vitest";
import { functionDocs } from "../../../../lib/index.ts";

describe("the documentation of functions", () => {
  it("is data that can be posted, in alphabetical order, with a summary each", () => {
    const docs = functionDocs();
    expect(structuredClone(docs)).toEqual(docs);
    const names = docs.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("grok");
    expect(names).toContain("use");
    expect(docs.filter(({ summary }) => summary === "")).toEqual([]);
  });
});
