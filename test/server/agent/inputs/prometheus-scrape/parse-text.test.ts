// The text formats of Prometheus and OpenMetrics: samples, escapes, times, exemplars, and lines that cannot be read.

import { describe, expect, it } from "vitest";
import { ConversionError } from "../../../../../server/agent/ingest/converter.ts";
import { parseText } from "../../../../../server/agent/inputs/prometheus-scrape/parse-text.ts";

/** Returns the samples as `name{label=value} value time`, and the lines that cannot be read as `line: reason`. */
function shown(text: string, isOpenMetrics = false): string[] {
  const all: string[] = [];
  parseText(
    text,
    isOpenMetrics,
    ({ name, labels, value, time }) => {
      const inBraces = labels.map(([label, each]) => `${label}=${each}`).join(",");
      all.push(`${name}{${inBraces}} ${value}${time === undefined ? "" : ` ${time}`}`);
    },
    (line, reason) => all.push(`${line}: ${reason}`),
  );
  return all;
}

describe("text that the parser reads", () => {
  it.each<[string, readonly string[]]>([
    ["", []],
    ["\n\n  \n\t\n", []],
    ["# HELP a text\n# TYPE a counter\n#\n# \n#comment", []],
    ["a 1", ["a{} 1"]],
    ["a 1\r\nb 2\r\n", ["a{} 1", "b{} 2"]],
    ["  a\t\t1  ", ["a{} 1"]],
    ["a:b_c9 1", ["a:b_c9{} 1"]],
    ["a{} 1", ["a{} 1"]],
    ['a{k="v"} 1', ["a{k=v} 1"]],
    ['a{k="v",} 1', ["a{k=v} 1"]],
    ['a { k = "v" , l = "w" } 1', ["a{k=v,l=w} 1"]],
    ['a{k="v"}1', ["a{k=v} 1"]],
    ['a{k=""} 1', ["a{k=} 1"]],
    ['a{k="}, # {"} 1', ["a{k=}, # {} 1"]],
    ['a{k="x\\"y\\\\z\\nw\\q"} 1', ['a{k=x"y\\z\nw\\q} 1']],
    ['a{k="\\\\"} 1', ["a{k=\\} 1"]],
    ['a{k="\xc3\xa9\xff"} 1', ["a{k=\xc3\xa9\xff} 1"]],
    ['{"my.metric",k="v"} 1', ["my.metric{k=v} 1"]],
    ['{k="v","my.metric"} 1', ["my.metric{k=v} 1"]],
    ['a{"my.label"="v"} 1', ["a{my.label=v} 1"]],
    ["a -1.5e-3", ["a{} -0.0015"]],
    ["a +.5", ["a{} 0.5"]],
    ["a 1.", ["a{} 1"]],
    ["a NaN\nb +Inf\nc -Inf\nd inf\ne nan", ["a{} NaN", "b{} Infinity", "c{} -Infinity", "d{} Infinity", "e{} NaN"]],
    ["a 1 1395066363000", ["a{} 1 1395066363000"]],
    ["a 1 -5", ["a{} 1 -5"]],
    ['h_bucket{le="+Inf"} 3\nh_sum 2.5\nh_count 3', ["h_bucket{le=+Inf} 3", "h_sum{} 2.5", "h_count{} 3"]],
  ])("%j", (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each<[string, readonly string[]]>([
    ["a_total 1\n# EOF", ["a_total{} 1"]],
    ["a_total 1\n# EOF\nb 2\n", ["a_total{} 1"]],
    ["a 1 1520879607.789\n# EOF\n", ["a{} 1 1520879607789"]],
    ['a_bucket{le="1"} 11 # {trace_id="KO5"} 0.67\n# EOF\n', ["a_bucket{le=1} 11"]],
    ['a_bucket{le="1"} 11 1.5 # {trace_id="KO5"} 0.67 1520879607.7\n# EOF\n', ["a_bucket{le=1} 11 1500"]],
    ["# UNIT a seconds\na_created 1.5\n# EOF\n", ["a_created{} 1.5"]],
  ])("OpenMetrics %j", (text, expected) => {
    expect(shown(text, true)).toEqual(expected);
  });
});

it.each(["", "a 1\n", "a 1\n# EO", "# HELP EOF\n"])("refuses OpenMetrics without its end: %j", (text) => {
  expect(() => shown(text, true)).toThrow(ConversionError);
});

describe("unreadable lines, which are left out while the next line is read", () => {
  it.each([
    ["a", "no value"],
    ["a{}", "no value"],
    ["a x", "the value is no number"],
    ["a 0x1", "the value is no number"],
    ["a 1 x", "the time is no number"],
    ["a 1 99999999999999999", "the time is no number"],
    ["a 1 NaN", "the time is no number"],
    ["a 1 2 3", "there is more than a value and a time"],
    ["1a 1", "no name of a metric"],
    ["\xe9 1", "no name of a metric"],
    ["{} 1", "no name of a metric"],
    ['{k="v"} 1', "no name of a metric"],
    ["a{ 1", "no name of a label"],
    ["a{", "no name of a label"],
    ["a{k} 1", "a label has no value"],
    ['a{"k"} 1', "two names of a metric"],
    ['{"a","b"} 1', "a label has no value"],
    ["a{k=v} 1", "the value of a label is not in quotes"],
    ['a{k="v} 1', "a text in quotes does not end"],
    ['a{k="v\\', "a text in quotes does not end"],
    ['a{k="v" l="w"} 1', "the labels do not end with }"],
    ['a{k="v"', "the labels do not end with }"],
    ['a{,k="v"} 1', "no name of a label"],
    ["\0\0\0", "no name of a metric"],
    ["<html>", "no name of a metric"],
  ])("%j: %s", (line, reason) => {
    expect(shown(`${line}\nb 2`)).toEqual([`1: ${reason}`, "b{} 2"]);
  });
});

it("reads hostile text in linear time", () => {
  const size = 1_000_000;
  expect(shown("x".repeat(size))).toEqual(["1: no value"]);
  expect(shown(`a{k="${"\\\\".repeat(size)}`)).toEqual(["1: a text in quotes does not end"]);
  expect(shown(`a{${'k="v",'.repeat(size / 10)}`)).toEqual(["1: no name of a label"]);
  expect(shown(`a${" ".repeat(size)}`)).toEqual(["1: no value"]);
  expect(shown(`a 1${"1".repeat(size)}`)).toEqual(["a{} Infinity"]);
});
