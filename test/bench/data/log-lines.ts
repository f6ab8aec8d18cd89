// Varied log lines of several programs, and bodies of points with such a line in the field `message`. A few lines have
// a format that the ready script (the script for this program that comes with the server) does not know; their member
// `fits` is false.

import { Dice } from "./dice.ts";

export interface LogLine {
  readonly text: string;
  readonly fits: boolean;
}

/** Share of the lines that have a format which the ready script for their program does not know. */
export const misfitShare = 0.05;

type Make = (dice: Dice) => string;

function logLinesOf(seed: number, count: number, make: Make, misfit: Make): LogLine[] {
  const dice = new Dice(seed);
  return Array.from({ length: count }, () => {
    const fits = !dice.chance(misfitShare);
    return { text: fits ? make(dice) : misfit(dice), fits };
  });
}

const plainText: Make = (dice) =>
  `${dice.pick(["starting", "warning:", "***"])} ${dice.sentence(dice.within([2, 30]))}`;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number): string => String(value).padStart(2, "0");

/** Lines of nginx: access logs in the common and the combined format, with `-` for missing values, and error logs. */
export function nginxLines(count: number): LogLine[] {
  return logLinesOf(41, count, (dice) => (dice.chance(0.1) ? nginxError(dice) : nginxAccess(dice)), plainText);
}

function nginxAccess(dice: Dice): string {
  const client = dice.chance(0.15) ? `2001:db8::${dice.word(1, 1)}${dice.digits(3)}` : dice.address();
  const user = dice.chance(0.7) ? "-" : `${dice.word(3, 10)}${dice.chance(0.05) ? ` ${dice.word(3, 8)}` : ""}`;
  const zone = dice.pick(["+0000", "+0000", "+0200", "-0730"]);
  const time = `${dice.day()}/${dice.pick(months)}/202${dice.below(6)}:${dice.clock()} ${zone}`;
  const size = dice.chance(0.1) ? "-" : dice.below(10 ** dice.within([1, 8]));
  const status = dice.pick([200, 200, 200, 200, 204, 301, 304, 404, 404, 500, 502]);
  const agent = `Mozilla/5.0 (${dice.sentence(dice.within([1, 20]))}) ${dice.word(3, 8)}/${dice.digits(3)}`;
  const referrer = dice.chance(0.5) ? "-" : `https://${dice.word(4, 12)}.example.org${longPath(dice)}`;
  const rest = dice.chance(0.15) ? "" : ` "${referrer}" "${dice.chance(0.2) ? "-" : agent}"`;
  return `${client} - ${user} [${time}] "${requestOf(dice)}" ${status} ${size}${rest}`;
}

function requestOf(dice: Dice): string {
  if (dice.chance(0.02)) return dice.pick(["", "-", "\\x16\\x03\\x01\\x00", "quit now, please"]);
  const method = dice.pick(["GET", "GET", "GET", "POST", "PUT", "DELETE", "OPTIONS"]);
  return `${method} ${longPath(dice)}${dice.chance(0.02) ? "" : ` HTTP/${dice.pick(["1.0", "1.1", "2.0"])}`}`;
}

/** Returns a URL path, which usually has a few bytes and rarely hundreds. */
function longPath(dice: Dice): string {
  const query = Array.from(
    { length: dice.chance(0.2) ? dice.below(20) : 0 },
    () => `${dice.word(1, 8)}=${dice.word(1, 20)}`,
  );
  return `${dice.path()}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

function nginxError(dice: Dice): string {
  const time = `202${dice.below(6)}/0${1 + dice.below(9)}/${dice.day()} ${dice.clock()}`;
  const connection = dice.chance(0.7) ? `*${dice.below(10 ** 6)} ` : "";
  const parts = [
    dice.chance(0.8) ? `, client: ${dice.address()}` : "",
    dice.chance(0.8) ? `, server: ${dice.word(3, 9)}.example.org` : "",
    dice.chance(0.6) ? `, request: "GET ${longPath(dice)} HTTP/1.1"` : "",
    dice.chance(0.4) ? `, upstream: "http://${dice.address()}:8080${dice.path()}"` : "",
    dice.chance(0.6) ? `, host: "${dice.word(3, 9)}.example.org"` : "",
  ];
  const level = dice.pick(["error", "warn", "crit", "notice"]);
  return `${time} [${level}] ${1 + dice.below(30000)}#${dice.below(64)}: ${connection}${dice.sentence(dice.within([3, 15]))}${parts.join("")}`;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Returns log lines that are JSON objects. Optional members come in any order, some of them nested; the members for the
 * log level and the time have the names that most programs use. Some lines are not JSON.
 */
export function jsonLogLines(count: number): LogLine[] {
  return logLinesOf(
    43,
    count,
    (dice) => JSON.stringify(jsonLog(dice)),
    (dice) => (dice.chance(0.5) ? plainText(dice) : JSON.stringify(jsonLog(dice)).slice(0, -1)),
  );
}

const keyDice = new Dice(79);
const textKeys = Array.from({ length: 150 }, () => keyDice.word(4, 9));
const numberKeys = Array.from({ length: 150 }, () => keyDice.word(10, 14));

/**
 * In objects inside another object, the members are sorted by key, because scripts write such objects in this
 * order.
 */
function jsonLog(dice: Dice): Json {
  const second = 1_600_000_000 + dice.below(90_000_000);
  const moment = new Date(second * 1000 + dice.below(1000)).toISOString();
  const time = dice.pick<Json>([
    moment,
    moment,
    second * 1000 + dice.below(1000),
    { seconds: second, nanos: dice.below(10 ** 9) },
  ]);
  const level = dice.pick<Json>(["info", "INFO", "warn", "Error", "debug", "fatal", 30, 40, 50]);
  const members: (readonly [string, Json])[] = [
    [dice.pick(["time", "ts", "timestamp", "@timestamp"]), time],
    [dice.pick(["level", "level", "severity", "lvl"]), level],
    [
      "msg",
      `${dice.sentence(dice.within([1, 25]))}${dice.chance(0.2) ? ` "${dice.word(2, 6)}"\n\tat ${dice.word(3, 9)}` : ""}`,
    ],
    ["service", dice.word(4, 12)],
    ["trace_id", dice.bits64().toString(16)],
    ["duration_ms", Number((dice.fraction() * 10 ** dice.below(5)).toFixed(dice.below(6)))],
    ["http", { method: "GET", path: dice.path(), status: 200 + dice.below(300) }],
    [
      "user",
      { address: { city: "Köln" }, id: dice.below(10 ** 6), name: dice.word(3, 9), roles: ["a", dice.word(2, 5)] },
    ],
    ["retry", dice.chance(0.5)],
    ["attempts", dice.below(10)],
    ["status", 200 + dice.below(300)],
    ["tags", Array.from({ length: dice.below(5) }, () => dice.word(2, 8))],
    [dice.pick(textKeys), dice.word(1, 40)],
    [dice.pick(numberKeys), dice.below(10 ** 9)],
  ];
  const present = members.filter((_, at) => dice.chance(at === 2 ? 1 : at < 2 ? 0.95 : 0.6));
  return Object.fromEntries(dice.chance(0.5) ? dice.shuffled(present) : present);
}

/** Lines of syslog (RFC 3164 and RFC 5424), as received from the network and as found in files. */
export function syslogLines(count: number): LogLine[] {
  return logLinesOf(
    47,
    count,
    (dice) => dice.pick([syslog3164, syslogFile, syslog5424])(dice),
    (dice) => {
      const text = plainText(dice);
      return dice.chance(0.5) ? `<${dice.below(192)}>2 ${text}` : text;
    },
  );
}

function programOf(dice: Dice): string {
  const pid = dice.chance(0.7) ? `[${1 + dice.below(65000)}]` : "";
  return `${dice.word(3, 12)}${pid}: ${dice.sentence(dice.within([2, 30]))}`;
}

function syslog3164(dice: Dice): string {
  const day = 1 + dice.below(28);
  const priority = dice.chance(0.5) ? `<${dice.below(192)}>` : "";
  return `${priority}${dice.pick(months)} ${String(day).padStart(2, " ")} ${dice.clock()} ${dice.word(3, 9)}-${dice.digits(2)} ${programOf(dice)}`;
}

function syslogFile(dice: Dice): string {
  return `202${dice.below(4)}-${two(1 + dice.below(12))}-${dice.day()}T${dice.clock()}.${dice.digits(dice.pick([3, 6]))}${dice.pick(["Z", "+01:00"])} ${dice.word(3, 9)} ${programOf(dice)}`;
}

function syslog5424(dice: Dice): string {
  const orDash = (share: number, text: string): string => (dice.chance(share) ? text : "-");
  const time = `202${dice.below(4)}-${two(1 + dice.below(12))}-${dice.day()}T${dice.clock()}.${dice.digits(3)}Z`;
  const data = Array.from({ length: 1 + dice.below(2) }, () => {
    const pairs = Array.from(
      { length: 1 + dice.below(3) },
      () => `${dice.word(2, 8)}="${dice.word(1, 9)}${dice.chance(0.2) ? '\\"]' : ""}"`,
    );
    return `[${dice.word(3, 8)}@${dice.digits(5)} ${pairs.join(" ")}]`;
  }).join("");
  const head = [
    time,
    orDash(0.9, dice.word(3, 12)),
    orDash(0.9, dice.word(3, 9)),
    orDash(0.6, dice.digits(4)),
    orDash(0.5, `ID${dice.digits(2)}`),
  ];
  return `<${dice.below(192)}>1 ${head.join(" ")} ${orDash(0.5, data)}${dice.chance(0.95) ? ` ${dice.sentence(dice.within([1, 40]))}` : ""}`;
}

/** Lines of logback, log4j, Spring Boot, JBoss and Spark. Some have a stack trace with causes. */
export function javaEvents(count: number): LogLine[] {
  return logLinesOf(
    53,
    count,
    javaEvent,
    (dice) => `\tat ${javaClass(dice)}.${dice.word(3, 9)}(${dice.word(3, 9)}.java:${dice.digits(3)})`,
  );
}

function javaClass(dice: Dice): string {
  const packages = Array.from({ length: 1 + dice.below(4) }, () => dice.word(2, 9));
  return `com.${packages.join(".")}.${dice.word(1, 1).toUpperCase()}${dice.word(3, 14)}`;
}

function javaEvent(dice: Dice): string {
  const date = `202${dice.below(6)}-${two(1 + dice.below(12))}-${dice.day()}`;
  const time = `${dice.clock()}${dice.pick([".", ","])}${dice.digits(3)}`;
  const level = dice.pick(["INFO", "INFO", "WARN", "ERROR", "DEBUG", "TRACE"]);
  const thread = dice.pick([
    "main",
    `pool-${dice.below(9)}-thread-${dice.below(64)}`,
    `http-nio-8080-exec-${dice.below(200)}`,
  ]);
  const logger = javaClass(dice);
  const text = `${dice.sentence(dice.within([2, 25]))}${dice.chance(0.12) ? `\n${stackTrace(dice)}` : ""}`;
  return dice.pick([
    () => `${date} ${time} [${thread}] ${level.padEnd(5)} ${logger} - ${text}`,
    () => `${date} ${time} ${level} [${thread}] ${logger}: ${text}`,
    () => `${date}T${time}+01:00  ${level} ${dice.digits(4)} --- [${dice.word(3, 9)}] [${thread}] ${logger} : ${text}`,
    () => `${date} ${time} ${level} ${dice.digits(4)} --- [${thread.padStart(15)}] ${logger.padEnd(40)} : ${text}`,
    () => `${date} ${time} ${level}  [${logger}] (${thread}) ${text}`,
    () => `${date.slice(2).replaceAll("-", "/")} ${time.slice(0, 8)} ${level} ${logger}: ${text}`,
  ])();
}

function stackTrace(dice: Dice): string {
  const exception = (): string =>
    `${javaClass(dice)}Exception${dice.chance(0.8) ? `: ${dice.sentence(dice.within([1, 9]))}` : ""}`;
  const frames = (): string =>
    Array.from(
      { length: dice.within([2, 25]) },
      () => `\n\tat ${javaClass(dice)}.${dice.word(3, 9)}(${dice.word(3, 9)}.java:${dice.digits(3)})`,
    ).join("");
  const causes = Array.from(
    { length: dice.below(3) },
    () => `\nCaused by: ${exception()}${frames()}\n\t... ${dice.below(40)} more`,
  );
  return `${exception()}${frames()}${causes.join("")}`;
}

/** Pairs `key=value` in any order; some pairs are missing, and some values are in quotes. */
export function logfmtLines(count: number): string[] {
  const dice = new Dice(59);
  return Array.from({ length: count }, () => {
    const pairs = [
      `ts=2025-11-21T${dice.clock()}Z`,
      `level=${dice.pick(["info", "warn", "error"])}`,
      `method=${dice.pick(["GET", "POST"])}`,
      `path=${dice.path().replaceAll("=", "-")}`,
      `status=${200 + dice.below(300)}`,
      `duration=${(dice.fraction() * 100).toFixed(dice.below(5))}ms`,
      `bytes=${dice.below(10 ** dice.within([1, 9]))}`,
      `host=${dice.address()}`,
      `request_id=${dice.bits64().toString(16)}`,
      `component=${dice.word(3, 14)}`,
      `${dice.word(2, 9)}=${dice.word(1, 30)}`,
    ].filter(() => dice.chance(0.85));
    return dice.shuffled(pairs).join(" ");
  });
}

const firstTime = 1700000000000000000n;

/**
 * Returns a body of line protocol with one log for each event. Each log has a message, and some logs have further tags
 * and fields. The `kind` of an event becomes the tag `kind`.
 */
export function logBody(source: string, events: readonly { readonly text: string; readonly kind?: string }[]): string {
  const dice = new Dice(61);
  return events
    .map(({ text, kind }, at) => {
      const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
      const tags = [
        `machine=m-${dice.below(30)}`,
        ...(dice.chance(0.7) ? [`zone=${dice.pick(["eu\\ west", "us-1", "ap-2"])}`] : []),
        ...(dice.chance(0.4) ? [`pod=${dice.word(4, 20)}-${dice.digits(4)}`] : []),
        ...(kind === undefined ? [] : [`kind=${kind}`]),
      ];
      const fields = [`message="${escaped}"`, ...(dice.chance(0.4) ? [`offset=${dice.below(10 ** 7)}i`] : [])];
      return `${source},${tags.join(",")} ${dice.shuffled(fields).join(",")} ${firstTime + BigInt(at)}\n`;
    })
    .join("");
}

/** Returns lines of nginx, JSON, syslog and Java in random order, each with its kind. */
export function mixedEvents(count: number): (LogLine & { readonly kind: string })[] {
  const dice = new Dice(67);
  const lists = {
    nginx: nginxLines(count),
    json: jsonLogLines(count),
    syslog: syslogLines(count),
    java: javaEvents(count),
  };
  return Array.from({ length: count }, (_, at) => {
    const kind = dice.pick(Object.keys(lists) as (keyof typeof lists)[]);
    return { ...lists[kind][at]!, kind };
  });
}
