// The metrics that agent, gateway and platform declare have names that follow the rules of `promtool check metrics`.

import { describe, expect, it } from "vitest";
import { createGatewayMetrics } from "../../../server/gateway/metrics.ts";
import { createPlatformMetrics } from "../../../server/platform/metrics.ts";
import { createMetrics } from "../../../server/telemetry/metrics.ts";

interface Declared {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/**
 * Matches the part of a metric's name that is a derived unit, such as minutes or kilobytes, because names must use base
 * units.
 */
const derivedUnits =
  /^(?:milli|micro|nano|kilo|mega|giga|kibi|mebi|gibi)?(?:minutes?|hours?|days?|weeks?|percent|percentage|fahrenheit|bits?)$|^(?:milli|micro|nano)seconds?$|^(?:kilo|mega|giga|kibi|mebi|gibi)bytes?$/;
const abbreviatedUnits = /^(?:s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)$/;

/** Returns the faults that the tool promtool would report for a metric. */
function problems({ name, help, type, labels }: Declared): string[] {
  const parts = name.split("_");
  const isTotal = name.endsWith("_total");
  const rules: [boolean, string][] = [
    [help === "", "has no help"],
    [type === "counter" && !isTotal, 'counter should have the suffix "_total"'],
    [type !== "counter" && isTotal, 'only counters have the suffix "_total"'],
    [!["histogram", "summary"].includes(type) && /_(?:count|sum)$/.test(name), 'reserved suffix "_count" or "_sum"'],
    [type !== "histogram" && /_bucket$/.test(name), 'reserved suffix "_bucket"'],
    [type !== "histogram" && labels.includes("le"), 'reserved label "le"'],
    [type !== "summary" && labels.includes("quantile"), 'reserved label "quantile"'],
    [/:/.test(name), 'contains ":"'],
    [[name, ...labels].some((each) => /[a-z][A-Z]/.test(each)), "is in camel case"],
    [parts.some((part) => ["counter", "gauge", "histogram", "summary", "untyped"].includes(part)), "contains a type"],
    [parts.some((part) => abbreviatedUnits.test(part)), "contains an abbreviated unit"],
    [parts.some((part) => derivedUnits.test(part)), "contains a unit that is no base unit"],
  ];
  return rules.flatMap(([isWrong, problem]) => (isWrong ? [`${name}: ${problem}`] : []));
}

describe.each([
  ["the agent", createMetrics],
  ["the gateway", createGatewayMetrics],
  ["the platform", createPlatformMetrics],
] as const)("the metrics of %s", (_, create) => {
  it("have names that promtool accepts", async () => {
    const { registry } = create();
    const declared: Declared[] = (await registry.getMetricsAsJSON()).map(({ name, help, type, ...rest }) => ({
      name,
      help,
      type: String(type),
      labels: (rest as { labelNames?: readonly string[] }).labelNames ?? [],
    }));
    expect(declared.length).toBeGreaterThan(10);
    expect(declared.flatMap(problems)).toEqual([]);
  });
});
