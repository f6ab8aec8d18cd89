import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";
import { compileWasm, wallClock } from "../../../../server/agent/engine.ts";
import { chooseScript } from "../../../../server/cli/tail/choose-script.ts";

const access = '10.0.0.1 - bob [21/Nov/2025:10:00:00 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl/8"';

it.each<[file: string, lines: readonly string[], name: string | undefined]>([
  ["access.log", [access], "nginx"],
  ["/var/log/apache2/access.log", [access], "apache"],
  ["/var/log/nginx/access.log", ["half of the lines", access], "nginx"],
  ["a.log", [access, "x", "y"], undefined],
  ["messages", ["Nov 21 22:14:15 box su: failed", "Nov 21 22:14:16 box cron[7]: ran"], "syslog"],
  ["app.log", ['{"level":"info","msg":"started","time":"2025-11-21T10:00:00Z"}'], "json"],
  ["app.log", ['time=2025-11-21T10:00:00Z level=info msg="started" port=80'], "logfmt"],
  ["app.log", ["2025-11-21 10:00:00,123 ERROR [main] com.example.Web - failed"], "java"],
  ["notes.txt", ["a note", "another one", "  "], undefined],
  ["empty.log", [], undefined],
])("finds the script for %s: %j", async (file, lines, name) => {
  const mill = await createMillrace({ wasm: compileWasm(), clock: wallClock });
  expect((await chooseScript(mill, lines, file))?.name).toBe(name);
});

it("chooses the right script for the example lines of most bundled scripts", async () => {
  const mill = await createMillrace({ wasm: compileWasm(), clock: wallClock });
  const wrong: string[] = [];
  const names = [
    "envoy",
    "haproxy",
    "iis",
    "kafka",
    "mongodb",
    "mysql",
    "postgresql",
    "rabbitmq",
    "redis",
    "elasticsearch",
  ];
  for (const name of names) {
    const text = readFileSync(
      new URL(`../../../../server/pipelines/logging/${name}.test.yaml`, import.meta.url),
      "utf8",
    );
    const lines = Array.from(text.matchAll(/^ {4}input: (?:"(.*)"|'(.*)'|(.*))$/gm), ([, double, single, plain]) =>
      double === undefined ? (single ?? plain!) : (JSON.parse(`"${double}"`) as string),
    );
    const found = (await chooseScript(mill, lines, "a.log"))?.name;
    if (found !== name) wrong.push(`${name}: ${found}`);
  }
  expect(wrong).toEqual([]);
});
