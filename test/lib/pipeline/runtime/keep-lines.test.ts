// After a script has run, the encoder copies the original lines of unchanged points and encodes new lines for
// all other points. The output must have the same meaning as an output in which all lines are new, for every
// script and every way of running the script.

import { expect, it } from "vitest";
import { createMillrace, functionDocs, Key, Point, type Points } from "../../../../lib/index.ts";
import { canonical } from "../../../properties/canonical.ts";
import { wasmBytes } from "../../wasm/load.ts";
import { vectorScripts } from "../vector-scripts.ts";

const now = 1700000000000000000n;
const mill = await createMillrace({ wasm: await wasmBytes(), timeZone: "UTC", clock: () => now, random: () => 0.5 });
// In this category, the corrections add no status to the points. So only the script changes the points.
const category = "tracing";

function decode(body: Uint8Array): Points {
  return mill.decodePoints(body, { category, form: "lp", precision: "n", now });
}

const examples = functionDocs().flatMap(({ examples }) => examples);
const lines = [
  ...[
    "127.0.0.1 GET /a?b=c 200 1.5",
    "a=1 b=2,c:3",
    "10/Oct/2000:13:55:36 -0700",
    '{"a": {"b": [1, "x"]}}',
    "<a><b>1</b></a>",
  ],
  ...[...new Set(examples.map(({ input }) => input))].filter((_, at) => at % 5 === 0),
].flatMap((message) => {
  const point = new Point("l", now + 1n);
  point.setField(new Key("message"), message);
  const [name, fields] = new TextDecoder().decode(mill.encodePoints([point], "lp")).split(/ (.*)/s);
  return [
    `${name},t=tag,b=x ${fields}`,
    `${name},host=h,_key=v a=1i,b="12",c="x y",status="Warn",key="1",time="10/Oct/2000:13:55:36 -0700",${fields}`,
  ];
});
const body = new TextEncoder().encode(lines.join("\n"));

const line = `l,z=1,b=2 y="x",message="b=3 c",at="2023-11-14 22:13:20",a=1i,status="OK" ${now}`;
const sorted = `l,b=2,z=1 a=1i,at="2023-11-14 22:13:20",message="b=3 c",status="OK",y="x" ${now}`;

it.each([
  ["nothing", "x = 1", line],
  ["a look", 'if y == "x" && a > 0 { v = len(message) }', line],
  ["a new tag", 'set_tag(host, "h")', line.replace("b=2", "b=2,host=h")],
  ["a text in place of another", 'if a == 1 { add_key(y, "z") }', sorted.replace('"x"', '"z"')],
  ["a pair for a tag", 'kv_split(message, include_keys=["b"])', sorted.replace("b=2", "b=3")],
  ["a capture for a tag", 'grok(message, "b=%{INT:b}")', sorted.replace("b=2", "b=3")],
  [
    "a time in place of its text",
    "default_time(at)\nrename(t, time)",
    sorted.replace('"2023-11-14 22:13:20"', `${now}i`),
  ],
  ["another status", "x = 1", sorted.replace('"OK"', '"warning"'), "W"],
  ["the same status", "x = 1", line, "OK"],
])("encodes the line as the script left it: %s", (_, script, expected, status = "OK") => {
  // In the category logging, Millrace replaces the status of each point by its standard name after the script has run.
  const category = "logging";
  const set = mill.compile({ "a.p": script }, { category });
  expect([...set.errors]).toEqual([]);
  const body = new TextEncoder().encode(line.replace('"OK"', `"${status}"`));
  const points = mill.decodePoints(body, { category, form: "lp", precision: "n", now });
  expect(mill.run(set.scripts.get("a.p")!, points.at(0), { category }).error).toBeNull();
  expect(new TextDecoder().decode(mill.encodePoints(points, "lp", { keepLines: true }))).toBe(expected);
  points.release();
  set.free();
});

const scripts = [...new Set([...vectorScripts, ...examples.map(({ script }) => script)])];

it("copies all lines unchanged when no script runs", () => {
  const points = decode(body);
  expect(new TextDecoder().decode(mill.encodePoints(points, "lp", { keepLines: true }))).toBe(lines.join("\n"));
  points.release();
});

it("encodes the same points as without keepLines, for every script of the vectors and the examples", () => {
  let ran = 0;
  for (const script of scripts) {
    const set = mill.compile({ "a.p": script }, { category });
    const compiled = set.scripts.get("a.p");
    if (compiled !== undefined && !compiled.waits) {
      ran++;
      const points = decode(body);
      for (let at = 0; at < points.length; at++) {
        mill.run(compiled, points.at(at), { category, maxSteps: 10_000 });
        if (at % 3 === 0) points.at(at).setTag(new Key("added"), "a b");
      }
      const [kept, anew] = [true, false].map((keepLines) => {
        const bytes = mill.encodePoints(points, "lp", { keepLines });
        // Some scripts remove all fields of all points. Then the encoder writes no line.
        if (bytes.length === 0) return [];
        const sent = decode(bytes);
        const seen = Array.from(sent, (point) => canonical(point));
        sent.release();
        return seen;
      });
      expect(kept, script).toEqual(anew);
      points.release();
    }
    set.free();
  }
  expect(ran).toBeGreaterThan(300);
  expect(mill.memory().used).toBe(0);
});
