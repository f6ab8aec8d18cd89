// Functions that work on the characters of a string, with characters of one and of two UTF-16 units, in short and in
// long strings.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../../lib/grok/load.ts";
import { compileScripts } from "../../../../../lib/pipeline/compile/scripts.ts";
import { Point } from "../../../../../lib/point/point.ts";
import { Key } from "../../../../../lib/point/view.ts";

const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };

/** Runs a script on a log and returns the log's field `message` afterwards. */
function messageOf(script: string, message: string): unknown {
  const { scripts, errors } = compileScripts({ "a.p": script }, { patterns: builtinPatterns });
  expect([...errors]).toEqual([]);
  const point = new Point("p", 0n);
  point.setField(new Key("message"), message);
  expect(scripts.get("a.p")!.run(point, { category: "logging", host }).error).toBeNull();
  return point.get(new Key("message"));
}

const isHan = /\p{Script=Han}/u;

function covered(text: string, from: number, to: number): string {
  return [...text].map((c, at) => (at + 1 < from || at + 1 > to ? c : isHan.test(c) ? "＊" : "*")).join("");
}

describe.each([
  ["of ASCII", "xxAbc dEfxx"],
  ["with letters beyond ASCII", "xxß日Σé中＊xx"],
  ["of letters of two units", "x𐐀𐐨😀𠀀x😀"],
  ["with halves of such letters", "x\ud83dx\ude00😀\ud83d"],
  ["that is long", `${"x😀".repeat(700)}aß中😀x\ude00`],
  ["that is empty", ""],
])("a text %s", (_name, text) => {
  const characters = [...text];

  it.each([
    [0, 0],
    [0, 3],
    [2, 4],
    [1, 5000],
    [3, 3],
    [4, 2],
    [5000, 5001],
    [-1, 2],
  ])("has a slice from %i to %i", (from, to) => {
    const stop = Math.min(to, characters.length);
    const slice = from < 0 || from > stop ? "" : characters.slice(from, stop).join("");
    expect(messageOf(`add_key(message, slice_string(_, ${from}, ${to}))`, text)).toBe(slice);
  });

  it.each([
    [1, 3],
    [2, 2],
    [3, 5000],
    [-2, -1],
    [-5000, 2],
  ])("is covered from %i to %i", (from, to) => {
    const { length } = characters;
    const place = (at: number) => (at < 0 ? at + length + 1 : Math.min(at, length));
    const [first, last] = [from < 0 ? place(from) : from, place(to)];
    expect(messageOf(`cover(_, [${from}, ${to}])`, text)).toBe(first > last ? text : covered(text, first, last));
  });

  it.each(["x", "x😀", "\ude00", "\ud83dx", "q"])("is trimmed of %j", (set) => {
    const inSet = new Set(set);
    let [start, end] = [0, characters.length];
    while (start < end && inSet.has(characters[start]!)) start++;
    while (end > start && inSet.has(characters[end - 1]!)) end--;
    expect(messageOf(`trim(_, "${set}")`, text)).toBe(characters.slice(start, end).join(""));
  });

  it("is converted to upper and lower case character by character", () => {
    const upper = characters.map((c) => (c === "ß" ? c : c.toUpperCase())).join("");
    expect(messageOf("uppercase(_)", text)).toBe(upper);
    expect(messageOf("lowercase(_)", text)).toBe(characters.map((c) => c.toLowerCase()).join(""));
  });

  it("has every match replaced", () => {
    expect(messageOf(`replace(_, "(x)|[^x]", "<$1>")`, text.toWellFormed())).toBe(
      characters.map((c) => (c === "x" ? "<x>" : "<>")).join(""),
    );
  });
});
