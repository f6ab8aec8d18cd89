// The bundled nginx script over decoded log points, against the same work written by hand in JavaScript with the host's
// RegExp. Both sides decode the same body and write the same fields to the same kind of point.

import { readFileSync } from "node:fs";
import { Key, type Millrace, type Points, type PointView, type Script } from "../../lib/index.ts";
import { logLines } from "./data.ts";
import type { Pair } from "./measure.ts";

const points = 1000;
const source = new URL("../../server/agent/pipeline/logging/nginx.p", import.meta.url);

export function nginxPairs(mill: Millrace): Pair[] {
  const { scripts, errors } = mill.compile({ "nginx.p": readFileSync(source, "utf8") }, { category: "logging" });
  const script = scripts.get("nginx.p");
  if (script === undefined) throw new Error(JSON.stringify([...errors]));
  const body = new TextEncoder().encode(logLines(points));
  sameFields(mill, script, body);
  return [
    {
      name: `nginx.p over ${points} access lines, decoding included`,
      baseline: "the same by hand in JS, host RegExp",
      ours: () => overEach(mill, body, (point) => runScript(mill, script, point)),
      theirs: () => overEach(mill, body, byHand),
    },
  ];
}

function overEach(mill: Millrace, body: Uint8Array, work: (point: PointView) => void): void {
  const batch: Points = mill.decodePoints(body, { category: "logging", form: "lp", now: 1700000000000000000n });
  for (let index = 0; index < batch.length; index++) work(batch.at(index));
  batch.release();
}

function runScript(mill: Millrace, script: Script, point: PointView): void {
  const { error } = mill.run(script, point, { category: "logging" });
  if (error !== null) throw new Error(error.error);
}

const access =
  /^(?<client_ip>\S+) (?<ident>\S+) (?<user>\S+) \[(?<day>\d{2})\/(?<month>[A-Z][a-z]{2})\/(?<year>\d{4}):(?<clock>\d{2}:\d{2}:\d{2}) (?<zone>[+-]\d{4})\] "(?:(?<http_method>\w+) (?<http_url>[^ "]+)(?: HTTP\/(?<http_version>[\d.]+))?|(?<http_request>.*?))" (?<status_code>[+-]?\d+) (?:(?<bytes>[+-]?\d+)|-)(?: "(?<referrer>.*?)" "(?<user_agent>.*?)")?/;

const copied = ["client_ip", "http_method", "http_url", "http_version"].map((name) => [name, new Key(name)] as const);
const dashed = ["ident", "user", "referrer", "user_agent"].map((name) => [name, new Key(name)] as const);
const message = new Key("message");
const statusCode = new Key("status_code");
const bytes = new Key("bytes");
const status = new Key("status");

/** What nginx.p does with an access line. */
function byHand(point: PointView): void {
  const groups = access.exec(String(point.get(message)))?.groups;
  if (groups === undefined) throw new Error("no access line");
  for (const [name, key] of copied) point.setField(key, groups[name]!);
  for (const [name, key] of dashed) if (groups[name] !== "-") point.setField(key, groups[name]!);
  const code = Number(groups.status_code);
  point.setField(statusCode, code);
  point.setField(bytes, Number(groups.bytes ?? 0));
  point.setField(status, code < 300 ? "OK" : code < 400 ? "notice" : code < 500 ? "warning" : "error");
  const { year, month, day, clock, zone } = groups;
  const sign = zone!.startsWith("-") ? 1 : -1;
  const offset = sign * (Number(zone!.slice(1, 3)) * 60 + Number(zone!.slice(3)));
  const monthAt = "JanFebMarAprMayJunJulAugSepOctNovDec".indexOf(month!) / 3;
  const [hours, minutes, seconds] = clock!.split(":");
  const ms = Date.UTC(Number(year), monthAt, Number(day), Number(hours), Number(minutes) + offset, Number(seconds));
  point.time = BigInt(ms) * 1_000_000n;
}

/** A bench that compares different work compares nothing: both ways must give the same point. */
function sameFields(mill: Millrace, script: Script, body: Uint8Array): void {
  const lines = (work: (point: PointView) => void): string => {
    const batch = mill.decodePoints(body, { category: "logging", form: "lp", now: 1700000000000000000n });
    for (let index = 0; index < batch.length; index++) work(batch.at(index));
    const text = new TextDecoder().decode(mill.encodePoints(batch, "lp"));
    batch.release();
    return text;
  };
  const ours = lines((point) => runScript(mill, script, point)).split("\n");
  const theirs = lines(byHand).split("\n");
  const at = ours.findIndex((line, index) => line !== theirs[index]);
  if (at >= 0) throw new Error(`the two ways differ:\n${ours[at]}\n${theirs[at]}`);
}
