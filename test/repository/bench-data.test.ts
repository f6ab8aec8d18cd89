// Tests the data of the benchmarks: the bytes are the same in every run, each parameter ("knob") has its effect, and
// exactly the lines that are marked as failing are refused.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Grok } from "../../lib/grok/grok.ts";
import { type Point, PointError } from "../../lib/index.ts";
import { decodeLineProtocolInJs } from "../baseline/line-protocol.ts";
import { faults } from "../bench/data/faults.ts";
import { linesOf, mixedLines, shapes } from "../bench/data/grok-lines.ts";
import {
  javaEvents,
  jsonLogLines,
  logBody,
  misfitShare,
  mixedEvents,
  nginxLines,
  syslogLines,
} from "../bench/data/log-lines.ts";
import { bodyOf, bodyOfSize, failingSet, pointSets } from "../bench/data/point-sets.ts";
import { bodyParts, type Line, type PointKnobs, plainKnobs, pointLines } from "../bench/data/points.ts";
import { loadMillrace } from "../conformance/node-millrace.ts";

const now = 1n;
const count = 3000;
const encoder = new TextEncoder();

function knobLines(changed: Partial<PointKnobs>): Line[] {
  return [...pointLines({ ...plainKnobs, count, ...changed })];
}

function pointsOf(changed: Partial<PointKnobs>): Point[] {
  const body = [...bodyParts({ ...plainKnobs, count, ...changed })].join("");
  return decodeLineProtocolInJs(encoder.encode(body), { category: "network", now });
}

/** Splits a line of line protocol that has no escapes into its tags and fields. */
function partsOf({ text }: Line): { tags: string[]; fields: string[] } {
  const [series, fields] = text.split(" ") as [string, string];
  return { tags: series.split(",").slice(1), fields: fields.split(",") };
}

const keyOf = (part: string): string => part.slice(0, part.indexOf("="));
const keysOf = (point: Point, tags: boolean): string[] =>
  [...point.entries()].filter(({ isTag }) => isTag === tags).map(({ key }) => key);
const shapeOf = (point: Point): string =>
  [point.name, ...[...point.entries()].map(({ key, isTag }) => `${isTag} ${key}`).sort()].join("\n");
const isSorted = (keys: readonly string[]): boolean => keys.every((key, at) => at === 0 || keys[at - 1]! < key);

function share<T>(items: readonly T[], has: (item: T) => boolean): number {
  return items.filter(has).length / items.length;
}

/** Returns the field values of lines that have neither escapes nor string fields. */
function valuesOf(changed: Partial<PointKnobs>): string[] {
  return knobLines(changed).flatMap((line) =>
    partsOf(line).fields.map((field) => field.slice(keyOf(field).length + 1)),
  );
}

it("makes the same bytes for the same seed, and other bytes for another seed", () => {
  const knobs = { ...plainKnobs, shapes: 5, count: 50 };
  const bodies = [knobs, knobs, { ...knobs, seed: 2 }].map((each) => [...bodyParts(each)].join(""));
  expect(bodies[0]).toBe(bodies[1]);
  expect(bodies[0]).not.toBe(bodies[2]);
});

it.each([1, 60, 500])("makes points of %d shapes", (shapes) => {
  expect(new Set(pointsOf({ shapes, order: "random", count: 6000 }).map(shapeOf)).size).toBe(shapes);
});

it("uses the shapes in turn, or at random", () => {
  const inTurn = pointsOf({ shapes: 10 }).map(({ name }) => name);
  expect(inTurn.every((name, at) => name === inTurn[at % 10])).toBe(true);
  const drawn = pointsOf({ shapes: 10, order: "random" }).map(({ name }) => name);
  const uses = [...new Set(drawn)].map((name) => share(drawn, (each) => each === name));
  for (const use of uses) expect(use).toSatisfy((is: number) => is > 0.07 && is < 0.13);
  const repeats = drawn.filter((name, at) => name === drawn[at - 1]).length / drawn.length;
  expect(repeats).toSatisfy((is: number) => is > 0.07 && is < 0.13);
});

it.each([0.85, 0.3])("keeps tags and fields with the probability that presence %d gives", (presence) => {
  const all = pointsOf({ shapes: 1, count: 1 })[0]!;
  const points = pointsOf({ shapes: 1, presence });
  for (const isTag of [true, false]) {
    const present = points.reduce((sum, point) => sum + keysOf(point, isTag).length, 0) / points.length;
    expect(present / keysOf(all, isTag).length).toBeCloseTo(presence, 1);
  }
});

it("keeps a field in each point, however small the presence is", () => {
  expect(share(pointsOf({ presence: 0.01 }), (point) => keysOf(point, false).length > 0)).toBe(1);
});

it.each([
  ["tagOrder", "tags"],
  ["fieldOrder", "fields"],
] as const)("sorts keys or draws their order: %s", (knob, part) => {
  const lists = (order: "fixed" | "random") =>
    knobLines({ shapes: 60, [knob]: order }).map((line) => partsOf(line)[part].map(keyOf));
  expect(share(lists("fixed"), isSorted)).toBe(1);
  expect(share(lists("random"), isSorted)).toBeLessThan(0.15);
  const keys = (list: readonly string[][]) => new Set(list.map((each) => each.toSorted().join()));
  expect(keys(lists("random"))).toEqual(keys(lists("fixed")));
});

it.each([
  ["float", /^-?\d+(\.\d+)?$/],
  ["int", /^-?\d+i$/],
  ["uint", /^\d+u$/],
  ["bool", /^[tfTF][a-zA-Z]*$/],
] as const)("makes fields of the kind %s", (kind, form) => {
  expect(share(valuesOf({ kinds: [kind] }), (value) => form.test(value))).toBe(1);
});

it("draws a kind that is listed twice twice as often", () => {
  const values = valuesOf({ shapes: 500, kinds: ["float", "float", "bool"] });
  expect(share(values, (value) => /\d/.test(value))).toBeCloseTo(2 / 3, 1);
});

const digitsIn = (value: string): number => value.replace(/[-.iu]/g, "").replace(/^0+/, "").length;

it("writes floats of few digits, of 16 or 17, or with an exponent", () => {
  const floats = (digits: PointKnobs["digits"]) => valuesOf({ kinds: ["float"], digits });
  expect(Math.max(...floats("short").map(digitsIn))).toBe(6);
  const full = floats("full").map(digitsIn);
  expect(new Set(full)).toEqual(new Set([16, 17]));
  expect(share(full, (digits) => digits === 17)).toBeCloseTo(0.5, 1);
  expect(share(floats("exponent"), (value) => /^-?\d\.\d{1,12}e[+-]\d+$/.test(value))).toBe(1);
});

it("writes integers of few digits, or of 64 bits with both signs", () => {
  const ints = (integers: PointKnobs["integers"], kinds: PointKnobs["kinds"]) =>
    valuesOf({ kinds, integers }).map((value) => BigInt(value.slice(0, -1)));
  expect(share(ints("short", ["int", "uint"]), (value) => value >= 0n && value < 100_000n)).toBe(1);
  const wide = ints("64-bit", ["int"]);
  expect(share(wide, (value) => value > 2n ** 53n || value < -(2n ** 53n))).toBeGreaterThan(0.99);
  expect(share(wide, (value) => value < 0n)).toBeCloseTo(0.5, 1);
  expect(share(ints("64-bit", ["uint"]), (value) => value >= 2n ** 63n)).toBeCloseTo(0.5, 1);
});

it.each([0.15, 0.6])("puts escapes into a share of %d of keys, tag values and texts", (escapes) => {
  const points = pointsOf({ shapes: 500, count: 500, kinds: ["text"], escapes });
  const entries = points.flatMap((point) => [...point.entries()]);
  const special = /[,= ]/;
  expect(share(points, ({ name }) => special.test(name))).toBeCloseTo(escapes, 1);
  for (const isTag of [true, false]) {
    const some = entries.filter((entry) => entry.isTag === isTag);
    expect(share(some, ({ key }) => special.test(key))).toBeCloseTo(escapes, 1);
    const escaped = isTag ? special : /"/;
    expect(share(some, ({ value }) => escaped.test(String(value)))).toBeCloseTo(escapes, 1);
  }
});

it("puts letters beyond ASCII into a share of tag values", () => {
  const values = pointsOf({ shapes: 200, foreign: 0.3 }).flatMap((point) =>
    [...point.entries()].filter(({ isTag }) => isTag).map(({ value }) => String(value)),
  );
  expect(share(values, (value) => /[^\0-\x7f]/.test(value))).toBeCloseTo(0.3, 1);
});

it("leaves the time out of a share of the lines", () => {
  expect(share(pointsOf({ missingTimes: 0.2 }), ({ time }) => time === now)).toBeCloseTo(0.2, 1);
  expect(share(pointsOf({ missingTimes: 0 }), ({ time }) => time === now)).toBe(0);
});

it("keeps counts and lengths within their ranges, and reaches both ends", () => {
  const lengths = { tags: [2, 7], fields: [1, 5], keys: [4, 9], values: [2, 6], texts: [10, 40] } as const;
  const points = pointsOf({ shapes: 200, kinds: ["text"], lengths });
  const ends = (sizes: readonly number[]) => [Math.min(...sizes), Math.max(...sizes)];
  const entries = points.flatMap((point) => [...point.entries()]);
  expect(ends(points.map((point) => keysOf(point, true).length))).toEqual(lengths.tags);
  expect(ends(points.map((point) => keysOf(point, false).length))).toEqual(lengths.fields);
  expect(ends(entries.map(({ key }) => key.length))).toEqual(lengths.keys);
  const valueLengths = (isTag: boolean) =>
    entries.filter((entry) => entry.isTag === isTag).map(({ value }) => String(value).length);
  expect(ends(valueLengths(true))).toEqual(lengths.values);
  const [shortest, longest] = ends(valueLengths(false));
  // The generated texts end with a whole word. So they may be longer than the limit, by less than a word.
  expect(shortest).toBeGreaterThanOrEqual(lengths.texts[0]);
  expect(longest).toBeLessThan(lengths.texts[1] + 10);
});

it("ends lines with the given line end, and puts comments before a share of the lines", () => {
  const parts = [...bodyParts({ ...plainKnobs, count, lineEnd: "\r\n", comments: 0.3 })];
  expect(parts.every((part) => part.endsWith("\r\n"))).toBe(true);
  expect(share(parts, (part) => part.split("\r\n").length === 3)).toBeCloseTo(0.3, 1);
  expect(pointsOf({ lineEnd: "\r\n", comments: 0.3 }).length).toBe(count);
});

it.each(pointSets.map((set) => [set.name, set] as const))(
  "makes 6,000 points that are read without a fault or a correction: %s",
  (_, set) => {
    const points = decodeLineProtocolInJs(bodyOf(set), { category: set.category, now });
    expect(points.length).toBe(6000);
    expect(points.flatMap(({ warnings }) => warnings)).toEqual([]);
  },
);

it("marks exactly the lines that fail", () => {
  const lines = [...pointLines(failingSet.knobs)];
  const failing = lines.flatMap(({ fails }, at) => (fails ? [at] : []));
  expect(failing.length / lines.length).toBeCloseTo(0.01, 2);
  const options = { category: "network", now } as const;
  for (const { text, fails } of lines) {
    const decode = () => decodeLineProtocolInJs(encoder.encode(text), options);
    if (fails) expect(decode).toThrow(PointError);
    else expect(decode().length).toBe(1);
  }
  // A damaged line does not affect the line after it. So the decoder reports exactly one error for each damaged line.
  let error: unknown;
  try {
    decodeLineProtocolInJs(bodyOf(failingSet), options);
  } catch (thrown) {
    error = thrown;
  }
  expect((error as PointError).lines.length).toBe(failing.length);
});

it.each(faults)("damages a line so that it fails: $reason", ({ reason, spoil }) => {
  const line = spoil({ series: "m,host=a", fields: 'f=1,text="a \\" b"', time: " 1" });
  const whole = encoder.encode(`${line}\nm f=1\n`);
  expect(() => decodeLineProtocolInJs(whole, { category: "network", now })).toThrow(reason);
  expect(() => decodeLineProtocolInJs(whole, { category: "network", now })).toThrow(
    "with 1 point parse ok, 1 points failed",
  );
});

it("cuts a body to a given size at the end of a line", () => {
  for (const set of pointSets) {
    const body = bodyOfSize(set, 100_000);
    expect(body.length).toSatisfy((length: number) => length > 90_000 && length <= 100_000);
    expect(decodeLineProtocolInJs(body, { category: set.category, now }).length).toBeGreaterThan(20);
  }
});

const logKinds = {
  nginx: { make: nginxLines, keys: ["status_code", "reason"] },
  json: { make: jsonLogLines, keys: ["msg"] },
  syslog: { make: syslogLines, keys: ["host", "msg", "program", "facility"] },
  java: { make: javaEvents, keys: ["msg"] },
} as const;

describe.each(Object.entries(logKinds))("log lines of %s", (kind, { make, keys }) => {
  it("are the same in every run, and all different", () => {
    const texts = make(1000).map(({ text }) => text);
    expect(make(1000).map(({ text }) => text)).toEqual(texts);
    expect(new Set(texts).size).toBeGreaterThan(990);
  });

  it("match the ready script, except for a marked share", async () => {
    const lines = make(2000);
    expect(share(lines, ({ fits }) => fits)).toBeCloseTo(1 - misfitShare, 1);
    expect(share(lines, ({ fits }) => fits)).toBeLessThan(1);
    const mill = await loadMillrace();
    const source = readFileSync(new URL(`../../server/pipelines/logging/${kind}.p`, import.meta.url), "utf8");
    const script = mill.compile({ "ready.p": source }, { category: "logging" }).scripts.get("ready.p")!;
    const body = encoder.encode(logBody(kind, lines));
    const points = mill.decodePoints(body, { category: "logging", form: "lp", now: 1n });
    mill.runAll(script, points, { category: "logging" }, ({ error }) => expect(error).toBe(null));
    const known = lines.map((_, at) => {
      const present = new Set(Array.from(points.at(at).entries(), ({ key }) => key));
      return keys.some((key) => present.has(key));
    });
    expect(known).toEqual(lines.map(({ fits }) => fits));
    points.release();
  });
});

it("mixes events of all four kinds equally often", () => {
  const events = mixedEvents(2000);
  for (const kind of Object.keys(logKinds)) expect(share(events, (event) => event.kind === kind)).toBeCloseTo(0.25, 1);
});

it.each(shapes.map((shape) => [shape.name, shape] as const))(
  "makes lines of which a third does not match: %s",
  (_, shape) => {
    const grok = Grok.compile(shape.expression);
    expect(share(linesOf(shape, 1000), (line) => grok.match(line) !== null)).toBe(1);
    expect(share(mixedLines(shape, 3000), (line) => grok.match(line) === null)).toBeCloseTo(1 / 3, 1);
  },
);
