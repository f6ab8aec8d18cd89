// `addTag` adds a tag to all points of a batch that do not have the tag's key yet. The result must be the same
// as when a loop over the points adds the tag to each point without this key.

import { expect, it } from "vitest";
import { createMillrace, Key, type PointView, shownValue } from "../../../../lib/index.ts";

const mill = await createMillrace();

function decode(lines: readonly string[]) {
  return mill.decodePoints(new TextEncoder().encode(lines.join("\n")), { category: "metric", form: "lp", now: 1n });
}

const lines = ["m,host=a f=1", "m f=1", "m,a=1,b=2 host=3", "m,hosts=x f=1", "m f=1,g=2"];
const host = new Key("host");

const valuesOf = (points: Iterable<PointView>, key: Key) =>
  Array.from(points, (point) => [point.isTag(key), shownValue(point.get(key) ?? null)]);

it("adds a tag only to points that have neither a tag nor a field with its key", () => {
  const points = decode(lines);
  points.addTag(host, "new é");
  expect(valuesOf(points, host)).toEqual([
    [true, '"a"'],
    [true, '"new é"'],
    [false, "3.0"],
    [true, '"new é"'],
    [true, '"new é"'],
  ]);
  points.addTag(new Key("f"), "x");
  expect(valuesOf(points, new Key("f")).map(([isTag]) => isTag)).toEqual([false, false, true, false, false]);
  points.release();
});

it("respects earlier edits of the points, and updates a cursor that is in use", () => {
  const points = decode(lines);
  const other = new Key("other");
  points.at(0).delete(host);
  points.at(1).setTag(host, "set");
  points.at(2).rename(host, other);
  points.at(3).setTag(new Key("x"), "1");
  points.at(3).setField(host, "later");
  const last = points.at(4);
  expect(last.has(host)).toBe(false);
  points.addTag(host, "new");
  expect(String(last.get(host))).toBe("new");
  expect(valuesOf(points, host).map(([, value]) => value)).toEqual(['"new"', '"set"', '"new"', '"later"', '"new"']);
  points.addTag(other, "o");
  expect(valuesOf(points, other).map(([isTag]) => isTag)).toEqual([true, true, false, true, true]);
  points.at(1).delete(host);
  points.addTag(host, "again");
  expect(valuesOf(points, host).map(([, value]) => value)).toEqual(['"new"', '"again"', '"new"', '"later"', '"new"']);
  points.release();
});

it("adds long and empty texts to thousands of points", () => {
  const points = decode(Array.from({ length: 5000 }, (_, at) => `m f=${at}`));
  const long = "é".repeat(5000);
  points.addTag(host, long);
  points.addTag(new Key("empty"), "");
  points.addTag(new Key("k".repeat(5000)), "x");
  for (const at of [0, 4999]) {
    const values = Array.from(points.at(at).entries(), ({ value }) => shownValue(value));
    expect(values).toEqual([`${at}.0`, `"${long}"`, '""', '"x"']);
  }
  points.release();
  expect(mill.memory().used).toBe(0);
});
