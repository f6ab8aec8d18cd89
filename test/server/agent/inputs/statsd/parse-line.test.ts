// Lines of statsd: types, rates, deltas, both dialects of tags, packed lines, and lines that cannot be read.

import { describe, expect, it } from "vitest";
import { parseLine } from "../../../../../server/agent/inputs/statsd/parse-line.ts";

/**
 * Parses a line and returns it as `name{tags} kind value@rate …`. A star marks a relative change of a gauge, such as
 * `+1`.
 */
function shown(line: string): string {
  const parsed = parseLine(line);
  if (typeof parsed === "string") return parsed;
  const tags = [...parsed.tags].map(([key, value]) => `${key}=${value}`).join(",");
  const samples = parsed.samples.map(
    ({ kind, value, text, rate, isDelta }) =>
      `${kind} ${kind === "set" ? text : value}${isDelta ? "*" : ""}${rate === 1 ? "" : `@${rate}`}`,
  );
  return `${parsed.name}{${tags}} ${samples.join(" ")}`;
}

describe("lines that the parser reads", () => {
  it.each([
    ["a:1|c", "a{} counter 1"],
    ["a.b-c_d/e:1|c", "a.b-c_d/e{} counter 1"],
    ["a:-1.5|c", "a{} counter -1.5"],
    ["a:1e3|c", "a{} counter 1000"],
    ["a:.5|ms", "a{} timing 0.5"],
    ["a:5.|ms", "a{} timing 5"],
    ["a:1|c|@0.1", "a{} counter 1@0.1"],
    ["a:1|c|@1", "a{} counter 1"],
    ["a:320|ms|@0.25", "a{} timing 320@0.25"],
    ["a:333|g", "a{} gauge 333"],
    ["a:+4|g", "a{} gauge 4*"],
    ["a:-10|g", "a{} gauge -10*"],
    ["a:765|s", "a{} set 765"],
    ["a:10.0.0.1:80|s", "a{} set 10.0.0.1:80"],
    ["a:me@example|s", "a{} set me@example"],
    ["a:7|h", "a{} histogram 7"],
    ["a:7|d", "a{} distribution 7"],
    // Lines whose tags are written as DogStatsD does.
    ["a:1|c|#k:v,k2", "a{k=v,k2=true} counter 1"],
    ["a:1|c|@0.5|#k:v", "a{k=v} counter 1@0.5"],
    ["a:1|c|#k:v|@0.5", "a{k=v} counter 1@0.5"],
    ["a:1|c|#url:http://x:1/y", "a{url=http://x:1/y} counter 1"],
    ["a:1|c|#", "a{} counter 1"],
    ["a:1|c|#,,", "a{} counter 1"],
    ["a:1|c|#:v,k:,x:1", "a{x=1} counter 1"],
    ["a:1|c|#k:1,k:2", "a{k=1} counter 1"],
    ["a:1:2:3|d|#k:v", "a{k=v} distribution 1 distribution 2 distribution 3"],
    ["a:1|g|#k:v|c:8f2a|T1700000000", "a{k=v} gauge 1"],
    ["a:1|c|c:8f2a", "a{} counter 1"],
    // Lines whose tags are written as Telegraf does.
    ["a,k=v,k2=v2:1|c", "a{k=v,k2=v2} counter 1"],
    ["a,k=v=w:1|c", "a{k=v=w} counter 1"],
    ["a,k:1|c", "a{k=true} counter 1"],
    ["a,k=v:1|c|#k:x,l:y", "a{k=v,l=y} counter 1"],
    ["a:1|c:2|c|@0.5:3|ms", "a{} counter 1 counter 2@0.5 timing 3"],
    ["\xff\x00:1|c|#\xe9:\x00", "\xff\x00{\xe9=\x00} counter 1"],
  ])("%j", (line, expected) => {
    expect(shown(line)).toBe(expected);
  });
});

describe("lines that the parser rejects", () => {
  it.each([
    ["", "malformed"],
    ["a", "malformed"],
    [":1|c", "malformed"],
    [",k=v:1|c", "malformed"],
    ["a:", "malformed"],
    ["a:1", "malformed"],
    ["a:1|", "malformed"],
    ["a:|c", "malformed"],
    ["a:|s", "malformed"],
    ["a:1|x", "malformed"],
    ["a:1|constructor", "malformed"],
    ["a:1|__proto__", "malformed"],
    ["a:x|c", "malformed"],
    ["a:1:|c", "malformed"],
    ["a:1|c:", "malformed"],
    ["a:1|c:2", "malformed"],
    ["a:1|c|@0", "malformed"],
    ["a:1|c|@1e-300", "malformed"],
    ["a:1|c|@2", "malformed"],
    ["a:1|c|@-1", "malformed"],
    ["a:1|c|@x", "malformed"],
    ["a:1|c|@", "malformed"],
    ["a:NaN|g", "malformed"],
    ["a:inf|g", "malformed"],
    ["a:1e999|g", "malformed"],
    ["a:0x10|c", "malformed"],
    ["a: 1|c", "malformed"],
    ["_e{5,4}:title|text|#k:v", "event"],
    ["_sc|redis|0", "service_check"],
  ])("%j: %s", (line, expected) => {
    expect(parseLine(line)).toBe(expected);
  });
});

it("reads a line with thousands of values and tags in linear time", () => {
  const many = parseLine(`a:${Array.from({ length: 20_000 }, (_, at) => at).join(":")}|d|#${"k:v,".repeat(20_000)}`);
  expect(typeof many === "string" ? 0 : many.samples.length).toBe(20_000);
  expect(parseLine(`a${":1|c".repeat(20_000)}`)).toMatchObject({ name: "a" });
  expect(parseLine(`a:1${"|".repeat(100_000)}`)).toBe("malformed");
});
