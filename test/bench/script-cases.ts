// Five scripts for the script benchmarks. Each comes with handwritten JavaScript that does the same work, and
// with realistic points.

import { readFileSync } from "node:fs";
import type { HandPoint } from "../baseline/hand-point.ts";
import { nginxByHand } from "../baseline/hand-scripts.ts";
import { seeded } from "./data/dice.ts";
import { logLines, metricLines } from "./data/regular.ts";

export interface ScriptCase {
  readonly name: string;
  readonly category: "logging" | "metric";
  readonly script: string;
  /** Other scripts, by name, that `script` runs with the function `use`. */
  readonly used?: Readonly<Record<string, string>>;
  /** Name of the equivalent program in test/bench/peers/vrl. */
  readonly program: string;
  readonly body: () => string;
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

export const services = Array.from({ length: 20 }, (_, at) => `service-${String(at).padStart(2, "0")}`);

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

function fiveFieldsByHand(point: HandPoint): void {
  const parsed = JSON.parse(point.text("message"));
  if (parsed.service !== undefined) point.add("service", "text", parsed.service);
  if (parsed.trace_id !== undefined) point.add("trace_id", "text", parsed.trace_id);
  if (parsed.duration_ms !== undefined) point.add("duration_ms", "float", parsed.duration_ms);
  if (parsed.http !== undefined) point.add("path", "text", parsed.http.path);
  const status = String(parsed.level ?? "unknown").toLowerCase();
  point.add("status", "text", status === "warn" ? "warning" : status);
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
  if (at >= 0) point.add("team", "text", teams[at]!);
  point.add("status", "text", "unknown");
}

const pipelines = new URL("../../server/pipelines/logging/", import.meta.url);
export const ready = (name: string): string => readFileSync(new URL(`${name}.p`, pipelines), "utf8");

export function scriptCases(points: number): ScriptCase[] {
  return [
    {
      name: "nginx.p over access lines",
      category: "logging",
      script: ready("nginx"),
      program: "nginx",
      body: () => logLines(points),
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
      program: "five-fields",
      body: () => logs("json", jsonMessages(points)),
      byHand: fiveFieldsByHand,
    },
    {
      name: "logfmt: kv_split with 8 keys",
      category: "logging",
      script: `kv_split(_, include_keys=[${logfmtKeys.map((key) => `"${key}"`).join(", ")}])
cast(status, "int")
rename(code, status)
rename(status, level)`,
      program: "logfmt",
      body: () => logs("logfmt", logfmtMessages(points)),
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
      program: "rewrite",
      body: () => metricLines(points),
      byHand: rewriteByHand,
    },
    {
      name: "20 branches of if and elif",
      category: "logging",
      script: services
        .map((service, at) => `${at === 0 ? "if" : "elif"} _ == "${service}" {\n  add_key(team, "${teams[at]}")\n}`)
        .join(" "),
      program: "branches",
      body: () => logs("branches", branchMessages(points)),
      byHand: branchesByHand,
    },
  ];
}

/** Returns a script of `lines` lines that uses every part of the script language. */
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
