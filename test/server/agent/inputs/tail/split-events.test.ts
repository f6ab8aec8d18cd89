import { describe, expect, it } from "vitest";
import { encodingOf } from "../../../../../server/agent/inputs/tail/encoding.ts";
import { type Place, splitEvents } from "../../../../../server/agent/inputs/tail/split-events.ts";

interface Options {
  readonly encoding?: string;
  readonly mostBytes?: number;
  readonly begins?: RegExp;
  /**
   * Says which events at the end of the file count as complete: none (`no`), only events that end with a line feed
   * (`lines`), or `all`.
   */
  readonly last?: "no" | "lines" | "all";
  readonly from?: Place;
  /** Expected number of events that are cut because they are too long. */
  readonly cuts?: number;
}

interface Result {
  readonly events: readonly string[];
  readonly place: Place;
  readonly cut: number;
}

const start: Place = { offset: 0, dropping: "" };

/**
 * Reads a file that grows by `step` bytes at a time. A window (the bytes of the file that are read at once) is a few
 * bytes larger than the longest event.
 */
function readInSteps(file: Buffer, step: number, options: Options = {}): Result {
  const { encoding = "utf-8", mostBytes = 1000, begins, last = "no", from = start } = options;
  const form = encodingOf(encoding);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const events: string[] = [];
  let cut = 0;
  let place = from;
  for (let size = Math.min(step, file.length); ; size = Math.min(size + step, file.length)) {
    for (let before = -1; before !== place.offset; ) {
      before = place.offset;
      const window = file.subarray(place.offset, Math.min(size, place.offset + mostBytes + 8));
      place = splitEvents(window, place, {
        encoding: form,
        mostBytes,
        beginsEvent: begins === undefined ? undefined : (line) => begins.test(decoder.decode(line)),
        isComplete: size === file.length && place.offset + window.length === size ? last : "no",
        take: (from, to, isCut) => {
          events.push(decoder.decode(form.utf8(window.subarray(from, to))));
          if (isCut) cut++;
          return true;
        },
      });
    }
    if (size === file.length) return { events, place, cut };
  }
}

const stack = "1 a\n at x\n at y\n2 b\n3 c\n at z\n";

const cases: readonly (readonly [
  name: string,
  file: Buffer,
  options: Options,
  events: readonly string[],
  end?: Place,
])[] = [
  ["lines", Buffer.from("a\nbc\n"), {}, ["a", "bc"]],
  ["CRLF, and a CR inside of a line", Buffer.from("a\r\nb\rc\r\n"), {}, ["a", "b\rc"]],
  ["no empty lines", Buffer.from("\n\r\na\n\n"), {}, ["a"]],
  ["a line that has not ended, left for later", Buffer.from("a\nb"), {}, ["a"], { offset: 2, dropping: "" }],
  ["a line that has not ended, of a file that nobody writes", Buffer.from("a\nb"), { last: "all" }, ["a", "b"]],
  ["characters of several bytes", Buffer.from("äöü\n中文🎉\n"), {}, ["äöü", "中文🎉"]],
  ["a byte order mark", Buffer.from("\ufeffa\n\ufeffb\n"), {}, ["a", "\ufeffb"]],
  ["NULs before a line, of a file that was emptied", Buffer.from("\0\0\0\0a\nb\0c\n"), {}, ["a", "b\0c"]],
  ["nothing but NULs", Buffer.alloc(5000), {}, []],
  ["a line that is too long, cut", Buffer.from("aaaaaaaaaaaa\nb\n"), { mostBytes: 4, cuts: 1 }, ["aaaa", "b"]],
  ["a very long line, cut", Buffer.from(`${"a".repeat(500)}\nb\n`), { mostBytes: 4, cuts: 1 }, ["aaaa", "b"]],
  ["a line of the longest length", Buffer.from("aaaa\r\nb\n"), { mostBytes: 4 }, ["aaaa", "b"]],
  ["a cut between characters", Buffer.from("aä中🎉🎉🎉\nb\n"), { mostBytes: 9, cuts: 1 }, ["aä中", "b"]],
  [
    "the rest of a line that was cut before",
    Buffer.from("rest\nb\n"),
    { from: { offset: 0, dropping: "line" } },
    ["b"],
  ],
  [
    "UTF-16, little end first",
    Buffer.from("\ufeffa中\r\nĊ\nb\n", "utf16le"),
    { encoding: "utf-16le" },
    ["a中", "Ċ", "b"],
  ],
  [
    "UTF-16, big end first",
    Buffer.from("\ufeffa中\r\nĊ\nb\n", "utf16le").swap16(),
    { encoding: "utf-16be" },
    ["a中", "Ċ", "b"],
  ],
  [
    "UTF-16, cut between characters",
    Buffer.from("ab🎉🎉\nb\n", "utf16le"),
    { encoding: "utf-16le", mostBytes: 7, cuts: 1 },
    ["ab", "b"],
  ],
  ["GBK", Buffer.from("\xd6\xd0\xce\xc4\r\nb\n", "latin1"), { encoding: "gbk" }, ["中文", "b"]],
  [
    "GBK, cut between characters",
    Buffer.from("a\xd6\xd0\xce\xc4\xd6\xd0\nb\n", "latin1"),
    { encoding: "gbk", mostBytes: 4, cuts: 1 },
    ["a中", "b"],
  ],
  [
    "events of several lines; the last may go on",
    Buffer.from(stack),
    { begins: /^\d/ },
    ["1 a\n at x\n at y", "2 b"],
    { offset: 20, dropping: "" },
  ],
  [
    "events that do not grow any more",
    Buffer.from(stack),
    { begins: /^\d/, last: "lines" },
    ["1 a\n at x\n at y", "2 b", "3 c\n at z"],
  ],
  [
    "whole lines of an event that does not grow any more",
    Buffer.from("1 a\n b\n c"),
    { begins: /^\d/, last: "lines" },
    ["1 a\n b"],
    { offset: 7, dropping: "" },
  ],
  [
    "all of an event that nobody writes any more",
    Buffer.from("1 a\n b\n c"),
    { begins: /^\d/, last: "all" },
    ["1 a\n b\n c"],
  ],
  ["lines before the first event", Buffer.from("x\ny\n1 a\n2 b\n"), { begins: /^\d/ }, ["x\ny", "1 a"]],
  [
    "an empty line inside of an event, and CRLF",
    Buffer.from("1 a\r\n\r\n b\r\n2\r\n"),
    { begins: /^\d/ },
    ["1 a\r\n\r\n b"],
  ],
  [
    "an event that is too long, cut and dropped up to the next",
    Buffer.from("1 aaaa\n b\n c\n2 b\n3 c\n"),
    { begins: /^\d/, mostBytes: 8, cuts: 1 },
    ["1 aaaa\n ", "2 b"],
  ],
  [
    "an event with a very long line",
    Buffer.from(`1 a\n ${"b".repeat(300)}\n c\n2 b\n3 c\n`),
    { begins: /^\d/, mostBytes: 8, cuts: 1 },
    ["1 a\n bbb", "2 b"],
  ],
];

describe("splitting a file into events", () => {
  it.each(cases.map(([name, file, options, events, end]) => ({ name, file, options, events, end })))(
    "finds $name",
    ({ file, options, events, end }) => {
      const steps = options.last === "lines" ? [file.length] : Array.from({ length: file.length }, (_, at) => at + 1);
      for (const step of steps.slice(0, 40)) {
        const result = readInSteps(file, step, options);
        expect([step, result.events]).toEqual([step, events]);
        if (end !== undefined) expect([step, result.place]).toEqual([step, end]);
        expect([step, result.cut]).toEqual([step, options.cuts ?? 0]);
      }
    },
  );

  it("returns the same events when it resumes after any event", () => {
    const file = Buffer.from(`${stack}4 ${"d".repeat(100)}\n${stack}`);
    const options: Options = { begins: /^\d/, mostBytes: 20, last: "all" };
    const whole = readInSteps(file, file.length, options).events;
    const places: Place[] = [];
    let place = start;
    while (place.offset < file.length) {
      place = splitEvents(file.subarray(place.offset, place.offset + 28), place, {
        encoding: encodingOf("utf-8"),
        mostBytes: 20,
        beginsEvent: (line) => /^\d/.test(Buffer.from(line).toString()),
        isComplete: place.offset + 28 >= file.length ? "all" : "no",
        take: () => false,
      });
      places.push(place);
    }
    expect(places.length).toBeGreaterThan(whole.length - 1);
    for (const from of places) {
      const { events } = readInSteps(file, file.length, { ...options, from });
      expect(events).toEqual(whole.slice(whole.length - events.length));
    }
  });
});
