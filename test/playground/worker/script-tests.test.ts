// Tests of scripts in the worker of the playground: reading, running and editing the YAML of `millrace pipeline test`.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PointText } from "../../../playground/src/worker/protocol.ts";
import type { KeptPoint, TestJob } from "../../../playground/src/worker/tests/test-job.ts";
import { acceptTest, addTest, removeTest, runAll } from "../../../playground/src/worker/tests/tests.ts";
import { readTestFile } from "../../../server/cli/pipeline/test-file.ts";
import { runTests } from "../../../server/cli/pipeline/test-run.ts";

const now = 1_763_719_200_000_000_000n;
const scripts = [
  { name: "nginx.p", text: 'grok(_, "%{WORD:verb} %{NUMBER:took:float} %{INT:size:int}")\nset_tag(verb)' },
];
const message = (text: string, name = "default"): PointText => ({
  name,
  time: now,
  entries: [
    { key: "message", kind: "string", isTag: false, text },
    { key: "status", kind: "string", isTag: false, text: "unknown" },
  ],
});
const kept = (point: PointText, part: Partial<KeptPoint> = {}): KeptPoint => ({
  ...{ name: "a request", point, category: "logging", now, timeZone: "UTC" },
  ...part,
});

async function added(job: TestJob, each: KeptPoint): Promise<string> {
  const edit = await addTest(job, each);
  if ("problem" in edit) throw new Error(edit.problem);
  return edit.text;
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "millrace-tests-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a point that is kept as a test", () => {
  it("becomes YAML with the result of the script, in which a whole float stays a float", async () => {
    const text = await added({ text: "", scripts }, kept(message("GET 2 5120")));
    expect(text).toBe(`script: nginx.p
category: logging
now: 2025-11-21T10:00:00Z
timezone: UTC
tests:
  - name: a request
    input: GET 2 5120
    expect:
      tags:
        verb: GET
      fields:
        took: 2.0
        size: 5120
`);
    expect(await runAll({ text, scripts })).toEqual({
      kind: "ran",
      outcomes: [{ name: "a request", differences: [] }],
    });
  });

  it("has the same result in the command line, whether the test passes or fails", async () => {
    const first = await added({ text: "", scripts }, kept(message("GET 2 5120")));
    const text = await added({ text: first, scripts }, kept(message('POST 1.5 1\nmore: "x"', "web")));
    writeFileSync(path.join(folder, "nginx.test.yaml"), text);
    for (const [source, fails] of [
      [scripts[0]!.text, 0],
      [scripts[0]!.text.replace("size:int", "size"), 2],
    ] as const) {
      writeFileSync(path.join(folder, "nginx.p"), source);
      const outcomes = await runTests(readTestFile(path.join(folder, "nginx.test.yaml")));
      const answer = await runAll({ text, scripts: [{ name: "nginx.p", text: source }] });
      expect(answer).toEqual({ kind: "ran", outcomes });
      expect(outcomes.map(({ name }) => name)).toEqual(["a request", "a request (2)"]);
      expect(outcomes.filter(({ differences }) => differences.length > 0)).toHaveLength(fails);
    }
  });

  it("keeps the comments of the file, accepts a new result, and is removed", async () => {
    const start = `# Mine.\n${await added({ text: "", scripts }, kept(message("GET 2 5120")))}`;
    const two = await added({ text: start, scripts }, kept(message("PUT 3 1")));
    expect(two.startsWith("# Mine.\nscript: nginx.p\n")).toBe(true);
    const changed = [{ name: "nginx.p", text: `${scripts[0]!.text}\nadd_key(more, 1.0)` }];
    const edit = await acceptTest({ text: two, scripts: changed }, 1);
    const text = "text" in edit ? edit.text : "";
    const answer = await runAll({ text, scripts: changed });
    expect(answer.kind === "ran" && answer.outcomes.map(({ differences }) => differences)).toEqual([
      ["+ fields.more: 1.0"],
      [],
    ]);
    const one = await removeTest({ text, scripts }, 0);
    expect("text" in one && one.text).toContain("# Mine.");
    expect(await removeTest({ text: "text" in one ? one.text : "", scripts }, 0)).toEqual({ text: "" });
  });

  it.each<[problem: string, point: PointText, part: Partial<KeptPoint>]>([
    [
      "too long for a test",
      { ...message("x"), entries: [{ key: "m", kind: "string", isTag: false, text: "x", length: 9000 }] },
      {},
    ],
    [
      "a value of kind bytes has no form in YAML",
      { ...message("x"), entries: [{ key: "b", kind: "bytes", isTag: false, text: "" }] } as unknown as PointText,
      {},
    ],
    ["the tests are of category logging, and this point is of metric", message("x"), { category: "metric" }],
  ])("is refused: %s", async (problem, point, part) => {
    const text = await added({ text: "", scripts }, kept(message("GET 2 5120")));
    expect(await addTest({ text, scripts }, kept(point, part))).toEqual({ problem: expect.stringContaining(problem) });
  });
});

describe("a text that is no test file", () => {
  it.each([
    ["tests:\n  - input: [", "Flow sequence"],
    ["tests:\n  - input: a\n", "tests[0] has no `expect`"],
    ["script: other.p\ntests:\n  - input: a\n    expect: {}\n", "there is no script other.p"],
  ])("is refused with the reason: %j", async (text, message) => {
    expect(await runAll({ text, scripts })).toEqual({ kind: "wrong", message: expect.stringContaining(message) });
  });
});
