// Checks that the function default_time returns the same time for the bytes of a decoded body as for the same
// text in a JavaScript string.

import fc from "fast-check";
import { expect, it } from "vitest";
import { createMillrace, Key, Point } from "../../../../../lib/index.ts";
import { wasmBytes } from "../../../wasm/load.ts";

let now = 0n;
const mill = await createMillrace({ wasm: await wasmBytes(), timeZone: "Europe/Berlin", clock: () => now });

/**
 * Runs `default_time` over each text twice: as a field of a point in JavaScript, and as a field of a decoded body.
 * Returns each text with both results.
 */
function bothWays(texts: readonly string[], zone: string): [text: string, inPoint: string, inBody: string][] {
  const { scripts, errors } = mill.compile({ "a.p": `default_time(t, "${zone}")` }, { category: "tracing" });
  expect([...errors]).toEqual([]);
  const script = scripts.get("a.p")!;
  const points = texts.map((text) => {
    const point = new Point("m", now);
    point.setField(new Key("t"), text);
    return point;
  });
  const bodies = mill.decodePoints(mill.encodePoints(points, "lp"), { category: "tracing", form: "lp", now });
  const read = (point: { get(key: Key): unknown }) => `${point.get(new Key("t"))} ${point.get(new Key("pl_msg"))}`;
  mill.runAll(script, bodies, { category: "tracing" }, () => {});
  const found = texts.map((text, at): [string, string, string] => {
    script.run(points[at]!, {
      category: "tracing",
      host: { now: () => now, random: () => 0, timeZone: "Europe/Berlin" },
    });
    return [text, read(points[at]!), read(bodies.at(at))];
  });
  bodies.release();
  return found;
}

const month = fc.constantFrom(
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sep",
  "Oct",
  "Nov",
  "Dec",
  "JAN",
  "mar",
  "Foo",
);
const day = fc.integer({ min: 0, max: 32 }).map((number) => String(number));
const time = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      fc.integer({ min: 0, max: 59 }),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.nat(70), fc.nat(70), fc.nat(70)) },
);
const text = fc
  .tuple(month, day, fc.constantFrom(" ", "0"), time)
  .map(
    ([name, date, pad, parts]) =>
      `${name} ${date.padStart(2, pad)} ${parts.map((part) => String(part).padStart(2, "0")).join(":")}`,
  );

it("reads syslog times from bytes as from a string, at any current time", () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2090, 0) }),
      fc.constantFrom("UTC", "Asia/Shanghai", "America/New_York", "+05:30"),
      (texts, ms, zone) => {
        now = BigInt(ms) * 1_000_000n + 123n;
        for (const [each, inPoint, inBody] of bothWays(texts, zone)) expect(inBody, each).toBe(inPoint);
      },
    ),
    { numRuns: 150 },
  );
});

it.each<[text: string, at: string, time: string]>([
  ["Dec 31 23:59:59", "2026-01-01T00:00:05Z", "2025-12-31T23:59:59Z"],
  ["Jan  1 23:59:50", "2025-12-31T23:59:50Z", "2026-01-01T23:59:50Z"],
  ["Jan  1 23:59:51", "2025-12-31T23:59:50Z", "2025-01-01T23:59:51Z"],
  ["Feb 29 12:00:00", "2026-03-01T00:00:00Z", "2024-02-29T12:00:00Z"],
  ["Feb 29 12:00:00", "2103-03-01T00:00:00Z", "2096-02-29T12:00:00Z"],
  ["jAN 01 00:00:03", "2026-01-01T00:00:05Z", "2026-01-01T00:00:03Z"],
])("reads %s when the current time is %s", (each, at, expected) => {
  now = BigInt(Date.parse(at)) * 1_000_000n;
  const ns = `${BigInt(Date.parse(expected)) * 1_000_000n} undefined`;
  expect(bothWays([each], "UTC")).toEqual([[each, ns, ns]]);
});

it.each([
  ...["0000000000", "1700000000", "4102444799", "4102444800", "9999999999", "99999999999", "-700000000", "170000000 "],
  ...["1700000000123", "4102444799999", "4102444800000", "9999999999999", "1700000000.12", "1700000000123z"],
  ...["1700000000123456", "4102444799999999", "9999999999999999", "2023-11-14T22:13"],
  ...[
    "1700000000123456789",
    "4102444799999999999",
    "9223372036854775807",
    "9999999999999999999",
    "2023-11-14 22:13:20",
  ],
])("reads %s from bytes as from a string", (text) => {
  now = 1_700_000_000_000_000_000n;
  const [[, inPoint, inBody]] = bothWays([text], "Asia/Tokyo") as [[string, string, string]];
  expect(inBody).toBe(inPoint);
});

const digits = (count: number, most: number) => fc.nat(most).map((number) => String(number).padStart(count, "0"));
const zoned = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: digits(4, 2300) },
      { weight: 1, arbitrary: fc.constantFrom("10ab", "20:0", "19/9") },
    ),
    fc.tuple(fc.constantFrom("-", "-", "/"), fc.constantFrom("-", "-", "/")),
    fc.tuple(digits(2, 13), digits(2, 32)),
    fc.constantFrom("T", "T", " ", "t"),
    fc.tuple(digits(2, 24), digits(2, 60), digits(2, 60)),
    fc.oneof(
      fc.constantFrom("", ".", ",5", ".1234567891"),
      fc.nat(999_999_999).map((number) => `.${number}`),
    ),
    fc.oneof(
      fc.constantFrom("Z", "z", "", "+08", "-0800", "+08:00", " +0800", "+15:00", "+14:01", "-00:60", "+1a:00"),
      fc
        .tuple(fc.constantFrom("+", "-"), digits(2, 15), fc.constantFrom("", ":"), digits(2, 61))
        .map((parts) => parts.join("")),
    ),
  )
  .map(
    ([year, [first, second], [month, day], middle, parts, fraction, offset]) =>
      `${year}${first}${month}${second}${day}${middle}${parts.join(":")}${fraction}${offset}`,
  );

it("reads times with a zone from bytes as from a string, also invalid times", () => {
  now = 1_700_000_000_000_000_000n;
  fc.assert(
    fc.property(fc.array(zoned, { minLength: 1, maxLength: 60 }), (texts) => {
      for (const [each, inPoint, inBody] of bothWays(texts, "Asia/Tokyo")) expect(inBody, each).toBe(inPoint);
    }),
    { numRuns: 150 },
  );
});

it("treats letters in the year of an access log the same way in bytes as in a string", () => {
  const [[, inPoint, inBody]] = bothWays(["10/Oct/10ab:13:55:36 -0700"], "UTC") as [[string, string, string]];
  expect(inBody).toBe(inPoint);
});
