/// <reference types="vite/client" />
// The points document numbers its worked examples E1 to E403 and P1 to P9: each stands in a table of this folder.

import { expect, it } from "vitest";

const sources = import.meta.glob<string>(["./*.jsonl", "./*.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

it("every worked example is in a table", () => {
  const found = new Set(Object.values(sources).flatMap((text) => text.match(/\b[EP]\d+\b/g) ?? []));
  const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
  expect([...numbered("E", 403), ...numbered("P", 9)].filter((id) => !found.has(id))).toEqual([]);
});
