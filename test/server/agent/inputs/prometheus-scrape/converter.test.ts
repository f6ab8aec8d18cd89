// Converts the metrics text of a target to points: measurements, fields, tags, times, filters, and omitted samples.

import { expect, it } from "vitest";
import { ConversionError } from "../../../../../server/agent/ingest/converter.ts";
import {
  failedScrape,
  type PrometheusTextConversion,
  prometheusTextConverter,
} from "../../../../../server/agent/inputs/prometheus-scrape/converter.ts";

const usual: PrometheusTextConversion = {
  converter: "prometheus-text",
  isCounted: false,
  isOpenMetrics: false,
  measurement: "",
  honorTimestamps: true,
  maxSamples: 1000,
  time: 9n,
  seconds: 0.25,
  keep: [],
  drop: [],
  keepLabels: {},
  dropLabels: {},
};

function convert(text: string, more: Partial<PrometheusTextConversion> = {}) {
  const { points, rejected } = prometheusTextConverter.convert(Buffer.from(text), { ...usual, ...more }, 0);
  const lines = Buffer.from(points).toString().split("\n").slice(0, -1);
  // The member `lines` of the result leaves out the points `up` and `scrape`, which describe the request for the
  // metrics and not the metrics themselves.
  return { lines: lines.filter((line) => !/^(?:up |scrape )/.test(line)), all: lines, rejected };
}

it.each<[string, Partial<PrometheusTextConversion>, readonly string[]]>([
  ["node_load1 0.5", {}, ["node load1=0.5 9"]],
  ["up2 1", {}, ["up2 up2=1 9"]],
  ['a_b{k="v"} 1\na_c{k="v"} 2\na_b 3', {}, ["a,k=v b=1,c=2 9", "a b=3 9"]],
  ['a_b{k="v"} 1\na_b{k="v"} 2', {}, ["a,k=v b=1 9"]],
  ['a_b{k="",l="x y"} 1', {}, ["a,l=x\\ y b=1 9"]],
  ['a_b{k="x\\ny\\\\"} 1', {}, ["a,k=x_y_ b=1 9"]],
  ['a_b{k="é"} 1', {}, ["a,k=é b=1 9"]],
  ["a_b NaN\na_c +Inf\na_d -Inf\na_e 1", {}, ["a e=1 9"]],
  ["a_b 1 5\na_c 2 5\na_d 3 6", {}, ["a b=1,c=2 5000000", "a d=3 6000000"]],
  ["a_b 1 5\na_c 2", { honorTimestamps: false }, ["a b=1,c=2 9"]],
  ["a_b 1.5 2.5\n# EOF", { isOpenMetrics: true }, ["a b=1.5 2500000000"]],
  [
    "a_b 1\nc_d 2",
    { measurement: "my app" },
    ["my\\ app a_b=1,c_d=2,up=1,scrape_duration_seconds=0.25,scrape_samples_scraped=2 9"],
  ],
  [
    'h_x_bucket{le="1"} 1\nh_x_bucket{le="+Inf"} 2\nh_x_sum 3\nh_x_count 2',
    {},
    ["h,le=1 x_bucket=1 9", "h,le=+Inf x_bucket=2 9", "h x_sum=3,x_count=2 9"],
  ],
  ["a_b 1\na_c 2\nz 3", { keep: ["a_.*"] }, ["a b=1,c=2 9"]],
  ["a_b 1\na_c 2\nz 3", { keep: ["a"] }, []],
  ["a_b 1\na_c 2\nz 3", { keep: ["a_b", "z"] }, ["a b=1 9", "z z=3 9"]],
  ["a_b 1\na_c 2\nz 3", { keep: ["a_.*"], drop: ["a_(b|d)"] }, ["a c=2 9"]],
  ['a_b{m="x"} 1\na_b{m="y"} 2\na_b 3', { keepLabels: { m: "x|z" } }, ["a,m=x b=1 9"]],
  ['a_b{m="x"} 1\na_b{m="y"} 2\na_b 3', { dropLabels: { m: "x" } }, ["a,m=y b=2 9", "a b=3 9"]],
  ['a_b{m="xx"} 1\na_b 2', { dropLabels: { m: "" } }, ["a,m=xx b=1 9"]],
  ['a_b{m="é"} 1', { keepLabels: { m: "." } }, ["a,m=é b=1 9"]],
])("converts %j with the options %j to the points %j", (text, more, expected) => {
  expect(convert(text, more).lines).toEqual(expected);
});

it("adds the points up and scrape for each scrape", () => {
  expect(convert("a_b 1\na_c NaN", { drop: [".*"] }).all).toEqual([
    "up up=1 9",
    "scrape duration_seconds=0.25,samples_scraped=2 9",
  ]);
  expect(Buffer.from(failedScrape("", 9n, 1)).toString()).toBe(
    "up up=0 9\nscrape duration_seconds=1,samples_scraped=0 9\n",
  );
});

it("leaves out unreadable lines and samples beyond the limit, and reports their number", () => {
  const { lines, rejected } = convert("a_b 1\nbad\nworse\na_c 2\na_d 3", { maxSamples: 2 });
  expect(lines).toEqual(["a b=1,c=2 9"]);
  expect(rejected).toEqual({ count: 3, reason: "line 2: no value; 1 samples beyond 2 (max_samples)" });
});

it("refuses OpenMetrics text without its end marker", () => {
  const run = () => convert("a_b 1", { isOpenMetrics: true });
  expect(run).toThrow(new ConversionError("the text does not end with # EOF"));
  expect(prometheusTextConverter.refusal).toEqual({ code: "agent.invalidData", prefix: "metrics of a target: " });
});
