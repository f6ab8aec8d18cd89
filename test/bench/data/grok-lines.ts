// Log lines in five different formats, with the grok expressions that parse them. No two lines have the same content.

import { Dice } from "./dice.ts";

export interface Shape {
  readonly name: string;
  readonly expression: string;
  readonly line: (dice: Dice) => string;
  /** Returns the line with a mistake near its end, so that the expression does not match. */
  readonly spoil: (line: string) => string;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const agents = [
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)",
  "curl/8.5.0",
  "python-requests/2.31.0 (internal)",
];

function common(dice: Dice): string {
  const time = `${dice.day()}/${dice.pick(months)}/${2020 + dice.below(6)}:${dice.clock()} +0${dice.below(10)}00`;
  const request = `${dice.pick(["GET", "GET", "POST", "PUT"])} ${dice.path()} HTTP/1.1`;
  const user = dice.below(3) === 0 ? dice.word(3, 8) : "-";
  return `${dice.address()} - ${user} [${time}] "${request}" ${dice.pick([200, 200, 304, 404, 500])} ${dice.below(99999)}`;
}

export const shapes: readonly Shape[] = [
  { name: "common access", expression: "%{COMMONAPACHELOG}", line: common, spoil: (line) => line.replace(/\d+$/, "x") },
  {
    name: "combined access",
    expression: "%{COMBINEDAPACHELOG}",
    line: (dice) =>
      `${common(dice)} "https://${dice.word(4, 9)}.example.org${dice.path()}" "${dice.pick(agents)} ${dice.word(3, 6)}/${dice.digits(2)}"`,
    spoil: (line) => line.slice(0, -1),
  },
  {
    name: "syslog",
    expression: "%{SYSLOGBASE} %{GREEDYDATA:msg}",
    line: (dice) =>
      `${dice.pick(months)} ${dice.day()} ${dice.clock()} ${dice.word(4, 8)}-${dice.digits(2)} ${dice.word(4, 8)}[${1 + dice.below(65000)}]: ${dice.sentence(9)} ${dice.address()}`,
    spoil: (line) => line.replace("]: ", "] "),
  },
  {
    name: "app log",
    expression: String.raw`%{TIMESTAMP_ISO8601:time} %{LOGLEVEL:level} \[%{DATA:thread}\] %{NOTSPACE:class} - %{GREEDYDATA:msg}`,
    line: (dice) =>
      `202${dice.below(6)}-0${1 + dice.below(9)}-${dice.day()} ${dice.clock()},${dice.digits(3)} ${dice.pick(["INFO", "WARN", "ERROR", "DEBUG"])} [${dice.word(4, 8)}-${dice.below(64)}] com.${dice.word(4, 9)}.${dice.word(4, 12)} - ${dice.sentence(8)}`,
    spoil: (line) => line.replace(" - ", " "),
  },
  {
    name: "nginx error",
    expression: String.raw`%{DATE:date} %{TIME:time} \[%{LOGLEVEL:level}\] %{POSINT:pid}#%{INT:tid}: \*%{INT:connection} %{DATA:error}, client: %{IPORHOST:client}, server: %{IPORHOST:server}, request: "%{DATA:request}"(?:, upstream: "%{DATA:upstream}")?, host: "%{DATA:host}"`,
    line: (dice) =>
      `202${dice.below(6)}/0${1 + dice.below(9)}/${dice.day()} ${dice.clock()} [error] ${1 + dice.below(30000)}#${dice.below(9)}: *${dice.below(99999)} connect() failed (111: ${dice.sentence(2)}) while ${dice.sentence(2)}, client: ${dice.address()}, server: ${dice.word(3, 6)}.example.org, request: "GET ${dice.path()} HTTP/1.1", upstream: "http://${dice.address()}:80${1 + dice.below(80)}${dice.path()}", host: "${dice.word(3, 6)}.example.org"`,
    spoil: (line) => line.replace(", host:", "; host:"),
  },
];

/** Returns `count` distinct lines of one log format. */
export function linesOf(shape: Shape, count: number): string[] {
  const dice = new Dice(shape.name.length * 7919 + 1);
  const lines = new Set<string>();
  while (lines.size < count) lines.add(shape.line(dice));
  return [...lines];
}

/**
 * Returns `count` lines, of which a third do not match the expression of the log format. Half of the lines that
 * do not match have another format; the other half have a mistake near their end.
 */
export function mixedLines(shape: Shape, count: number): string[] {
  const dice = new Dice(shape.name.length * 104729 + 3);
  // A line of the combined format begins like a line of the common format, so the expression for the common format
  // could match it. So lines of the combined format are left out.
  const others = shapes.filter(({ name }) => name !== shape.name && name !== "combined access");
  return Array.from({ length: count }, () => {
    const line = shape.line(dice);
    const fate = dice.below(6);
    if (fate === 0) return dice.pick(others).line(dice);
    if (fate === 1) return shape.spoil(line);
    return fate === 2 ? `${line} ${dice.sentence(dice.within([1, 40]))}` : line;
  });
}
