import { expect, it } from "vitest";
import { type Stream, streamNames } from "../../../../../../server/agent/inputs/tail/container/parse-record.ts";
import { splitRecords } from "../../../../../../server/agent/inputs/tail/container/split-records.ts";
import type { Place } from "../../../../../../server/agent/inputs/tail/split-events.ts";

interface Options {
  readonly mostBytes?: number;
  readonly begins?: RegExp;
  readonly isComplete?: "no" | "lines" | "all";
  readonly from?: Place;
  /** Number of bytes of the file that are read at once. */
  readonly window?: number;
  /** Number of events after which the test tells the reader to stop. */
  readonly most?: number;
}

interface Result {
  /** The events, each as `stream:message`. A `!` at the end marks an event whose message was cut. */
  readonly events: string[];
  readonly place: Place;
}

const start: Place = { offset: 0, dropping: "" };

function split(text: string, options: Options = {}): Result {
  const { mostBytes = 1000, begins, isComplete = "no", from = start, window = text.length, most = 1e9 } = options;
  const bytes = Buffer.from(text, "latin1").subarray(from.offset, from.offset + window);
  const isFull = bytes.length === window && from.offset + window < text.length;
  const events: string[] = [];
  const place = splitRecords(bytes, from, {
    format: "auto",
    mostBytes,
    beginsEvent: begins === undefined ? undefined : (line) => begins.test(Buffer.from(line).toString("latin1")),
    isComplete: isFull ? "no" : isComplete,
    isFull,
    take: (message, stream, _time, isCut) => {
      events.push(`${streamNames[stream]}:${Buffer.from(message).toString("latin1")}${isCut ? "!" : ""}`);
      return events.length < most;
    },
  });
  return { events, place };
}

const at = "2024-01-02T03:04:05Z";
const cri = (stream: string, tag: string, text: string) => `${at} ${stream} ${tag} ${text}\n`;
const out = (tag: string, text: string) => cri("stdout", tag, text);
const err = (tag: string, text: string) => cri("stderr", tag, text);
const docker = (stream: string, log: string) => `{"log":${JSON.stringify(log)},"stream":"${stream}","time":"${at}"}\n`;

it("joins partial records of each stream", () => {
  const text = [out("P", "a1 "), err("P", "b1 "), out("P", "a2 "), err("F", "b2"), out("F", "a3"), "text\n"].join("");
  expect(split(text)).toEqual({
    events: ["stderr:b1 b2", "stdout:a1 a2 a3", ":text"],
    place: { offset: text.length, dropping: "" },
  });
  const both = docker("stdout", "a ") + docker("stderr", "b\n") + docker("stdout", "c\n");
  expect(split(both).events).toEqual(["stderr:b", "stdout:a c"]);
});

it("keeps a position for each stream while a line is incomplete", () => {
  const [first, second] = [out("P", "a1 "), err("F", "b")];
  const { events, place } = split(first + second);
  expect(events).toEqual(["stderr:b"]);
  expect(place).toEqual({
    offset: 0,
    dropping: "",
    streams: [{ stream: 2, offset: first.length + second.length, dropping: "" }],
  });
  const text = first + second + out("F", "a2") + err("F", "c");
  expect(split(text, { from: place })).toEqual({
    events: ["stdout:a1 a2", "stderr:c"],
    place: { offset: text.length, dropping: "" },
  });
});

it("returns the last events only when the caller says that the input is complete", () => {
  const text = out("F", "1 a") + out("F", "b") + out("P", "c") + err("P", "d");
  const begins = /^\d/;
  expect(split(text, { begins }).events).toEqual([]);
  expect(split(text, { begins, isComplete: "lines" }).events).toEqual(["stdout:1 a\nb"]);
  expect(split(text, { begins, isComplete: "all" }).events).toEqual(["stdout:1 a\nb\nc", "stderr:d"]);
  expect(split(`${text}no end`, { isComplete: "all" }).events).toContain(":no end");
  expect(split(`${text}no end`).events).toEqual(["stdout:1 a", "stdout:b"]);
});

it.each<readonly [name: string, options: Options, text: string, expected: string[]]>([
  [
    "cuts a line of many parts, and drops its rest",
    { mostBytes: 10 },
    [out("P", "12345678"), out("P", "abcdef"), err("F", "x"), out("P", "gh"), out("F", "ij"), out("F", "next")].join(
      "",
    ),
    ["stdout:12345678ab!", "stderr:x", "stdout:next"],
  ],
  [
    "cuts a long record",
    { mostBytes: 10 },
    out("F", "1234567890abc") + out("F", "next"),
    ["stdout:1234567890!", "stdout:next"],
  ],
  [
    "cuts an event of many lines, and drops its rest",
    { mostBytes: 10, begins: /^\d/ },
    [out("F", "1 abc"), out("F", "defgh"), out("F", "ijk"), err("F", "2"), out("F", "3 x")].join(""),
    ["stdout:1 abc\ndefg!", "stderr:2", "stdout:3 x"],
  ],
  [
    "cuts an event that fills the window",
    { window: 200 },
    [out("P", "a"), ...Array.from({ length: 9 }, (_, each) => err("F", `${each}`)), out("F", "b"), out("F", "c")].join(
      "",
    ),
    [...Array.from({ length: 9 }, (_, each) => `stderr:${each}`), "stdout:a!", "stdout:c"],
  ],
  [
    "cuts a physical line that fills the window",
    { window: 100 },
    `${"x".repeat(350)}\n${out("F", "a")}`,
    [`:${"x".repeat(100)}!`, "stdout:a"],
  ],
  ["skips NULs before a record", {}, `\0\0\0${out("F", "a")}`, ["stdout:a"]],
  ["leaves out empty lines", {}, out("F", "") + docker("stdout", "\n") + out("F", "a"), ["stdout:a"]],
])("%s", (_name, options, text, expected) => {
  const events: string[] = [];
  let from = start;
  while (from.offset < text.length) {
    const { events: more, place } = split(text, { ...options, from, isComplete: "all" });
    expect(place).not.toEqual(from);
    events.push(...more);
    from = place;
  }
  expect(events.sort()).toEqual(expected.sort());
});

/** Returns pseudo-random numbers from 0 to `below` - 1. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

it.each([undefined, /^\d/])("returns the same events wherever reading is interrupted and resumed: %s", (begins) => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = randomOf(seed);
    let text = "";
    for (let record = 0; record < 60; record++) {
      const stream = ["stdout", "stderr"][random(2)]!;
      const message = `${random(3) === 0 ? "" : "x"}${record}`;
      if (random(10) === 0) text += `text ${record}\n`;
      else if (random(2) === 0) text += cri(stream, random(2) === 0 ? "P" : "F", message);
      else text += docker(stream, `${message}${random(2) === 0 ? "" : "\n"}`);
    }
    const ofStream = (events: readonly string[], stream: Stream) =>
      events.filter((event) => event.startsWith(`${streamNames[stream]}:`));
    const whole = split(text, { ...(begins && { begins }), isComplete: "all" }).events;
    const events: string[] = [];
    // The file grows between two reads. Each read begins at the place that the previous read returned.
    let from = start;
    for (let length = 1; length < text.length; length += 1 + random(200)) {
      const read = split(text.slice(0, length), { ...(begins && { begins }), from, most: 1 + random(5) });
      events.push(...read.events);
      from = JSON.parse(JSON.stringify(read.place));
    }
    events.push(...split(text, { ...(begins && { begins }), from, isComplete: "all" }).events);
    for (const stream of [0, 1, 2] as const)
      expect([seed, ofStream(events, stream)]).toEqual([seed, ofStream(whole, stream)]);
  }
});
