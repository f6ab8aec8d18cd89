// The command `millrace`, run as a user runs it: `config`, version, usage and `pipeline run`.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { millrace } from "../support/millrace.ts";

const folder = mkdtempSync(path.join(tmpdir(), "millrace-cli-"));

function script(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("millrace config", () => {
  it("creates a file, checks it, and does not overwrite it", async () => {
    const file = path.join(folder, "new.toml");
    expect((await millrace(["config", "init", file])).code).toBe(0);
    expect(await millrace(["config", "check", file])).toEqual({ code: 0, out: `${file}: good\n`, err: "" });
    expect(await millrace(["config", "init", file])).toMatchObject({ code: 1, err: `${file} is there already\n` });
  });

  it("names every mistake and unknown key with its line", async () => {
    const wrong = script("wrong.toml", 'data_dir = 1\n[http_api]\nworkers = "x"\n');
    expect(await millrace(["config", "check", wrong])).toMatchObject({
      code: 1,
      out: `error: ${wrong}:1: data_dir must be a text, got 1\nerror: ${wrong}:3: http_api.workers must be a whole number, got the text "x"\n`,
    });
    const odd = script("odd.toml", "[http_api]\nworker = 1\n");
    expect((await millrace(["config", "check", odd])).out).toBe(
      `warning: ${odd}:2: unknown key http_api.worker, ignored; did you mean http_api.workers?\n${odd}: good, with 1 warning\n`,
    );
    const both = script("both.toml", "[htp_api]\nworkers = 1\n[logging]\nlevel = 'loud'\n");
    const warning = `warning: ${both}:1: unknown key htp_api, ignored; did you mean http_api?`;
    const mistake = `${both}:4: logging.level must be debug or info or warn or error, got the text "loud"`;
    expect(await millrace(["config", "check", both])).toMatchObject({
      code: 1,
      out: `${warning}\nerror: ${mistake}\n`,
    });
    const agent = await millrace(["agent", "--config", both, "--data-dir", folder]);
    expect(agent).toMatchObject({ code: 1, err: `${warning}\n${mistake}\n` });
    const nets = script(
      "nets.toml",
      '[dialtesting]\ndisabled_internal_network_cidr_list = ["10.0.0.0/8", "nonsense"]\n',
    );
    const listed = `${nets}:2: dialtesting.disabled_internal_network_cidr_list: each must be a network such as 10.0.0.0/8`;
    expect((await millrace(["config", "check", nets])).out).toContain(`error: ${listed}`);
  });
});

describe("millrace", () => {
  it("prints its version and usage, also through the package's bin", async () => {
    expect(await millrace(["--version"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^millrace \d+\.\d+\.\d+\n$/),
    });
    const bin = fileURLToPath(new URL("../../../server/millrace.mjs", import.meta.url));
    const help = await millrace(["--help"], "", bin);
    expect(help.code).toBe(0);
    expect(help.out).toContain("Examples:");
    for (const command of ["agent", "pipeline"]) {
      const { code, out } = await millrace([command, "--help"]);
      expect([code, out.startsWith(`Usage: millrace ${command}`), out.includes("Examples:")]).toEqual([0, true, true]);
    }
  });

  it.each([
    [["nope"], "unknown command nope"],
    [["agent", "--nope"], "--nope"],
    [["agent", "--config", "/does/not/exist.toml"], "there is no file /does/not/exist.toml"],
    [
      ["agent", "--listen", "example.org:1", "--data-dir", folder],
      "http_api.listen must be host:port, the host localhost or an IP address",
    ],
    [["pipeline", "run"], "Usage: millrace pipeline run"],
    [["pipeline", "run", "x.p", "--category", "nope"], "unsupported category: nope"],
    [["pipeline", "run", "/does/not/exist.p"], "there is no file /does/not/exist.p"],
  ])("%j fails with a reason and no stack", async (args, reason) => {
    const { code, err } = await millrace(args);
    expect(code).toBe(1);
    expect(err).toContain(reason);
    expect(err).not.toMatch(/\n {4}at /);
  });

  it("refuses a wrong configuration and names the line", async () => {
    const file = script("bad.toml", "[http_api]\ntimeout = 5\n");
    const { code, err } = await millrace(["agent", "--config", file, "--data-dir", folder]);
    expect([code, err]).toEqual([1, `${file}:2: http_api.timeout must be a duration such as 30s, got 5\n`]);
  });
});

describe("millrace pipeline run", () => {
  it("prints one result per line of a log", async () => {
    const file = script("ok.p", 'grok(_, "%{WORD:w} %{INT:n:int}")\nif n == 2 {\ndrop()\n}');
    const { code, out, err } = await millrace(["pipeline", "run", file], "a 1\nb 2\nc 9007199254740993\n");
    expect([code, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0])).toMatchObject({
      measurement: "default",
      fields: { message: "a 1", n: 1, status: "unknown", w: "a" },
    });
    expect(lines[1]).toContain('"n":9007199254740993');
  });

  it("reads line protocol for other categories and prints it", async () => {
    const file = script("cpu.p", 'add_key(x, v + 1)\nset_tag(t, "1")');
    const { code, out } = await millrace(
      ["pipeline", "run", file, "--category", "metric", "--format", "lp"],
      "m v=1i 1\nm v=2i 2\n",
    );
    expect([code, out]).toEqual([0, "m,t=1 v=1i,x=2i 1000000000\nm,t=1 v=2i,x=3i 2000000000\n"]);
  });

  it("prints PBJSON", async () => {
    const file = script("pb.p", "add_key(x, 1)");
    const { out } = await millrace(
      ["pipeline", "run", file, "--category", "metric", "--format", "pbjson"],
      "m v=1i 1\n",
    );
    expect(JSON.parse(out)).toMatchObject({ name: "m", time: "1000000000" });
  });

  it("calls the scripts in the folder of the script", async () => {
    script("other.p", 'add_key(from, "other")');
    const { out } = await millrace(["pipeline", "run", script("uses.p", 'use("other.p")')], "x\n");
    expect(JSON.parse(out).fields.from).toBe("other");
  });

  it("prints a compile error with its line and a caret", async () => {
    const file = script("bad.p", "x = 1\nadd_key(y, nosuch(1))\n");
    const { code, out, err } = await millrace(["pipeline", "run", file], "x\n");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^bad\.p:2:12: .+\n {2}add_key\(y, nosuch\(1\)\)\n {13}\^\n {2}called from bad\.p:2:1\n$/);
  });

  it("prints a runtime error and the point up to the error, and fails", async () => {
    const file = script("div.p", "add_key(a, 1)\nz = a - 1\ny = a / z\nadd_key(b, 1)");
    const { code, out, err } = await millrace(["pipeline", "run", file], "x\n");
    expect(code).toBe(1);
    expect(err).toMatch(/^div\.p:3:\d+: integer division by zero\n {2}y = a \/ z\n +\^\n$/);
    expect(JSON.parse(out).fields).toEqual({ a: 1, message: "x", status: "unknown" });
  });

  it("refuses input that is no line protocol", async () => {
    const { code, err } = await millrace(
      ["pipeline", "run", script("lp.p", "add_key(x, 1)"), "--category", "metric"],
      "a: b",
    );
    expect(code).toBe(1);
    expect(err).toContain("unable to parse 'a: b'(pos: 1): invalid field format");
  });
});
