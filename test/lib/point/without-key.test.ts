// The points of a batch that lack a key, told like a look at each of them.

import { expect, it } from "vitest";
import { createMillrace, Key } from "../../../lib/index.ts";

const mill = await createMillrace();

function decode(lines: readonly string[]) {
  return mill.decodePoints(new TextEncoder().encode(lines.join("\n")), { category: "metric", form: "lp", now: 1n });
}

const lines = ["m,host=a f=1", "m f=1", "m,a=1,b=2 host=3", "m,hosts=x f=1", "m f=1,g=2"];

it("looks at tags and fields", () => {
  const points = decode(lines);
  expect(points.without(new Key("host"))).toEqual([1, 3, 4]);
  expect(points.without(new Key("f"))).toEqual([2]);
  expect(points.without(new Key("nowhere"))).toEqual([0, 1, 2, 3, 4]);
  points.release();
});

it("knows what was added, deleted and renamed since", () => {
  const points = decode(lines);
  const [host, other] = [new Key("host"), new Key("other")];
  points.at(0).delete(host);
  points.at(1).setTag(host, "new");
  points.at(2).rename(host, other);
  points.at(3).setTag(new Key("x"), "1");
  points.at(3).setField(host, "later");
  expect(points.without(host)).toEqual([0, 2, 4]);
  expect(points.without(other)).toEqual([0, 1, 3, 4]);
  points.at(1).delete(host);
  expect(points.without(host)).toEqual([0, 1, 2, 4]);
  for (let at = 0; at < points.length; at++) {
    expect(points.without(host).includes(at)).toBe(!points.at(at).has(host));
  }
  points.release();
});
