import { describe, expect, it } from "vitest";
import { functionDocs } from "../../../../lib/index.ts";

describe("the documentation of functions", () => {
  it("can be sent as a message, is in alphabetical order, and has a summary for each function", () => {
    const docs = functionDocs();
    expect(structuredClone(docs)).toEqual(docs);
    const names = docs.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain("grok");
    expect(names).toContain("use");
    expect(docs.filter(({ summary }) => summary === "")).toEqual([]);
  });
});
