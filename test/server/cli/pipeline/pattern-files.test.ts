// Grok patterns for `millrace pipeline`: the options `--patterns` and `--ecs`, and the folder `patterns` beside a
// script.

import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { millrace } from "../../support/millrace.ts";

const core = path.resolve("test/lib/grok/logstash-core");
const access = '127.0.0.1 - - [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 404 12 "-" "curl/8"\n';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-patterns-"));
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe("pattern files", () => {
  it("from Logstash with ECS names work unchanged with --ecs", async () => {
    const script = write(
      "web.p",
      'grok(_, "%{HTTPD_COMBINEDLOG}")\nadd_key("code", get_key("http.response.status_code"))',
    );
    const file = path.join(core, "ecs-v1.grok");
    const { code, out, err } = await millrace(["pipeline", "run", script, "--patterns", file, "--ecs"], access);
    expect([code, err]).toEqual([0, ""]);
    // In the output, keys of logs may not contain dots. So each dot in the name of an ECS field became an underscore.
    expect(JSON.parse(out).fields).toMatchObject({
      code: 404,
      source_address: "127.0.0.1",
      http_response_status_code: 404,
      url_original: "/a",
    });
  });

  it("keep the dots in ECS field names of metrics", async () => {
    const script = write("m.p", 'x = "port 80"\ngrok(x, "%{INT:[source][port]:int}")');
    const { out } = await millrace(
      ["pipeline", "run", script, "--ecs", "--category", "metric", "--format", "lp"],
      "m v=1i 1",
    );
    expect(out).toMatch(/\bsource\.port=80i/);
  });

  it("in a folder given by --patterns override those beside the script, which override built-in ones", async () => {
    const script = write("a.p", 'grok(_, "%{WORD:w} %{X:x} %{Y:y}")');
    write("patterns/x.grok", "WORD [a-z]\nX x\nY y");
    write("patterns/notes.txt", "X no");
    write("more/legacy", "X z++");
    const { out, err } = await millrace(
      ["pipeline", "run", script, "--patterns", path.join(folder, "more")],
      "ab zz y",
    );
    expect(err).toBe("");
    expect(JSON.parse(out).fields).toMatchObject({ w: "b", x: "zz", y: "y" });
  });

  it("beside an agent's scripts apply to the scripts in the folder of a category", async () => {
    const script = write("pipeline/logging/a.p", 'grok(_, "%{X:x}")');
    write("pipeline/patterns/x.grok", "X [0-9]++");
    for (const verb of ["run", "trace", "bench"]) {
      const more = verb === "bench" ? ["--seconds", "0.1"] : [];
      const { code, out } = await millrace(["pipeline", verb, script, ...more], "a 12");
      expect(code).toBe(0);
      if (verb === "run") expect(JSON.parse(out).fields.x).toBe("12");
    }
    const once = await millrace(["pipeline", "-P", script, "-T", "a 12"]);
    expect(once.out).toContain('"x": "12"');
  });

  it("beside the script apply in millrace pipeline test", async () => {
    write("a.p", 'grok(_, "%{X:[a][b]}")');
    write("patterns/x.grok", "X [0-9]++");
    const test = write(
      "a.test.yaml",
      "script: a.p\ntests:\n  - name: n\n    input: a 12\n    expect: { fields: { a.b: '12' } }\n",
    );
    expect(await millrace(["pipeline", "test", test, "--ecs"])).toMatchObject({ code: 0 });
    expect(await millrace(["pipeline", "test", test])).toMatchObject({ code: 1 });
  });

  it("with a mistake are reported with file and line, and the other patterns still work", async () => {
    const script = write("a.p", 'grok(_, "%{GOOD:x}")');
    const file = write("bad.grok", "GOOD [0-9]+\n\nBAD (?<=a)b\n");
    const mistake = `${file}:3: pattern BAD: lookbehind is not supported: \`(?<=a)b\`\n`;
    const ran = await millrace(["pipeline", "run", script, "--patterns", file], "a 12");
    expect(ran).toMatchObject({ code: 0, err: mistake });
    expect(JSON.parse(ran.out).fields.x).toBe("12");
    expect(await millrace(["pipeline", "check", script, "--patterns", file])).toMatchObject({
      code: 1,
      out: `${mistake}1 file, 1 error, 0 warnings\n`,
    });
  });

  it("behind a dead symbolic link are ignored", async () => {
    const script = write("a.p", 'grok(_, "%{X:x}")');
    write("patterns/x.grok", "X [0-9]+");
    symlinkSync("gone", path.join(folder, "patterns", "dead.grok"));
    expect(await millrace(["pipeline", "check", script])).toMatchObject({ code: 0, err: "" });
  });

  it("with ECS field names cause a warning only without --ecs", async () => {
    const script = write("a.p", 'grok(_, "%{CAR}")');
    const file = write("cars.grok", "CAR %{INT:[car][speed]} km/h\nBUS %{INT:[bus][speed]}\n");
    const ignored = `${file}: 2 definitions name fields as [source][address]; without --ecs (pipeline.ecs_patterns of the agent) that is plain text\n`;
    expect(await millrace(["pipeline", "check", script, "--patterns", file])).toMatchObject({
      code: 0,
      out: `warning: ${ignored}1 file, 0 errors, 1 warning\n`,
    });
    expect((await millrace(["pipeline", "run", script, "--patterns", file], "5 km/h")).err).toBe(ignored);
    expect((await millrace(["pipeline", "check", script, "--patterns", file, "--ecs"])).out).toBe(
      "1 file, 0 errors, 0 warnings\n",
    );
  });

  it("that do not exist make the command fail", async () => {
    const script = write("a.p", "");
    expect(await millrace(["pipeline", "run", script, "--patterns", "none.grok"], "")).toEqual({
      code: 1,
      out: "",
      err: "there is no file none.grok\n",
    });
  });

  it("from the legacy set of Logstash pass the check without warnings", async () => {
    const script = write("a.p", 'grok(_, "%{SYSLOGLINE}")');
    mkdirSync(path.join(folder, "patterns"));
    copyFileSync(path.join(core, "legacy.grok"), path.join(folder, "patterns", "legacy.grok"));
    expect(await millrace(["pipeline", "check", script])).toMatchObject({
      code: 0,
      out: "1 file, 0 errors, 0 warnings\n",
    });
  });
});

describe("%{IPORHOST:[source][address]}", () => {
  it("causes a warning only without --ecs", async () => {
    const script = write("a.p", 'grok(_, "%{IPORHOST:[source][address]}")');
    const { code, out } = await millrace(["pipeline", "check", script]);
    expect(code).toBe(0);
    expect(out).toContain("With --ecs (pipeline.ecs_patterns of the agent) it writes source.address");
    expect((await millrace(["pipeline", "check", script, "--ecs"])).out).toBe("1 file, 0 errors, 0 warnings\n");
  });
});
