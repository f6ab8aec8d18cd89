// The cache of objects serialized as JSON: each version of an object is serialized once, and the cache drops the text
// that was unused for longest.

import { expect, it } from "vitest";
import { createWrittenObjects } from "../../../../../server/platform/open-api/protocol/written-objects.ts";

function stored(id: number, version = 1) {
  return {
    id,
    version,
    uuid: `u${id}`,
    status: 0,
    createAt: 0,
    updateAt: 0,
    changedUs: 0,
    document: { n: "x".repeat(92) },
  };
}

function counting(most?: number) {
  const written = createWrittenObjects(most);
  let made = 0;
  const text = (form: string, ...given: [number, number?]) =>
    written.text(form, stored(...given), ({ document, version }) => {
      made++;
      return { ...document, version };
    }).text;
  return { text, made: () => made };
}

it("makes a text once for each version and each form", () => {
  const { text, made } = counting();
  expect(text("get", 1)).toBe(text("get", 1));
  expect(made()).toBe(1);
  expect(JSON.parse(text("get", 1, 2)).version).toBe(2);
  text("list", 1, 2);
  text("get", 2);
  expect(made()).toBe(4);
});

it("keeps the most recently read texts within its size limit", () => {
  // Each text has 112 characters, so the cache of 340 characters has room for three texts.
  const { text, made } = counting(340);
  for (const id of [1, 2, 3, 1, 4]) text("get", id);
  expect(made()).toBe(4);
  for (const id of [1, 3, 4]) text("get", id);
  expect(made()).toBe(4);
  text("get", 2);
  expect(made()).toBe(5);
});

it("does not keep a text that is larger than its size limit", () => {
  const { text, made } = counting(50);
  text("get", 1);
  text("get", 1);
  expect(made()).toBe(2);
});
