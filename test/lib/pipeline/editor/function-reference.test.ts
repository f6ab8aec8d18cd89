// The function reference in the repository equals the one that `npm run docs` generates from the declarations.

import { expect, it } from "vitest";
import written from "../../../../docs/reference/functions.md?raw";
import { functionDocs } from "../../../../lib/pipeline/editor/function-docs.ts";
import { functionReference, functionText } from "../../../../lib/pipeline/editor/function-reference.ts";

it("docs/reference/functions.md is not stale (npm run docs)", () => {
  expect(written).toBe(functionReference(functionDocs()));
});

it("names every function with its parameters and examples", () => {
  const kvSplit = functionDocs().find(({ name }) => name === "kv_split")!;
  const text = functionText(kvSplit);
  for (const { name, summary } of kvSplit.params) {
    expect(text).toMatch(new RegExp(`^  ${name} +.*: `, "m"));
    expect(text).toContain(summary);
  }
  expect(text).toContain(`    ${kvSplit.examples[0]!.script.split("\n")[0]}`);
  for (const { name } of functionDocs()) expect(written).toContain(`\n## ${name}\n`);
});
