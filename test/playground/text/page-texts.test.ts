// Checks every text of the page: the code passes the text to the function `t`, and the Chinese catalogue has a
// translation of the text with the same placeholders.

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Texts } from "../../../playground/src/text/translate.ts";
import { type PageText, pageTexts, textsOf } from "./page-texts.ts";

const files = pageTexts();
const catalogue = new URL("../../../playground/src/text/zh/", import.meta.url);
const parts = new Map<string, Texts>();
for (const file of readdirSync(catalogue).filter((name) => name.endsWith(".ts"))) {
  const { texts } = (await import(new URL(file, catalogue).href)) as { texts: Texts };
  parts.set(file.replace(".ts", ""), texts);
}

/**
 * Files in the folder `worker/` whose texts the page itself translates. Their translations must be in the part `frame`
 * of the catalogue, which the page loads, and not in the part `worker`, which only the workers load.
 */
const usedByPage = new Set(["worker/client.ts", "worker/refer-tables/table-files.ts"]);

/**
 * Returns the parts of the catalogue of translations that are loaded when the code of a source file of the page runs.
 */
function partsOf(file: string): string[] {
  const mode = /^modes\/(\w+)\//.exec(file)?.[1] ?? "";
  const folder = file.split("/").slice(0, 2).join("/");
  if (file.startsWith("worker/") && !usedByPage.has(file)) return ["worker"];
  if (["panes/answers", "panes/charts", "panes/dashboards", "panes/time"].includes(folder)) return ["frame", "data"];
  if (["query", "explore", "dashboards"].includes(mode)) return ["frame", "data", mode];
  return parts.has(mode) ? ["frame", mode] : ["frame"];
}

const shown = ({ place, text }: PageText) => `${place}: ${text}`;

describe("the reader of texts", () => {
  it.each<[code: string, translated: string[], bare: string[]]>([
    ["<p>Hello you</p>", [], ["Hello you"]],
    ['<p title="Run it">{t("Run")}</p>', ["Run"], ["Run it"]],
    ['<p class="a b" aria-label={t("Run")}>3</p>', ["Run"], []],
    ['{t(isOn ? "On" : "Off")}', ["On", "Off"], []],
    ['{t("{n} of {all}", { n: 1, all: t("All") })}', ["{n} of {all}", "All"], []],
    ['{pluralText(2, "point")} {pluralText(1, "test fails", "tests fail")}', ["{n} points", "{n} tests fail"], []],
    [
      '<script>const a = "It is here."; const b = english("Later"); throw new Error("not read by users");</script>',
      ["Later"],
      ["It is here."],
    ],
    ['<script>throw new Error(t("The file is empty."));</script>', ["The file is empty."], []],
    ['<script lang="ts">const tabs = [["a", t("First")]] as const;</script>', ["First"], []],
    ['<script>const a = { title: english("A log"), input: { lines: "a log line" } };</script>', ["A log"], []],
    ['<p style:height="{a}px" {...{ class: `one two-${b}` }}></p>', [], []],
    ["{`${n} of ${all} lines`}", [], ["{} of {} lines"]],
    ["<p><code>npm start</code> <code>{t('a name')}</code> now</p>", ["a name"], ["now"]],
    [
      '<script lang="ts">const names = { a: english("A name"), b: "The other name" } as const;</script>',
      ["A name"],
      ["The other name"],
    ],
    ["<style>.a { color: red; }</style><code>{a}</code>", [], []],
    ['<script lang="ts">const a = { on: english("On") } as const;</script>', ["On"], []],
    ['<p style:width="{a}px" style:height="6ch"></p>{setFont("600 13px monospace")}', [], []],
    ['<script>throw new Error(t("The file is empty."));</script>', ["The file is empty."], []],
  ])("reads %s", (code, translated, bare) => {
    const found = textsOf("a.svelte", code);
    expect(found.translated.map(({ text }) => text)).toEqual(translated);
    expect(found.bare.map(({ text }) => text)).toEqual(bare);
  });
});

describe.each(files.map((each) => [each.file, each] as const))("%s", (file, { bare, translated }) => {
  it("passes all its texts to the translation function t", () => {
    expect(bare.filter(({ text }) => !isName(text)).map(shown)).toEqual([]);
  });

  it("has its texts in Chinese", () => {
    const own = partsOf(file).map((part) => parts.get(part) ?? {});
    const missing = translated.filter(({ text }) => !isName(text) && own.every((texts) => !Object.hasOwn(texts, text)));
    expect(missing.map(shown)).toEqual([]);
  });
});

describe.each([...parts])("the catalogue of %s", (part, texts) => {
  it("holds only texts that are used", () => {
    const used = new Set(
      files
        .filter(({ file }) => partsOf(file).includes(part))
        .flatMap((each) => each.translated.map(({ text }) => text)),
    );
    expect(Object.keys(texts).filter((text) => !used.has(text))).toEqual([]);
  });

  it("has the same placeholders as the English texts", () => {
    const values = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();
    for (const [text, own] of Object.entries(texts)) expect(values(own), text).toEqual(values(text));
  });

  it("contains no text that the catalogue of the frame has", () => {
    if (part !== "frame")
      for (const text of Object.keys(texts)) expect(parts.get("frame"), text).not.toHaveProperty([text]);
  });
});

it("parts that are loaded together translate an English text in the same way", () => {
  // The page puts the translations of all modes that it has opened into one catalogue. So two modes must not translate
  // a text differently. The workers have a catalogue of their own (the part `worker`).
  const found = new Map<string, string>();
  for (const [part, texts] of parts) {
    if (part === "worker") continue;
    for (const [text, own] of Object.entries(texts)) {
      expect(found.get(text) ?? own, `${part}: ${text}`).toBe(own);
      found.set(text, own);
    }
  }
});

/** Returns true for names and symbols, which are the same in every language. */
function isName(text: string): boolean {
  return names.has(text) || !/[A-Za-z]{2}/.test(text.replace(/\{\w*\}/g, ""));
}

const names = new Set<string>([
  ...["Alt", "Ctrl", "End", "Enter", "Esc", "Escape", "Home", "Shift", "Space", "Tab", " (Alt+Shift+"],
  ...["Base64", "CSV", "English", "Grok", "Gzip", "Language · 语言", "Millrace", "PNG", "Protobuf", "X-Global-Tags:"],
  ...["host, env, service", "millrace pipeline test", "millrace start", "nil"],
  // Titles of examples, which are not translated: when an example is opened, its title becomes the name of a project.
  ...["Apache error log", "Java stack traces", "Key events", "Kubernetes JSON", "Metrics", "MySQL slow log"],
  ...["Nginx access log", "Redis log", "Syslog", "Tracing spans"],
  // Units of measurement, and values that are data, which are the same in every language.
  ...["UTC,", "ns", "{} bytes {}", "{} ms", "{} ns"],
  // Texts in the documentation of the query language, which is not translated.
  ...[", not for M", ", only for M", ", {} only", "points of {}{}", "{} function{}"],
  // Texts that only code reads: names of CSS classes, keys of list elements, and parts of queries.
  ...[" at byte {}", " heat heat-{}", "3px solid transparent", "BY {}", "BY {} SORDER BY n DESC SLIMIT {}", "LIMIT {}"],
  ...["breakpoint idle", "capture colour-{}{}", "count {}{}{}", "key {}", "keys {} {}", "made {}"],
  ...["millrace-page {} ", "point {}", "refused {}", "sources {}", "tag {}"],
]);
