// The pipeline scripts that come with the server: each has tests with at least five lines of log, all these tests pass,
// and the scripts are formatted.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { categories, format } from "../../../lib/index.ts";
import { readTestFile } from "../../../server/cli/pipeline/test-file.ts";
import { runTests } from "../../../server/cli/pipeline/test-run.ts";

const folder = fileURLToPath(new URL("../../../server/pipelines/", import.meta.url));
const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".p"));

/** The names of the scripts that the documentation lists. */
const promised =
  "nginx apache mysql postgresql redis mongodb kafka rabbitmq elasticsearch tomcat java docker containerd kubernetes syslog sshd haproxy envoy iis aws_alb json logfmt";

describe("the ready scripts", () => {
  it("exist for every promised source, in folders named after categories", () => {
    const logging = scripts.filter((name) => path.dirname(name) === "logging").map((name) => path.basename(name, ".p"));
    expect(logging).toEqual(expect.arrayContaining(promised.split(" ")));
    expect(readdirSync(folder).filter((name) => !(categories as readonly string[]).includes(name))).toEqual([]);
  });

  it.each(scripts)("%s is formatted and begins with a comment about its input", (name) => {
    const text = readFileSync(path.join(folder, name), "utf8");
    expect(format(text)).toEqual({ text });
    expect(text).toMatch(/^# .+/);
  });

  it.each(scripts)("%s passes its tests", async (name) => {
    const file = path.join(folder, name.replace(/\.p$/, ".test.yaml"));
    expect(existsSync(file)).toBe(true);
    const results = await runTests(readTestFile(file));
    expect(results.length).toBeGreaterThanOrEqual(5);
    expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
  });
});
