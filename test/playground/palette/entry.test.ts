// Which entries of the command palette a search text finds, and in which order.

import { describe, expect, it } from "vitest";
import { type Entry, type EntryKind, matching } from "../../../playground/src/palette/entry.ts";

const entry = (title: string, { about = "", words = "", kind = "action" as EntryKind } = {}): Entry => ({
  ...{ kind, title, about, words, keys: "" },
  run: () => {},
});

const entries = [
  entry("Reformat all", { about: "Script" }),
  entry("Format", { about: "Script" }),
  entry("Go to: Category", { about: "Input", kind: "setting" }),
  entry("format_int", { about: "Writes an integer in a base", kind: "function" }),
  entry("datetime", { about: "Writes a time by a format", kind: "function" }),
  entry("IPORHOST", { about: "(?:%{IP}|%{HOSTNAME})", kind: "pattern" }),
  entry("HOSTPORT", { about: "%{IPORHOST}:%{POSINT}", kind: "pattern" }),
  entry("转到：Grok", { words: "Grok", kind: "mode" }),
];

describe("a search text", () => {
  it.each([
    [
      "the name first, then names that begin so, then others",
      "format",
      ["Format", "format_int", "Reformat all", "datetime"],
    ],
    ["each word may be anywhere", "script FORMAT", ["Reformat all", "Format"]],
    ["the beginning of a word of the name", "cat", ["Go to: Category"]],
    ["a part of a name after an underscore", "int", ["format_int", "HOSTPORT"]],
    ["a pattern before those that refer to it", "iporhost", ["IPORHOST", "HOSTPORT"]],
    ["texts that are not shown", "grok", ["转到：Grok"]],
    ["spaces around it count nothing", "  datetime ", ["datetime"]],
    ["characters of expressions are plain text", "%{ip}", ["IPORHOST"]],
    ["nothing has all words", "format nothing", []],
  ])("finds: %s", (_, text, titles) => {
    expect(matching(entries, text).map(({ title }) => title)).toEqual(titles);
  });

  it("that is empty finds what a user may want without a name: no settings, functions and patterns", () => {
    expect(matching(entries, " ").map(({ kind }) => kind)).toEqual(["action", "action", "mode"]);
  });
});
