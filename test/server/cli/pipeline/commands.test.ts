// `millrace pipeline trace`, `repl`, `bench` and `docs`, and `millrace pipeline -P FILE` without a subcommand, run as a
// user runs them.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { millrace } from "../../support/millrace.ts";

const folder = mkdtempSync(path.join(tmpdir(), "millrace-look-"));

function script(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

it.each(["trace", "repl", "bench", "docs"])("millrace pipeline %s --help shows how it is used", async (verb) => {
  const { code, out } = await millrace(["pipeline", verb, "--help"]);
  expect([code, out.startsWith(`Usage: millrace pipeline ${verb} `), out.includes("Examples:")]).toEqual([
    0,
    true,
    true,
  ]);
});

describe("millrace pipeline trace", () => {
  it("prints every statement with its changes", async () => {
    const file = script(
      "t.p",
      'if grok(_, "%{INT:n:int}") {\n    m = n + 1\n    rename(k, n)\n} else {\n    drop()\n}\n',
    );
    const { code, out, err } = await millrace(["pipeline", "trace", file], "7\nx\n");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      [
        "--- point 1",
        't.p:1:1              if grok(_, "%{INT:n:int}") {',
        "                         n = 7",
        "                         branch 1",
        "t.p:2:5                m = n + 1",
        "                           variable m = 8",
        "t.p:3:5                rename(k, n)",
        "                           n renamed to k",
        "--- point 2",
        't.p:1:1              if grok(_, "%{INT:n:int}") {',
        "                         grok does not match: %{INT:n:int}",
        "                         branch 2",
        "t.p:5:5                drop()",
        "                           the point is dropped",
        "dropped\n",
      ].join("\n"),
    );
  });

  it("prints created points", async () => {
    const file = script("c.p", 'create_point("pump", {"host": "h1"}, {"f": 1})\n');
    const { out } = await millrace(["pipeline", "trace", file], "x\n");
    expect(out).toContain(`${" ".repeat(25)}created metric "pump": f = 1, tag host = "h1"\n`);
  });

  it("continues a script that waits for a request, here to a refused address", async () => {
    const file = script("w.p", 'r = http_request("GET", "http://127.0.0.1:9/")\nadd_key(n, 1)\n');
    const { code, out, err } = await millrace(["pipeline", "trace", file], "x\nx\n");
    expect([code, err]).toEqual([
      0,
      "http_request is refused: host 127.0.0.1 has the internal address 127.0.0.1; the settings pipeline.http_request_* decide that\n",
    ]);
    expect(out).toMatch(/^w\.p:1:1 .*\n(?: {25}.*\n)*w\.p:2:1 +add_key\(n, 1\)\n {25}n = 1\n/m);
    expect((await millrace(["pipeline", "repl"], 'http_request("GET", "http://127.0.0.1:9/")\nn = 1\n')).out).toContain(
      "variable n = 1",
    );
    expect((await millrace(["pipeline", "bench", file, "--seconds", "0.05"], "x\n")).out).toContain(
      "(2.0 statements per point)",
    );
    expect((await millrace(["pipeline", "-P", file, "-T", "x"])).out).toContain('"n": 1');
  });

  it("prints the position at which a script fails", async () => {
    const { code, out, err } = await millrace(["pipeline", "trace", script("e.p", "a = 0\nb = 1 / a\n")], "x\n");
    expect(code).toBe(1);
    expect(out).toContain("error: integer division by zero\n");
    expect(err).toMatch(/^e\.p:2:/);
  });
});

describe("millrace pipeline repl", () => {
  it("prints the changes or the value of each entry", async () => {
    const entries = [
      'grok(_, "%{IP:client} %{WORD:method}")',
      "n = len(method) + 1",
      "if n == 4 {",
      "  set_tag(method)",
      "}",
      "nosuch(1)",
      ".undo",
      "n * 2.5",
      "nothing",
      "z = 1 / (n - n)",
      ".undo",
      ".script",
      ".input 10.0.0.2",
      "_",
    ];
    const { code, out, err } = await millrace(["pipeline", "repl", "10.0.0.1 GET"], `${entries.join("\n")}\n`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      [
        '>   client = "10.0.0.1"',
        '  method = "GET"',
        "  true",
        ">   variable n = 4",
        '> ... ...   tag method = "GET"   (was "GET")',
        "> unsupported func: `nosuch`",
        "> >   10.0",
        "> >   repl:5:7: integer division by zero",
        '> > grok(_, "%{IP:client} %{WORD:method}")',
        "n = len(method) + 1",
        "n * 2.5",
        "nothing",
        '> >   "10.0.0.2"',
        "> \n",
      ].join("\n"),
    );
  });
});

describe("millrace pipeline bench", () => {
  it("prints points per second and the costly statements", async () => {
    const file = script("b.p", 'grok(_, "%{INT:n:int}")\nx = n\n');
    const { code, out } = await millrace(["pipeline", "bench", file, "--seconds", "0.05"], "1\n2\n");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^lines per second {2}\d+ {3}\(\d+ from body to protobuf\)\nns per point {7}\d+\nns per statement {3}\d+ {3}\(2\.0 statements per point\)\n/,
    );
    expect(out).toMatch(/^ *\d+\.\d % +\d+x {2}b\.p:1:1 +grok\(_, "%\{INT:n:int\}"\)$/m);
    expect((await millrace(["pipeline", "bench", file], "")).err).toContain("there is no input");
    expect((await millrace(["pipeline", "bench", file, "--seconds", "x"], "")).err).toContain(
      "--seconds must be a number",
    );
  });
});

describe("millrace pipeline docs", () => {
  it("lists the functions and describes one", async () => {
    expect((await millrace(["pipeline", "docs"])).out).toMatch(/^add_key +Writes a value to a key of the point\./m);
    const { out } = await millrace(["pipeline", "docs", "kv_split"]);
    expect(out).toMatch(/^kv_split\(key, \[field_split_pattern\],/);
    expect(out).toMatch(/^ {2}include_keys +list, optional: /m);
    expect(out).toMatch(/^ {6}out {2}/m);
    expect(await millrace(["pipeline", "docs", "split"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("there is no function split; did you mean kv_split"),
    });
  });
});

describe("millrace pipeline --multiline", () => {
  const file = script("m.p", 'grok(_, "(?s)^%{YEAR:y} %{GREEDYDATA:rest}")\ndrop_origin_data()\n');
  const input = "lost\n2020 a\n  at b\n\n2021 c\n";

  it("creates one log from a matching line and the lines after it, for run", async () => {
    const { code, out } = await millrace(["pipeline", "run", file, "--multiline", "^\\d{4} "], input);
    const fields = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).fields);
    expect([code, fields]).toEqual([
      0,
      [
        { status: "unknown" },
        { status: "unknown", y: "2020", rest: "a\n  at b" },
        { status: "unknown", y: "2021", rest: "c" },
      ],
    ]);
  });

  it("counts these multiline logs, for bench", async () => {
    const { out } = await millrace(["pipeline", "bench", file, "--seconds", "0.01", "--multiline", "^\\d{4} "], input);
    expect(out).toContain("over 3 points");
  });

  it.each<[args: string[], message: string]>([
    [["--multiline", "("], "--multiline: error parsing regexp: missing closing ): `(`"],
    [["--multiline", "a", "--category", "metric"], "--multiline is for logging, other categories are line protocol"],
  ])("%s is refused", async (args, message) => {
    const { code, err } = await millrace(["pipeline", "run", file, ...args], "m f=1\n");
    expect([code, err.includes(message)]).toEqual([1, true]);
  });
});

describe("millrace pipeline -P", () => {
  it("prints created points, and grok patterns that did not match", async () => {
    const file = script("o.p", 'create_point("pump", {}, {"f": 1})\ngrok(_, "%{INT:n}")\n');
    const { out } = await millrace(["pipeline", "-P", file, "-T", "x"]);
    expect(out).toMatch(
      /cost: .*\no\.p:1:1: created metric "pump": f = 1\no\.p:2:1: grok does not match: %\{INT:n\}\n$/,
    );
  });

  it("prints one point as JSON, tags with #", async () => {
    const file = script("p.p", 'grok(_, "%{WORD:w} %{INT:n:int}")\nset_tag(w)\nadd_key(time, 1700000000000000001)\n');
    const { code, out } = await millrace(["pipeline", "-P", file, "-T", "a 7"]);
    expect(code).toBe(0);
    const [json, rest] = out.split("---------------\n");
    expect(json).toBe(
      '{\n  "message": "a 7",\n  "n": 7,\n  "status": "unknown",\n  "time": 1700000000000000001,\n  "w#": "a"\n}\n',
    );
    expect(rest).toMatch(
      /^Extracted 3 fields, 1 tags; measurement\(M\)<source\(L\),class\(O\)\.\.\.>: default, drop: false, cost: [\d.]+[µnm]?s\n$/,
    );
  });

  it("accepts --tab, --date, other categories, bundled scripts and files", async () => {
    const input = script("in.txt", "1:M 21 Nov 2025 10:00:00.123 * Ready\n");
    const redis = await millrace(["pipeline", "-P", "redis.p", "-F", input, "--tab", "--date"]);
    expect(redis.out).toMatch(/^message: "1:M 21 Nov 2025 10:00:00\.123 \* Ready"\n {4}pid: 1\n/);
    expect(redis.out).toContain("   time: ");
    const metric = await millrace([
      "pipeline",
      "-P",
      script("m.p", "drop()\n"),
      "-T",
      "cpu,host=a v=1.5 1000",
      "-C",
      "metric",
    ]);
    expect(metric.out).toContain('{\n  "host#": "a",\n  "time": 1000000000000,\n  "v": 1.5\n}\n');
    expect(metric.out).toContain(": cpu, drop: true, cost: ");
  });

  it.each([
    [["-P", "x.p"], "no testing string"],
    [["-P", "x.p", "-T", "a", "-C", "x"], "unsupported category: x"],
    [["-P", "x.p", "-F", "/nowhere/in.log"], "there is no file /nowhere/in.log"],
    [["-P", "redis.p", "-T", "cpu v=", "-C", "metric"], "get pipeline failed: name:redis.p namespace:default"],
    [["-P", path.join(folder, "bad.p"), "--nonsense"], "Unknown option '--nonsense'"],
    [["-T", "a"], "no script is named: millrace pipeline -P nginx.p -T TEXT"],
    [["-P", "none.p", "-T", "a"], "get pipeline failed: name:none.p namespace:default"],
    [["-P", "redis.p", "-T", "a", "-N", "remote"], "get pipeline failed: name:redis.p namespace:remote"],
    [["-P", path.join(folder, "div.p"), "-T", "a"], "run pipeline failed: div.p:1:"],
    [["-P", path.join(folder, "empty.p"), "-T", "a"], "No data extracted from pipeline"],
    [["-P", path.join(folder, "bad.p"), "-T", "a"], "run pipeline failed: bad.p:1:1: unsupported func: `nosuch`"],
  ])("fails with %j: %s", async (args, message) => {
    script("div.p", "a = 0 b = 1".replace(" b", "\nb").replace("= 1", "= 1 / a"));
    script("bad.p", "nosuch()");
    script("empty.p", "drop_key(message)\ndrop_key(status)\nsetopt(status_mapping=false)");
    const { code, err } = await millrace(["pipeline", ...args]);
    expect(code).toBe(255);
    expect(err).toContain(`[E] ${message.replace("div.p:1:", "div.p:2:")}`);
  });
});
