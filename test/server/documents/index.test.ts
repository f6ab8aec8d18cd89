// docs/README.md lists every page, and all pages in docs/decisions have the same headings.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
const textOf = (file: string) => readFileSync(path.join(docs, file), "utf8");
const listed = [...textOf("README.md").matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \|/gm)].map(([, page]) => page!);

it("docs/README.md lists every page once", () => {
  const pages = readdirSync(docs, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".md") && file !== "README.md");
  expect(listed.filter((page) => !page.startsWith("../")).sort()).toEqual(pages.sort());
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((page) => !existsSync(path.join(docs, page)))).toEqual([]);
});

it.each(readdirSync(path.join(docs, "decisions")))(
  "%s has the sections question, decision, reason, cost and when to look again",
  (file) => {
    const heads = [...textOf(`decisions/${file}`).matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, head]) => head);
    const wanted = ["Question", "Decision", "Why", "What it costs", "When to look again"];
    expect(heads.filter((head) => wanted.includes(head!))).toEqual(wanted);
  },
);
