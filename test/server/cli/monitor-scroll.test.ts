// Scrolling in `millrace monitor`: which rows the terminal shows after certain keys and sizes.

import { describe, expect, it } from "vitest";
import { afterKey, afterResize, atTop, frameOf } from "../../../server/cli/terminal/monitor-scroll.ts";

const size = { columns: 80, rows: 11 };
const page = { lines: Array.from({ length: 35 }, (_, at) => `line ${at}`), sections: [3, 12, 33] };
const short = { lines: ["a", "b"], sections: [0] };

describe("keys", () => {
  // The page has 35 lines, and ten of them fit on the screen. So line 25 (counted from 0) is the last line that can be
  // at the top of the screen.
  it.each([
    ["", 0],
    ["down", 1],
    ["down down up", 1],
    ["up", 0],
    ["pagedown", 10],
    ["pagedown pagedown pagedown", 25],
    ["pagedown pageup", 0],
    ["pagedown down pageup pageup", 0],
    ["end", 25],
    ["end down", 25],
    ["end up", 24],
    ["end home", 0],
    ["1", 3],
    ["2", 12],
    ["end 2", 12],
    // The third part of the page is so near the end that scrolling cannot bring its title to the first row of the
    // screen. The title is visible further below.
    ["3", 25],
    ["2 4", 12],
    ["2 9", 12],
    ["2 x", 12],
    ["2 ctrl+x", 12],
    ["2 ctrl+up", 12],
    ["2 constructor", 12],
    ["2 0", 12],
  ])("%s: line %i is at the top", (keys, top) => {
    const state = keys
      .split(" ")
      .filter((key) => key !== "")
      .reduce((before, key) => afterKey(before, key, page, size), atTop);
    expect(state).toEqual({ top, hasLeft: false });
  });

  it.each(["q", "ctrl+c"])("%s leaves", (key) => {
    expect(afterKey({ top: 4, hasLeft: false }, key, page, size)).toEqual({ top: 4, hasLeft: true });
  });

  it.each(["down", "pagedown", "end", "1"])("%s moves nothing that is shown whole", (key) => {
    expect(afterKey(atTop, key, short, size).top).toBe(0);
  });
});

it.each([
  [25, { columns: 80, rows: 11 }, 25],
  [25, { columns: 80, rows: 21 }, 15],
  [25, { columns: 80, rows: 50 }, 0],
  [25, { columns: 80, rows: 1 }, 25],
])("after a resize from line %i to a terminal of %o, line %i is at the top", (top, resized, then) => {
  expect(afterResize({ top, hasLeft: false }, page, resized).top).toBe(then);
});

it("a page that became shorter scrolls up so that its whole end is visible", () => {
  expect(afterResize({ top: 25, hasLeft: false }, short, size).top).toBe(0);
});

describe("a frame", () => {
  const texts = (top: number, of = page, rows = size) =>
    frameOf(of, { top, hasLeft: false }, rows).map(({ text }) => text);

  it("has as many rows as the terminal, titles with their keys, and the key help in the last row", () => {
    expect(texts(1)).toEqual([
      ..."line 1,line 2,1 line 3,line 4,line 5,line 6,line 7,line 8,line 9,line 10".split(","),
      "q quit  Up Down PgUp PgDn Home End scroll  1-3 sections  lines 2-11 of 35",
    ]);
    expect(frameOf(page, { top: 3, hasLeft: false }, size)[0]).toEqual({ text: "1 line 3", style: "bold" });
  });

  it("is filled with empty rows", () => {
    expect(texts(0, short)).toEqual([
      "1 a",
      "b",
      ...Array(8).fill(""),
      "q quit  Up Down PgUp PgDn Home End scroll  1 section  lines 1-2 of 2",
    ]);
  });

  it.each([
    [{ columns: 10, rows: 3 }, ["line 0", "line 1", "q quit  U…"]],
    [{ columns: 80, rows: 1 }, ["q quit  Up Down PgUp PgDn Home End scroll  1-3 sections  lines 1-0 of 35"]],
  ])("fits into %o", (small, rows) => {
    expect(texts(0, page, small)).toEqual(rows);
  });
});
