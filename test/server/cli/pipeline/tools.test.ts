// `millrace pipeline check`, `fmt` and `test`, run as a user runs them.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { millrace } from "../../support/millrace.ts";
import { program } from "../../support/running-agent.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-tools-"));
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe("millrace pipeline", () => {
  it.each(["run", "check", "fmt", "test"])("%s --help shows how it is used, with examples", async (verb) => {
    const { code, out } = await millrace(["pipeline", verb, "--help"]);
    expect([code, out.startsWith(`Usage: millrace pipeline ${verb} `), out.includes("Examples:")]).toEqual([
      0,
      true,
      true,
    ]);
  });

  it("refuses an unknown verb", async () => {
    expect(await millrace(["pipeline", "polish"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("unknown command pipeline polish; one of run, check,"),
    });
  });
});

describe("a bundled script, given by its name", () => {
  const line = '10.0.0.7 - - [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 404 12 "-" "curl/8"\n';

  it("runs with the command from docs/command-line.md", async () => {
    const page = readFileSync("docs/command-line.md", "utf8");
    const command = /^npx millrace (pipeline run .*) < access\.log$/m.exec(page)![1]!;
    const { code, out, err } = await millrace(command.split(" "), line);
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ fields: { status_code: 404 } });
  });

  it.each(["trace", "bench"])("is what %s takes, too", async (verb) => {
    const { code, err } = await millrace(["pipeline", verb, "nginx.p"], line);
    expect([code, err]).toEqual([0, ""]);
  });

  it("causes an error when neither a file nor a bundled script has the name", async () => {
    expect(await millrace(["pipeline", "run", "no-such.p"], line)).toEqual({
      code: 1,
      out: "",
      err: "there is no file no-such.p\n",
    });
  });

  it("ends without an error message when the reader of its output closes the pipe early", async () => {
    const child = spawn(process.execPath, [program, "pipeline", "run", "nginx.p"]);
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(line.repeat(20_000));
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, err]).toEqual([0, ""]);
  });
});

describe("millrace pipeline check", () => {
  it("prints all mistakes of all scripts below a folder", async () => {
    const a = write("a.p", "x = nosuch(1)\nadd_key(a b)\nuse('b.p')\ny.z = 1\n");
    const b = write("sub/b.p", "add_key(c, 1)\n");
    const { code, out } = await millrace(["pipeline", "check", folder]);
    expect(code).toBe(1);
    expect(out).toBe(
      [
        `${a}:1:5: unsupported func: \`nosuch\``,
        "  x = nosuch(1)",
        "      ^",
        `${a}:2:11: unexpected: id "b"`,
        "  add_key(a b)",
        "            ^",
        `${a}:3:1: script b.p not found`,
        "  use('b.p')",
        "  ^",
        "2 files, 3 errors, 0 warnings\n",
      ].join("\n"),
    );
    expect((await millrace(["pipeline", "check", b])).out).toBe("1 file, 0 errors, 0 warnings\n");
  });

  it("passes when there are only warnings, and finds scripts in the same folder", async () => {
    write("other.p", "add_key(a, 1)\n");
    const file = write("w.p", 'y.z = 1\nuse("other.p")\n');
    const { code, out } = await millrace(["pipeline", "check", file]);
    expect(code).toBe(0);
    expect(out).toBe(
      `${file}:1:1: warning: assignment to AttrExpr has no effect\n  y.z = 1\n  ^\n1 file, 0 errors, 1 warning\n`,
    );
  });
});

describe("millrace pipeline fmt", () => {
  it("prints the formatted script, also from standard input", async () => {
    const file = write("a.p", "if a==1{b=2 # two\n}");
    const layout = "if a == 1 {\n    b = 2 # two\n}\n";
    expect(await millrace(["pipeline", "fmt", file])).toEqual({ code: 0, out: layout, err: "" });
    expect((await millrace(["pipeline", "fmt", "-"], "if a==1{b=2 # two\n}")).out).toBe(layout);
  });

  it("lists unformatted files with --check and rewrites them with --write", async () => {
    const bad = write("bad.p", "a=1");
    write("good.p", "a = 1\n");
    expect(await millrace(["pipeline", "fmt", "--check", folder])).toEqual({ code: 1, out: `${bad}\n`, err: "" });
    expect(await millrace(["pipeline", "fmt", "--write", folder])).toEqual({ code: 0, out: `${bad}\n`, err: "" });
    expect(readFileSync(bad, "utf8")).toBe("a = 1\n");
    expect(await millrace(["pipeline", "fmt", "--check", folder])).toEqual({ code: 0, out: "", err: "" });
  });

  it("leaves a script that cannot be parsed unchanged, and formats the other scripts", async () => {
    const bad = write("a.p", "a = = 1");
    const good = write("b.p", "a=1");
    const { code, out, err } = await millrace(["pipeline", "fmt", "--write", folder]);
    expect([code, out]).toEqual([1, `${good}\n`]);
    expect(err).toBe(`${bad}:1:5: unexpected: <op:'='>\n  a = = 1\n      ^\n`);
    expect(readFileSync(bad, "utf8")).toBe("a = = 1");
  });
});

const script = `grok(_, "%{IP:client} %{INT:ms:int} %{NOTSPACE:time}")
if ms == 0 {
    drop()
} elif ms == 13 {
    x = 1 / (ms - 13)
} elif ms == 7 {
    create_point("made", {"t": "a"}, {"n": 1.0}, category="M")
}
rename(host, client)
drop_key(message)
default_time(time)
`;

const tests = `
now: 2026-01-02T03:04:05.5Z
tests:
  - name: all that changes
    input: 10.0.0.7 12 2026-01-02T03:04:00.25Z
    expect:
      fields: { host: 10.0.0.7, ms: 12 }
      removed: [message]
      time: 2026-01-02T03:04:00.25Z
  - name: dropped
    input: 10.0.0.7 0 2026-01-02T03:04:05.5Z
    expect: { dropped: true, fields: { host: 10.0.0.7, ms: 0 }, removed: [message] }
  - name: an error of the run
    input: 10.0.0.7 13 x
    expect: { error: integer division by zero, fields: { client: 10.0.0.7, ms: 13, time: x } }
  - name: a point made
    input: 10.0.0.7 7 2026-01-02T03:04:05.5Z
    expect:
      fields: { host: 10.0.0.7, ms: 7 }
      removed: [message]
      created: [{ category: metric, measurement: made, tags: { t: a }, fields: { n: 1.0 } }]
`;

describe("millrace pipeline test", () => {
  it("passes when all results are as expected", async () => {
    write("a.p", script);
    const file = write("a.test.yaml", tests);
    const expected = { code: 0, out: `ok   ${file}: 4 tests\n1 file, 4 tests, 0 failed\n`, err: "" };
    expect(await millrace(["pipeline", "test", folder])).toEqual(expected);
    expect(await millrace(["pipeline", "test", file])).toEqual(expected);
    expect(await millrace(["pipeline", "test", path.join(folder, "a.p")])).toEqual(expected);
  });

  it("shows the expected and the actual values of a failed test", async () => {
    write("a.p", script);
    const file = write(
      "a.test.yaml",
      tests.replace("ms: 12 }", 'ms: 12.0, more: "x" }').replace("time: 2026-01-02T03:04:00.25Z", "dropped: true"),
    );
    const { code, out } = await millrace(["pipeline", "test", folder]);
    expect(code).toBe(1);
    expect(out).toBe(
      `FAIL ${file}: 4 tests\n  all that changes\n    - dropped: true\n    - fields.more: "x"\n    - fields.ms: 12.0\n` +
        "    + fields.ms: 12\n    + time: 2026-01-02T03:04:00.25Z\n1 file, 4 tests, 1 failed\n",
    );
  });

  it("accepts a JSON test file with its own scripts and points of another category", async () => {
    const file = write(
      "metric.test.json",
      JSON.stringify({
        category: "metric",
        script: "m.p",
        scripts: { "m.p": 'set_tag(t, "x")\nv = v + 1\nadd_key(v)\nuse("n.p")', "n.p": "set_measurement('new')" },
        tests: [
          { input: "m,a=b v=1i", expect: { measurement: "new", tags: { t: "x" }, fields: { v: 2 } } },
          {
            input: { measurement: "m", fields: { v: 4 } },
            expect: { measurement: "new", tags: { t: "x" }, fields: { v: 5 } },
          },
        ],
      }),
    );
    expect(await millrace(["pipeline", "test", file])).toMatchObject({
      code: 0,
      out: expect.stringContaining("2 tests, 0 failed"),
    });
  });

  it("counts points from windows and aggregations as created; HTTP requests get no answer", async () => {
    const text =
      'agg_create("b")\nx = 2\nagg_metric("b", "n", "sum", ["message"], "x")\npoint_window(1, 1, ["message"])\ndrop()\nwindow_hit()\nif http_request("GET", "http://localhost/") == nil { add_key(none, true) }';
    const file = write(
      "state.test.json",
      JSON.stringify({
        script: "s.p",
        scripts: { "s.p": text },
        tests: [
          {
            input: "hit",
            expect: {
              dropped: true,
              fields: { none: true },
              created: [
                { measurement: "default", fields: { message: "hit", none: true } },
                { category: "metric", measurement: "b", tags: { message: "hit" }, fields: { n: 2.5 } },
              ],
            },
          },
        ],
      }),
    );
    const { out } = await millrace(["pipeline", "test", file]);
    expect(out).toContain("    - created[1].fields.n: 2.5\n    + created[1].fields.n: 2.0\n1 file, 1 test, 1 failed");
  });

  it.each([
    ["tests: [", "a.test.yaml: "],
    ["test: []", "the file has an unknown member `test`; there are script, scripts,"],
    ["tests: []", "`tests` must be a list of tests"],
    ["script: b.p\ntests: [{input: x, expect: {}}]", "there is no script b.p beside it"],
    ["tests: [{input: x}]", "tests[0] has no `expect`"],
    ["tests: [{input: x, expect: {fields: {a: [1]}}}]", "tests[0].expect.fields.a must be a single value"],
    [
      "tests: [{input: x, expect: {time: yesterday}}]",
      'tests[0].expect.time must be a time such as 2026-01-01T00:00:00Z, or nanoseconds; got the text "yesterday"',
    ],
    ["category: x\ntests: [{input: x, expect: {}}]", 'unsupported category: the text "x"'],
  ])("fails and reports the mistake in the test file %j", async (text, reason) => {
    write("a.p", "add_key(a, 1)\n");
    const file = write("a.test.yaml", text);
    const { code, out } = await millrace(["pipeline", "test", folder]);
    expect(code).toBe(1);
    expect(out).toContain(`FAIL ${file}\n`);
    expect(out).toContain(reason);
  });

  it("reports the place of a syntax error in the script", async () => {
    write("a.p", "add_key(");
    write("a.test.yaml", "tests: [{input: x, expect: {}}]");
    expect((await millrace(["pipeline", "test", folder])).out).toContain("a.p:1:9: unclosed left parenthesis");
    expect((await millrace(["pipeline", "test", path.join(folder, "..", "nothing-here")])).err).toContain(
      "there is no file",
    );
  });

  it("runs again with --watch when a file changes", async () => {
    write("a.p", "add_key(a, 1)\n");
    write("a.test.yaml", "tests: [{input: x, expect: {fields: {a: 1}}}]");
    const child = spawn(process.execPath, [program, "pipeline", "test", folder, "--watch"]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    try {
      await expect.poll(() => out).toContain("0 failed\nWaiting for changes ...\n");
      write("a.p", "add_key(a, 2)\n");
      await expect.poll(() => out).toContain("- fields.a: 1\n    + fields.a: 2\n");
    } finally {
      child.kill();
    }
  });
});
