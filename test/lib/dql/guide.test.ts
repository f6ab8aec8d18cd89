// The user's guide in the repository equals the one that `npm run docs` generates from the declarations and the
// examples.

import { expect, it } from "vitest";
import written from "../../../docs/reference/query.md?raw";
import { functionExamples } from "../../../lib/dql/editor/function-examples.ts";
import { exampleAnswer, filledGuide } from "../../../lib/dql/editor/guide.ts";
import { functions } from "../../../lib/dql/index.ts";

it("docs/reference/query.md is not stale (npm run docs)", async () => {
  expect(await filledGuide(written)).toBe(written);
});

/** Functions for which the guide has no example: they need labels of objects, and the example data has no labels. */
const without = ["with_labels"];

it.each(functions.map(({ name }) => name).filter((name) => !without.includes(name)))(
  "%s has an example with an answer",
  async (name) => {
    const example = functionExamples[name]!;
    expect(example.toLowerCase()).toContain(`${name}(`);
    const [series] = await exampleAnswer(example);
    expect(series!.values.length).toBeGreaterThan(0);
    expect(series!.values.some((row) => row.slice(1).some((value) => value !== null))).toBe(true);
  },
);

it("filling the guide replaces a wrong result with the correct one", async () => {
  const place = written.indexOf("web-1", written.indexOf("```text"));
  const wrong = `${written.slice(0, place)}web-9${written.slice(place + 5)}`;
  expect(wrong).not.toBe(written);
  expect(await filledGuide(wrong)).toBe(written);
});
