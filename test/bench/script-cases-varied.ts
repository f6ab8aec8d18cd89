// Script benchmarks over varied data: scripts that come with the server over logs in which some lines have an unknown
// format, and scripts over points that lack some keys.

import { javaByHand, jsonByHand, nginxByHand, syslogByHand } from "../baseline/hand-scripts.ts";
import { Dice } from "./data/dice.ts";
import {
  javaEvents,
  jsonLogLines,
  logBody,
  logfmtLines,
  mixedEvents,
  nginxLines,
  syslogLines,
} from "./data/log-lines.ts";
import { metricLines } from "./data/regular.ts";
import { ready, type ScriptCase, scriptCases, services } from "./script-cases.ts";

/**
 * The time of the clock of `loadMillrace` in milliseconds since 1970. Dates without a year get their year from this
 * time.
 */
const nowMs = 1_700_000_000_000;
const handsOf = { nginx: nginxByHand, json: jsonByHand, syslog: syslogByHand(nowMs), java: javaByHand };
type Kind = keyof typeof handsOf;
export const mixedKinds = Object.keys(handsOf) as Kind[];

/**
 * For each script that comes with the server: the name of its lines in the report, and the function that makes its log
 * lines.
 */
const logsOf = {
  nginx: { lines: "access and error lines", make: nginxLines },
  json: { lines: "JSON log lines", make: jsonLogLines },
  syslog: { lines: "lines of RFC 3164 and 5424", make: syslogLines },
  java: { lines: "log lines and stack traces", make: javaEvents },
} as const;

export function variedScriptCases(points: number): ScriptCase[] {
  const [, fiveFields, logfmt, rewrite, branches] = scriptCases(points) as [
    ScriptCase,
    ScriptCase,
    ScriptCase,
    ScriptCase,
    ScriptCase,
  ];
  return [
    ...mixedKinds.map(
      (kind): ScriptCase => ({
        name: `${kind}.p over varied ${logsOf[kind].lines}`,
        category: "logging",
        script: ready(kind),
        program: kind,
        body: () => logBody(kind, logsOf[kind].make(points)),
        byHand: handsOf[kind],
      }),
    ),
    {
      name: "varied mixed events: nginx.p, json.p, syslog.p, java.p by a tag",
      category: "logging",
      script: mixedKinds
        .map((kind, at) => `${at === 0 ? "if" : "elif"} kind == "${kind}" {\n  use("${kind}.p")\n}`)
        .join(" "),
      used: Object.fromEntries(mixedKinds.map((kind) => [`${kind}.p`, ready(kind)])),
      program: "mixed",
      body: () => logBody("mixed", mixedEvents(points)),
      byHand: (point) => handsOf[point.text("kind") as Kind](point),
    },
    {
      ...fiveFields,
      name: `varied ${fiveFields.name}`,
      body: () =>
        logBody(
          "json",
          jsonLogLines(2 * points)
            .filter(({ fits }) => fits)
            .slice(0, points),
        ),
    },
    {
      ...logfmt,
      name: `varied ${logfmt.name}`,
      body: () =>
        logBody(
          "logfmt",
          logfmtLines(points).map((text) => ({ text })),
        ),
    },
    { ...rewrite, name: `varied ${rewrite.name}`, body: () => variedMetrics(points) },
    {
      ...branches,
      name: `varied ${branches.name}`,
      body: () =>
        logBody(
          "branches",
          serviceNames(points).map((text) => ({ text })),
        ),
    },
  ];
}

/**
 * Metric lines with their fields in random order and some fields missing. The fields `mem_used` and `mem_free` are
 * never missing, because the script computes with them.
 */
function variedMetrics(points: number): string {
  const dice = new Dice(71);
  return metricLines(points).replace(/^(\S+) (\S+) (\d+)$/gm, (_, series: string, fields: string, time: string) => {
    const present = fields.split(",").filter((field) => field.startsWith("mem_") || dice.chance(0.85));
    return `${series} ${dice.shuffled(present).join(",")} ${time}`;
  });
}

/**
 * Returns one string for each point. Seven of ten are the name of a service; the others are strings for which
 * the script has no branch.
 */
function serviceNames(points: number): string[] {
  const dice = new Dice(73);
  return Array.from({ length: points }, () =>
    dice.chance(0.7) ? dice.pick(services) : `${dice.pick(["service-", ""])}${dice.sentence(dice.within([1, 8]))}`,
  );
}
