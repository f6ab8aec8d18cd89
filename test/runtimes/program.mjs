// The program that every JavaScript runtime runs with the installed package: decodes two wire formats, runs a script
// with grok, JSON, regular expressions and times in a time zone, and encodes three wire formats. It is plain
// JavaScript, so that every runtime reads the same file.

import { createMillrace } from "millrace";
import { Grok } from "millrace/grok";
import { compileScripts } from "millrace/pipeline";
import { categories, decodePoints, Point } from "millrace/point";
import { Regex } from "millrace/regex";
import { defaultWasm, instantiate } from "millrace/wasm";

// Bun prints the characters of a raw template that are outside ASCII as escapes. So the templates in this file insert
// such characters as variables.
const [acute, snow, omega] = ["é", "雪", "Ω"];

const lines = [
  String.raw`web,host=a\ b,zone=${acute} message="10.0.0.7 - [21/Nov/2025:10:00:00 +0000] \"GET /x?q=${snow} HTTP/1.1\" 404 12",n=9223372036854775807i,u=18446744073709551615u 1700000000000000001`,
  String.raw`web message="{\"level\":\"warn\",\"took\":[1.5,2e3,-0.0],\"who\":{\"name\":\"${omega}\"}}",f=1,g=0.1,h=1e300,ok=true 1700000000000000002`,
  `web message="2025-03-30 02:30:00 spring 13812345678 aXbXc"`,
].join("\n");

const json = `[{"measurement":"disk","tags":{"dev":"sda"},"fields":{"free":1.0,"used":12345678901234567890},"time":1700000000000000003}]`;

const script = String.raw`
add_pattern("zone", "[+-]\\d{4}")
if grok(_, "%{IP:client} - \\[%{NOTSPACE:at} %{zone:off}\\] \"%{WORD:verb} %{NOTSPACE:path} [^\"]*\" %{INT:status:int} %{INT:size:float}") {
  group_between(status, [400, 499], "client-error", kind)
}
doc = load_json(message)
if doc != nil {
  add_key(level, doc["level"])
  add_key(sum, doc["took"][0] + doc["took"][1])
  json(_, who.name, name)
}
if grok(_, "%{TIMESTAMP_ISO8601:when} %{WORD:season} %{INT:phone} %{GREEDYDATA:rest}") {
  cover(phone, [4, 7])
  replace(rest, "(?i)x(?P<letter>[a-c])", "<$letter>")
  default_time(when, "Europe/Berlin")
}
add_key(digits, match("^\\d", message))
add_key(bytes, len(message))
`;

const text = (bytes) => new TextDecoder().decode(bytes);
const utf8 = (value) => new TextEncoder().encode(value);

/** Returns bytes that must be equal in every runtime. */
export async function run() {
  const mill = await createMillrace({ clock: () => 1_700_000_000_000_000_000n, random: () => 0.5, timeZone: "UTC" });
  const out = [];

  const set = mill.compile({ "web.p": script }, { category: "logging" });
  const { scripts, errors } = set;
  for (const [name, error] of errors) out.push(`${name}: ${JSON.stringify(error)}`);
  const points = mill.decodePoints(utf8(lines), { category: "logging", form: "lp" });
  for (let i = 0; i < points.length && errors.size === 0; i++) {
    const { error } = mill.run(scripts.get("web.p"), points.at(i), { category: "logging" });
    if (error !== null) out.push(JSON.stringify(error));
  }
  for (const form of ["lp", "json", "pbjson"]) out.push(text(mill.encodePoints(points, form)));
  points.release();

  const disks = mill.decodePoints(utf8(json), { category: "metric", form: "json" });
  out.push(text(mill.encodePoints(disks, "lp")));
  disks.release();
  set.free();
  out.push(`in use ${mill.memory().used}`);

  const refused = mill.compile({ "bad.p": "a = 1\nnope(a" }, { category: "logging" });
  out.push(JSON.stringify([...refused.errors]));

  // Uses parts of the package directly: regular expressions, grok, and codecs on a WebAssembly instance of their
  // own.
  const regex = Regex.compile("(?P<year>\\d{4})-(\\pL+)|(?s:x.y)");
  out.push(JSON.stringify([regex.find("in 2025-März x\ny"), regex.replace("2025-März", "$2 $year")]));
  const grok = Grok.compile("%{MONTH:month} %{IPORHOST:client} %{NUMBER:took:float}");
  out.push(JSON.stringify([grok.match("Märch example.org 0.25"), grok.explain("Märch example.org x")]));
  const module = await instantiate(await defaultWasm(), () => 0.5);
  const batch = decodePoints(module, utf8("cpu load=0.5 7"), "lp", { category: "metric", now: 0n, precision: "s" });
  out.push(`${batch.length} ${batch.at(0).time} ${module.used > 0}`);
  batch.release();
  const compiled = compileScripts({ "one.p": "add_key(one, 1)" });
  out.push(`${compiled.scripts.size} ${new Point("made", 5n).time} ${categories.length}`);

  return utf8(`${out.join("\n")}\n`);
}

/** Returns the bytes as hexadecimal digits, which no console, page or connection changes. */
export async function runToHex() {
  return Array.from(await run(), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
