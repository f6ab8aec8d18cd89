// Handwritten JavaScript that does the same as the scripts for nginx, JSON logs, syslog and Java that come with the
// server, on the points of hand-point.ts. The script benchmarks compare the library with this code, which knows only
// the log formats of test/bench/data/log-lines.ts.

import type { HandPoint } from "./hand-point.ts";

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec";

function monthOf(name: string): number {
  return monthNames.indexOf(name) / 3;
}

/**
 * Converts a time to nanoseconds since 1970. `ms`: the time without its fraction of a second, in milliseconds.
 * `fraction`: the digits of the fraction of the second.
 */
function nanoseconds(ms: number, fraction = ""): bigint {
  return BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}

/** Adds each group of a match as a text field, unless the group is absent, empty or a dash. */
function addTexts(point: HandPoint, groups: Readonly<Record<string, string>>, keys: readonly string[]): void {
  for (const key of keys) {
    const text = groups[key];
    if (text !== undefined && text !== "" && text !== "-") point.add(key, "text", text);
  }
}

const answer = String.raw`\[(?<day>\d{2})\/(?<month>[A-Z][a-z]{2})\/(?<year>\d{4}):(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) (?<sign>[+-])(?<zoneHour>\d{2})(?<zoneMinute>\d{2})\] "(?:(?<http_method>\w[\w-]*) (?<http_url>[^ "]+)(?: HTTP\/(?<http_version>[\d.]+))?|(?<http_request>.*?))" (?<code>[+-]?\d+) (?:(?<bytes>[+-]?\d+)|-)(?: "(?<referrer>.*?)" "(?<user_agent>.*?)")?`;
const access = new RegExp(String.raw`^(?<client_ip>\S+) (?<ident>\S+) (?<user>\S+) ${answer}`);
const accessOfBlankUser = new RegExp(String.raw`^(?<client_ip>\S+) (?<ident>\S+) (?<user>[^\["]+) ${answer}`);
const nginxError =
  /^(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) \[(?<status>\w+)\] (?<pid>\d+)#(?<tid>\d+): (?:\*(?<connection>\d+) )?(?<reason>.*)/;
const ofReason = [
  /client: (?<client_ip>[\w.:-]+)/,
  /server: (?<server>[^ "]+),/,
  /request: "(?:(?<http_method>\w[\w-]*) (?<http_url>[^ "]+)(?: HTTP\/(?<http_version>[\d.]+))?|(?<http_request>.*?))"/,
  /upstream: "(?<upstream>.*?)"/,
  /host: "(?<http_host>.*?)"/,
];
type Groups = Readonly<Record<string, string>>;

export function nginxByHand(point: HandPoint): void {
  const text = point.text("message");
  const found = (access.exec(text) ?? accessOfBlankUser.exec(text))?.groups as Groups | undefined;
  if (found !== undefined) accessByHand(point, found);
  else nginxErrorByHand(point, text);
}

function accessByHand(point: HandPoint, groups: Groups): void {
  point.add("client_ip", "text", groups.client_ip!);
  addTexts(point, groups, ["ident", "user"]);
  for (const key of ["http_method", "http_url", "http_version"]) point.add(key, "text", groups[key] ?? "");
  if (groups.http_request !== undefined && groups.http_request !== "")
    point.add("http_request", "text", groups.http_request);
  const code = Number(groups.code);
  point.add("status_code", "int", code);
  point.add("bytes", "int", Number(groups.bytes ?? 0));
  for (const key of ["referrer", "user_agent"]) if (groups[key] !== "-") point.add(key, "text", groups[key] ?? "");
  point.add("status", "text", code < 300 ? "OK" : code < 400 ? "notice" : code < 500 ? "warning" : "error");
  const offset = (groups.sign === "-" ? 1 : -1) * (Number(groups.zoneHour) * 60 + Number(groups.zoneMinute));
  const { year, day, hour, minute, second } = groups;
  point.time = nanoseconds(
    Date.UTC(Number(year), monthOf(groups.month!), Number(day), Number(hour), Number(minute) + offset, Number(second)),
  );
}

function nginxErrorByHand(point: HandPoint, text: string): void {
  const groups = nginxError.exec(text)?.groups as Groups | undefined;
  if (groups === undefined) {
    point.add("status", "text", "unknown");
    return;
  }
  point.add("status", "text", statusNames[groups.status!] ?? groups.status!);
  point.add("pid", "int", Number(groups.pid));
  point.add("tid", "int", Number(groups.tid));
  if (groups.connection !== undefined) point.add("connection", "int", Number(groups.connection));
  point.add("reason", "text", groups.reason!);
  for (const regex of ofReason) {
    const part = regex.exec(groups.reason!)?.groups as Groups | undefined;
    if (part === undefined) continue;
    for (const key of Object.keys(part)) {
      if (key !== "http_request" || (part[key] ?? "") !== "") point.add(key, "text", part[key] ?? "");
    }
  }
  const { year, month, day, hour, minute, second } = groups;
  point.time = nanoseconds(
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)),
  );
}

const statusNames: Readonly<Record<string, string>> = {
  warn: "warning",
  crit: "critical",
  fatal: "critical",
  trace: "debug",
  severe: "error",
};
const levelKeys = new Set(["level", "severity", "lvl"]);
const timeKeys = new Set(["time", "ts", "timestamp", "@timestamp"]);
const levelNumbers: Readonly<Record<string, string>> = {
  10: "debug",
  20: "debug",
  30: "info",
  40: "warning",
  50: "error",
};

export function jsonByHand(point: HandPoint): void {
  let log: unknown;
  try {
    log = JSON.parse(point.text("message"));
  } catch {
    log = null;
  }
  if (typeof log !== "object" || log === null || Array.isArray(log)) {
    point.add("status", "text", "unknown");
    return;
  }
  let level: unknown;
  let moment: unknown;
  for (const [key, value] of Object.entries(log)) {
    if (levelKeys.has(key)) level = value;
    else if (timeKeys.has(key)) moment = value;
    else if (key === "status" && typeof value === "number") point.add("status_code", "float", value);
    else if (typeof value === "string") point.add(key, "text", value);
    else if (typeof value === "number") point.add(key, "float", value);
    else if (typeof value === "boolean") point.add(key, "bool", value);
    else point.add(key, "text", JSON.stringify(value));
  }
  const name =
    typeof level === "number" ? (levelNumbers[level] ?? String(level)) : String(level ?? "unknown").toLowerCase();
  point.add("status", "text", statusNames[name] ?? name);
  if (typeof moment === "number") point.time = nanoseconds(moment);
  else if (typeof moment === "string") point.time = nanoseconds(Date.parse(moment));
  else if (moment !== undefined) {
    const { seconds, nanos } = moment as { seconds: number; nanos: number };
    point.time = BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
  }
}

const rfc5424 =
  /^<(?<priority>\d{1,3})>1 (?<time>[^ ]+) (?<host>[^ ]+) (?<program>[^ ]+) (?<pid>[^ ]+) (?<message_id>[^ ]+) (?<structured_data>-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+)(?: (?:\ufeff)?(?<msg>.*))?$/s;
const rfc3164 =
  /^(?:<(?<priority>\d{1,3})>)?(?<time>[A-Z][a-z]{2} +\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?:(?<host>[^ ]*[^ :]) )?(?:(?<program>[^:[ ]+)(?:\[(?<pid>[^\]]+)\])?: ?)?(?<msg>.*)$/s;
const facilities =
  "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7".split(
    " ",
  );
const severities = ["emerg", "alert", "critical", "error", "warning", "notice", "info", "debug"];

/**
 * Returns the script for syslog. `now`, in milliseconds since 1970, is the time from which the script takes the
 * year for dates without a year.
 */
export function syslogByHand(now: number): (point: HandPoint) => void {
  return (point) => {
    const text = point.text("message");
    const groups = (rfc5424.exec(text) ?? rfc3164.exec(text))?.groups as Groups | undefined;
    if (groups === undefined) {
      point.add("status", "text", "unknown");
      return;
    }
    const is5424 = groups.message_id !== undefined;
    addTexts(point, groups, ["host", "program", "message_id", "structured_data"]);
    if (groups.msg !== undefined && (groups.msg !== "" || !is5424)) point.add("msg", "text", groups.msg);
    if (groups.pid !== undefined && groups.pid !== "-") point.add("pid", "int", Number(groups.pid));
    if (groups.priority !== undefined && Number(groups.priority) < 192) {
      const code = Number(groups.priority);
      point.add("facility", "text", facilities[code >> 3]!);
      point.add("severity", "int", code & 7);
      point.add("status", "text", severities[code & 7]!);
    } else point.add("status", "text", "unknown");
    if (groups.time !== "-") point.time = syslogTime(groups.time!, now);
  };
}

const withoutYear = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)$/;

function syslogTime(text: string, now: number): bigint {
  const parts = withoutYear.exec(text);
  if (parts === null) return isoTime(text);
  const at = (year: number): number =>
    Date.UTC(year, monthOf(parts[1]!), Number(parts[2]), Number(parts[3]), Number(parts[4]), Number(parts[5]));
  const year = new Date(now).getUTCFullYear();
  // The log line has no year. A date that would be later than tomorrow in the current year belongs to the previous
  // year.
  return nanoseconds(at(year) <= now + 86_400_000 ? at(year) : at(year - 1));
}

const isoForm = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

function isoTime(text: string): bigint {
  const [, date, clock, fraction, zone] = isoForm.exec(text)!;
  return nanoseconds(Date.parse(`${date}T${clock}${zone ?? "Z"}`), fraction);
}

const level = "TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE";
const javaTime = String.raw`(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)`;
const javaRest = String.raw`(?<msg>[^\n]*)(?:\n(?<stack_trace>[\s\S]*))?$`;
const javaForms = [
  String.raw`^(?<short>\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d) +(?<status>${level}) +(?<logger>[\w.$]+): ${javaRest}`,
  String.raw`^${javaTime} +(?<status>${level}) +(?<pid>\d+) --- (?:\[(?<app>[^\]]*)\] )?\[ *(?<thread>[^\]]*)\] (?<logger>[\w.$[\]/]+) *: ${javaRest}`,
  String.raw`^${javaTime} +\[(?<thread>[^\]]*)\] +(?<status>${level}) +(?<logger>[\w.$]+)(?::\d+)? +--? ${javaRest}`,
  String.raw`^${javaTime} +(?<status>${level}) +\[(?<logger>[^\]]+)\] \((?<thread>[^)]*)\) ${javaRest}`,
  String.raw`^${javaTime} +\[?(?<status>${level})\]? +(?:\[(?<thread>[^\]]*)\] +)?(?:(?<logger>[\w$]+(?:\.[\w$]+)+)(?::\d+)? *(?:-|:) +)?${javaRest}`,
].map((source) => new RegExp(source));
const exceptionForm = /^(?<exception>[\w.$]+)(?:: (?<exception_message>[^\n]*))?/;
const lastCause = /^.*\nCaused by: ([^\n]*)/s;

export function javaByHand(point: HandPoint): void {
  const text = point.text("message");
  let groups: Groups | undefined;
  for (let at = 0; groups === undefined && at < javaForms.length; at++)
    groups = javaForms[at]!.exec(text)?.groups as Groups | undefined;
  if (groups === undefined) {
    point.add("status", "text", "unknown");
    return;
  }
  for (const key of ["thread", "logger", "app"]) if ((groups[key] ?? "") !== "") point.add(key, "text", groups[key]!);
  point.add("msg", "text", groups.msg!);
  if (groups.pid !== undefined) point.add("pid", "int", Number(groups.pid));
  const status = groups.status!.toLowerCase();
  point.add("status", "text", statusNames[status] ?? status);
  point.time = isoTime(groups.short === undefined ? groups.time! : `20${groups.short.replaceAll("/", "-")}`);
  const trace = groups.stack_trace ?? "";
  if (trace === "") return;
  point.add("stack_trace", "text", trace);
  const exception = exceptionForm.exec(trace)?.groups as Groups | undefined;
  if (exception === undefined) return;
  addTexts(point, exception, ["exception", "exception_message"]);
  const cause = lastCause.exec(trace);
  if (cause !== null) point.add("root_cause", "text", cause[1]!);
}
