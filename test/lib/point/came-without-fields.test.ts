// Millrace drops a point that was sent without any field (docs/reference/points.md), even when the corrections
// would add a required field to the point. A field that was sent counts, even when a correction drops it or
// replaces it by a tag with the same key. The scanners of the WebAssembly module and the reader in JavaScript
// must follow the same rule.

import { describe, expect, it } from "vitest";
import type { CategoryName } from "../../../lib/point/category.ts";
import { decodeInWindows, decodePoints } from "../../../lib/point/codec/decode.ts";
import type { Form } from "../../../lib/point/codec/encode.ts";
import { pointOf } from "../../../lib/point/codec/json.ts";
import { correct, receivedEntries } from "../../../lib/point/correct.ts";
import { TooManyPoints } from "../../../lib/point/errors.ts";
import { defaultLimits } from "../../../lib/point/limits.ts";
import { Point } from "../../../lib/point/point.ts";
import { Float, type PointValue } from "../../../lib/point/value.ts";
import { Key } from "../../../lib/point/view.ts";
import { readJson } from "../../../lib/text/json-text.ts";
import { encodeWithProtobufjs } from "../../baseline/protobuf.ts";
import { loadLimited, loadModule } from "../wasm/load.ts";

const module = await loadModule();
const now = 1700000000000000000n;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const keysOf = (point: Point): string[] =>
  Array.from(point.entries(), ({ key, isTag }) => (isTag ? `${key} (tag)` : key));

type Sent = readonly (readonly [key: string, value: PointValue, isTag?: "tag"])[];

/**
 * Cases. Each has the tags and fields that a sender sent, the keys of the point after the corrections of the category
 * logging, and the keys of the point after the corrections of the category object.
 */
const cases: readonly (readonly [sent: Sent, logging: readonly string[], object: readonly string[]])[] = [
  [[], [], []],
  [[["a", "v", "tag"]], ["a (tag)"], ["a (tag)", "name"]],
  [[["status", "v", "tag"]], ["status (tag)"], ["status (tag)", "name"]],
  [[["source", "v", "tag"]], [], ["source (tag)", "name"]],
  [[["class", "v", "tag"]], ["class (tag)"], ["name"]],
  [[["a", 1]], ["a", "status"], ["a", "name"]],
  [[["a", null]], ["a", "status"], ["a", "name"]],
  [[["date", 1]], ["status"], ["name"]],
  [[["a", new Float(Number.NaN)]], ["status"], ["name"]],
  [[["", 1]], ["status"], ["name"]],
  [
    [
      ["a", 1],
      ["a", "v", "tag"],
    ],
    ["a (tag)", "status"],
    ["a (tag)", "name"],
  ],
  [
    [
      ["a", "v", "tag"],
      ["a", 1],
    ],
    ["a (tag)", "status"],
    ["a (tag)", "name"],
  ],
  [
    [
      ["a", "v", "tag"],
      ["a", "w", "tag"],
    ],
    ["a (tag)"],
    ["a (tag)", "name"],
  ],
  [
    [
      ["a_b", "v", "tag"],
      ["a.b", 1],
    ],
    ["a_b (tag)", "status"],
    ["a_b (tag)", "name"],
  ],
];

const pointsOf = (sent: Sent): Point => {
  const point = new Point("m", 1n);
  for (const [key, value, isTag] of sent) point.append(key, value, isTag === "tag");
  return point;
};

const pbjson = (sent: Sent, odd = ""): string => {
  const entries = sent.map(([key, value, isTag]) => {
    const of =
      value instanceof Float
        ? { f: "NaN" }
        : typeof value === "number"
          ? { i: value }
          : value === null
            ? {}
            : { s: value };
    return JSON.stringify({ key, ...of, ...(isTag === "tag" ? { is_tag: true } : {}) });
  });
  return `{"name":"m",${odd}"fields":[${entries.join(",")}],"time":1}`;
};

function decoded(body: Uint8Array, form: Form, category: CategoryName): { keys: string[]; isKept: boolean } {
  const batch = decodePoints(module, body, form, { category, now });
  try {
    return { keys: keysOf(batch.point(0)), isKept: batch.withField() === undefined };
  } finally {
    batch.release();
  }
}

describe.each(["logging", "object"] as const)("a point of %s", (category) => {
  it.each(cases)("sent as %j is kept only if it was sent with a field", (sent, logging, object) => {
    const keys = category === "logging" ? logging : object;
    const expected = { keys, isKept: keys.some((key) => !key.endsWith("(tag)")) };
    expect(decoded(utf8(`[${pbjson(sent)}]`), "pbjson", category)).toEqual(expected);
    expect(decoded(encodeWithProtobufjs([pointsOf(sent)]), "pb", category)).toEqual(expected);
    // In this body the member `name` occurs twice in the point, so the WebAssembly module leaves the point to the
    // reader in JavaScript.
    expect(decoded(utf8(`[${pbjson(sent, '"name":"m",')}]`), "pbjson", category)).toEqual(expected);
    const point = pointsOf(sent);
    correct(point, category, defaultLimits, receivedEntries(point.entries()));
    expect(keysOf(point)).toEqual(keys);
  });

  const required = category === "logging" ? "status" : "name";
  it.each([
    ["no fields", "{}", "{}", []],
    ["a tag", "{}", '{"t":"v"}', category === "object" ? ["t (tag)", required] : ["t (tag)"]],
    ["a field whose key a tag has", '{"t":1}', '{"t":"v"}', ["t (tag)", required]],
    ["a field of null", '{"a":null}', "{}", ["a", required]],
    ["a number that is refused", '{"date":1}', "{}", [required]],
  ])("of simple JSON with %s is kept only if it was sent with a field", (_name, fields, tags, keys) => {
    for (const odd of ["", '"measurement":"m",']) {
      const element = `{"measurement":"m",${odd}"fields":${fields},"tags":${tags},"time":1}`;
      const isKept = keys.some((key) => !key.endsWith("(tag)"));
      expect(decoded(utf8(`[${element}]`), "json", category)).toEqual({ keys, isKept });
      expect(keysOf(pointOf(readJson(element), 0, { category, now }))).toEqual(keys);
    }
  });

  it("in line protocol always counts as sent with a field", () => {
    expect(decoded(utf8("m,t=v t=1i 1"), "lp", category).keys).toEqual(["t (tag)", required]);
    expect(decoded(utf8("m date=1i 1"), "lp", category).keys).toEqual([required]);
  });
});

it("a point that loses all its fields is dropped where its category requires no key", () => {
  expect(decoded(utf8('m,t=v s="x" 1'), "lp", "metric")).toEqual({ keys: ["t (tag)"], isKept: false });
});

it("a point whose fields were deleted after it had been read gets the required key again", () => {
  const batch = decodePoints(module, utf8('m a=1i,status="ok" 1'), "lp", { category: "logging", now });
  try {
    const point = batch.at(0);
    point.delete(new Key("a"));
    point.delete(new Key("status"));
    expect(batch.withField()).toEqual([]);
    batch.correct(0);
    expect(keysOf(batch.point(0))).toEqual(["status"]);
    expect(batch.withField()).toBeUndefined();
  } finally {
    batch.release();
  }
});

it("withField returns the indexes of the points with a field, also after later changes", () => {
  const body = '[{},{"fields":{"a":1}},{"tags":{"t":"v"}},{"fields":{"b":null}},{}]';
  const batch = decodePoints(module, utf8(body), "json", { category: "tracing", now });
  try {
    expect(batch.withField()).toEqual([1, 3]);
    batch.at(4).setField(new Key("late"), 1);
    batch.at(1).setTag(new Key("a"), "v");
    expect(batch.withField()).toEqual([3, 4]);
    expect(Array.from(batch.select([3, 4]), ({ name }) => name)).toEqual(["__default", "__default"]);
  } finally {
    batch.release();
  }
});

describe("more points than maxPoints", () => {
  const most = 100_000;
  const forms: readonly (readonly [Form, (points: number) => Uint8Array])[] = [
    ["json", (points) => utf8(`[${Array(points).fill("{}").join()}]`)],
    ["pbjson", (points) => utf8(`[${Array(points).fill('{"name":"m"}').join()}]`)],
    ["json", (points) => utf8(`[${Array(points).fill('{"tags":{"a":"1","b":"2"},"fields":{"c":3}}').join()}]`)],
    ["pb", (points) => new Uint8Array(points * 2).fill(10).map((byte, at) => (at % 2 === 0 ? byte : 0))],
    ["lp", (points) => utf8("m,t=v f=1\n".repeat(points))],
  ];
  it.each(forms)("are refused in %s, at once or in windows", (form, bodyOf) => {
    const options = { category: "logging", now, maxPoints: most } as const;
    const batch = decodePoints(module, bodyOf(most), form, options);
    expect(batch.length).toBe(most);
    batch.release();
    const many = bodyOf(most + 1);
    const message = "the body holds more than 100000 points";
    expect(() => decodePoints(module, many, form, options)).toThrow(new TooManyPoints(most));
    const windows = decodeInWindows(module, many, form, options);
    expect(() => {
      for (let window = windows.next(); window !== undefined; window = windows.next());
    }).toThrow(message);
    windows.release();
  });

  it("use no more memory than the allowed points need", async () => {
    // A million decoded points would need 700 pages of memory, but the module may have only 200. The limit `maxPoints`
    // is lower, so decoding must stop there, before the memory is full.
    const limited = await loadLimited(200);
    const body = utf8(`[${Array(1_000_000).fill("{}").join()}]`);
    const options = { category: "logging", now, maxPoints: 1000 } as const;
    expect(() => decodePoints(limited, body, "json", options)).toThrow(TooManyPoints);
    expect(limited.used).toBe(0);
  });
});
