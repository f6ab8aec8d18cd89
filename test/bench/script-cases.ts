// Five scripts and the same work by hand: what the benchmarks of scripts run, each over points of a real shape.

import { readFileSync } from "node:fs";
import type { HandPoint } from "../baseline/hand-point.ts";
import { seeded } from "./data/dice.ts";
import { logLines, metricLines } from "./data/regular.ts";

export interface ScriptCase {
  readonly name: string;
  readonly category: "logging" | "metric";
  readonly script: string;
  readonly body: string;
  readonly byHand: (point: HandPoint) => void;
}

const first = 1700000000000000000n;

function logs(name: string, messages: readonly string[]): string {
  return messages
    .map((message, at) => {
      const escaped = message.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
      return `${name},host=web-0${at % 4} message="${escaped}" ${first + BigInt(at)}\n`;
    })
    .join("");
}

const access =
  /^(\S+) (\S+) (\S+) \[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-]\d{2})(\d{2})\] "(?:(\w+) ([^ "]+)(?: HTTP\/([\d.]+))?|(.*?))" ([+-]?\d+) (?:([+-]?\d+)|-)(?: "(.*?)" "(.*?)")?/;

function nginxByHand(point: HandPoint): void {
  const match = access.exec(point.text("message"));
  if (match === null) throw new Error("no access line");
  point.add("client_ip", "text", match[1]!);
  if (match[2] !== "-") point.add("ident", "text", match[2]!);
  if (match[3] !== "-") point.add("user", "text", match[3]!);
  point.add("http_method", "text", match[12]!);
  point.add("http_url", "text", match[13]!);
  point.add("http_version", "text", match[14]!);
  if (match[15] !== undefined) point.add("http_request", "text", match[15]);
  const code = Number(match[16]);
  point.add("status_code", "int", code);
  point.add("bytes", "int", Number(match[17] ?? 0));
  if (match[18] !== "-") point.add("referrer", "text", match[18]!);
  if (match[19] !== "-") point.add("user_agent", "text", match[19]!);
  point.add("status", "text", code < 300 ? "OK" : code < 400 ? "notice" : code < 500 ? "warning" : "error");
  const offset = (match[10]!.startsWith("-") ? 1 : -1) * (Math.abs(Number(match[10])) * 60 + Number(match[11]));
  const month = "JanFebMarAprMayJunJulAugSepOctNovDec".indexOf(match[5]!) / 3;
  const [year, day] = [Number(match[6]), Number(match[4])];
  const ms = Date.UTC(year, month, day, Number(match[7]), Number(match[8]) + offset, Number(match[9]));
  point.time = BigInt(ms) * 1_000_000n;
}

const services = Array.from({ length: 20 }, (_, at) => `service-${String(at).padStart(2, "0")}`);

function jsonMessages(count: number): string[] {
  const random = seeded(17);
  const whole = (below: number) => Math.floor(random() * below);
  return Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      ts: `2025-11-21T10:${10 + whole(50)}:${10 + whole(50)}.${100 + whole(900)}Z`,
      level: ["info", "info", "warn", "error"][whole(4)],
      service: services[whole(20)],
      msg: `order ${whole(90000)} was paid with "card ${whole(9)}"`,
      trace_id: (at * 7919 + 2 ** 40).toString(16).padStart(16, "0"),
      duration_ms: Math.round(random() * 100000) / 100,
      http: { method: "POST", path: `/api/v1/orders/${whole(90000)}`, status: 200 + whole(4) * 100 },
      retry: whole(5) === 0,
    }),
  );
}

function jsonByHand(point: HandPoint): void {
  const parsed = JSON.parse(point.text("message"));
  point.add("service", "text", parsed.service);
  point.add("trace_id", "text", parsed.trace_id);
  point.add("duration_ms", "float", parsed.duration_ms);
  point.add("path", "text", parsed.http.path);
  const status = parsed.level === "warn" ? "warning" : parsed.level;
  point.add("status", "text", status);
}

function logfmtMessages(count: number): string[] {
  const random = seeded(19);
  const whole = (below: number) => Math.floor(random() * below);
  return Array.from(
    { length: count },
    (_, at) =>
      `ts=2025-11-21T10:${10 + whole(50)}:00Z level=${["info", "warn", "error"][whole(3)]} method=GET path=/api/v1/items/${whole(9999)} ` +
      `status=${200 + whole(4) * 100} duration=${(random() * 100).toFixed(3)}ms bytes=${whole(99999)} host=10.0.${whole(256)}.${whole(256)} ` +
      `request_id=${(at * 104729 + 2 ** 41).toString(16)} component=${services[whole(20)]}`,
  );
}

const logfmtKeys = ["level", "method", "path", "status", "duration", "bytes", "request_id", "component"];
const logfmtWanted = new Set(logfmtKeys);

function logfmtByHand(point: HandPoint): void {
  const text = point.text("message");
  let code = 0;
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(" ", at);
    const end = space < 0 ? text.length : space;
    const middle = text.indexOf("=", at);
    if (middle > at && middle < end) {
      const key = text.slice(at, middle);
      const value = text.slice(middle + 1, end);
      if (key === "status") code = Number(value);
      else if (key === "level") point.add("status", "text", value === "warn" ? "warning" : value);
      else if (logfmtWanted.has(key)) point.add(key, "text", value);
    }
    at = end + 1;
  }
  point.add("code", "int", code);
}

function rewriteByHand(point: HandPoint): void {
  point.rename("cpu_user", "usage_user");
  point.rename("cpu_system", "usage_system");
  point.rename("cpu_idle", "usage_idle");
  point.rename("mem_used_bytes", "mem_used");
  point.rename("mem_free_bytes", "mem_free");
  point.rename("uptime_seconds", "uptime");
  point.remove("interrupts");
  point.remove("rack");
  point.add("env", "text", "production", true);
  point.find("team")!.value = "billing";
  point.add("mem_total_bytes", "int", point.number("mem_used_bytes") + point.number("mem_free_bytes"));
}

function branchMessages(count: number): string[] {
  const random = seeded(23);
  return Array.from({ length: count }, () => services[Math.floor(random() * 20)]!);
}

const teams = services.map((_, at) => `team-${at % 7}`);

function branchesByHand(point: HandPoint): void {
  const text = point.text("message");
  const at = services.indexOf(text);
  point.add("team", "text", teams[at]!);
  point.add("status", "text", "unknown");
}

const nginxSource = new URL("../../server/pipelines/logging/nginx.p", import.meta.url);

export function scriptCases(points: number): ScriptCase[] {
  return [
    {
      name: "nginx.p over access lines",
      category: "logging",
      script: readFileSync(nginxSource, "utf8"),
      body: logLines(points),
      byHand: nginxByHand,
    },
    {
      name: "JSON log: load_json and 5 fields",
      category: "logging",
      script: `d = load_json(_)
add_key(service, d["service"])
add_key(trace_id, d["trace_id"])
add_key(duration_ms, d["duration_ms"])
add_key(path, d["http"]["path"])
add_key(status, d["level"])`,
      body: logs("json", jsonMessages(points)),
      byHand: jsonByHand,
    },
    {
      name: "logfmt: kv_split with 8 keys",
      category: "logging",
      script: `kv_split(_, include_keys=[${logfmtKeys.map((key) => `"${key}"`).join(", ")}])
cast(status, "int")
rename(code, status)
rename(status, level)`,
      body: logs("logfmt", logfmtMessages(points)),
      byHand: logfmtByHand,
    },
    {
      name: "metric: keys rewritten",
      category: "metric",
      script: `rename(cpu_user, usage_user)
rename(cpu_system, usage_system)
rename(cpu_idle, usage_idle)
rename(mem_used_bytes, mem_used)
rename(mem_free_bytes, mem_free)
rename(uptime_seconds, uptime)
drop_key(interrupts)
drop_key(rack)
set_tag(env, "production")
set_tag(team, "billing")
add_key(mem_total_bytes, mem_used_bytes + mem_free_bytes)`,
      body: metricLines(points),
      byHand: rewriteByHand,
    },
    {
      name: "20 branches of if and elif",
      category: "logging",
      script: services
        .map((service, at) => `${at === 0 ? "if" : "elif"} _ == "${service}" {\n  add_key(team, "${teams[at]}")\n}`)
        .join(" "),
      body: logs("branches", branchMessages(points)),
      byHand: branchesByHand,
    },
  ];
}

/** A script of `lines` lines that has something of everything. */
export function longScript(lines: number): string {
  const block = [
    `if grok(_, "%{IPORHOST:client_$} %{WORD:verb_$} %{INT:code_$:int}") {`,
    `  cast(code_$, "int")`,
    `  group_between(code_$, [200, 299], "OK", status)`,
    `  if client_$ == "10.0.0.$" && code_$ > 200 {`,
    `    add_key(class_$, "a" + verb_$)`,
    `  } else {`,
    `    nullif(verb_$, "-")`,
    `  }`,
    `}`,
    `total_$ = 0`,
    `for x in [1, 2, 3] {`,
    `  total_$ += x * $`,
    `}`,
    `data_$ = load_json("{\\"a\\": [1, 2, $]}")`,
    `add_key(third_$, data_$["a"][2])`,
    `rename(sum_$, total_$)`,
    `replace(name_$, "a+b", "c")`,
    `set_tag(part_$, "p$")`,
    `json(_, user.name_$, user_$)`,
    `default_time(time)`,
  ];
  const text: string[] = [];
  for (let at = 0; text.length < lines; at++) text.push(...block.map((line) => line.replaceAll("$", String(at))));
  return text.slice(0, lines - (lines % block.length)).join("\n");
}
