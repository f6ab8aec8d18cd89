// Runs of the playground's worker code, without a browser.

import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { examples } from "../../../playground/src/state/examples.ts";
import { parseMoment } from "../../../playground/src/state/project.ts";
import { diagnoseAll, mayRun } from "../../../playground/src/worker/check.ts";
import { notesFor } from "../../../playground/src/worker/refer-tables/held-tables.ts";
import { loadMill, run } from "./load-mill.ts";

const scriptOf = (text: string) => [{ name: "main.p", text }];

describe("examples", () => {
  it.each(examples.map(({ id, project }) => [id, project] as const))(
    "%s runs without an error",
    async (_id, project) => {
      const { summary, records } = await run({ ...project, query: null, now: parseMoment(project.now) });
      expect(summary).toMatchObject({ endReason: "done", counts: { errors: 0, refused: 0 } });
      expect(summary.counts.kept).toBeGreaterThan(0);
      expect(records.filter(({ outcome }) => outcome === "kept").every(({ forms }) => forms?.lp !== "")).toBe(true);
    },
  );
});

describe("input forms", () => {
  it("makes a point of each line that is not blank, without the line end", async () => {
    const { records } = await run({ input: "one\r\n\ntwo\n  \nthree" });
    const messages = records.map(({ after, line }) => [line, after?.entries[0]?.text]);
    expect(messages).toEqual([
      [1, "one"],
      [3, "two"],
      [5, "three"],
    ]);
  });

  it("joins lines to messages", async () => {
    const input = "A first\n  more\n\nB second\nC third\n  at x\n  at y\n";
    const { records } = await run({ form: "messages", messageStart: "^[A-Z] ", input });
    expect(records.map(({ line, after }) => [line, after?.entries[0]?.text])).toEqual([
      [1, "A first\n  more"],
      [4, "B second"],
      [5, "C third\n  at x\n  at y"],
    ]);
  });

  it("continues after lines of line protocol that cannot be read", async () => {
    const { records, summary } = await run({
      form: "lp",
      category: "metric",
      input: "a v=1i 1\nbad\nb v=2i 2\nc v=x 3\n",
    });
    expect(summary.counts).toMatchObject({ points: 2, kept: 2, refused: 2 });
    expect(records.filter(({ refusal }) => refusal !== null).map(({ line, refusal }) => [line, refusal?.text])).toEqual(
      [
        [2, "bad"],
        [4, "c v=x 3"],
      ],
    );
  });

  it("keeps a newline in quotes inside its line when a block ends there", async () => {
    const line = `m,host=a text="two\nlines",filler="${"x".repeat(90)}" 1`;
    const count = 12_000;
    const input = new File([`${line}\n`.repeat(count)], "points.lp");
    const { summary, records } = await run({ form: "lp", category: "network", input });
    expect(summary.counts).toMatchObject({ points: count, refused: 0 });
    expect(summary.bytes).toBe((line.length + 1) * count);
    expect(records[0]?.after?.entries.find(({ key }) => key === "text")?.text).toBe("two\nlines");
  });

  it("reads JSON as one array or as a sequence of elements, and reports the wrong elements", async () => {
    const point = (n: number) => `{"measurement":"m","fields":{"n":${n}},"time":${n}}`;
    const array = await run({ form: "json", category: "metric", input: `[${point(1)},\n${point(2)}]` });
    expect(array.summary.counts).toMatchObject({ points: 2, refused: 0 });
    const lines = await run({
      form: "json",
      category: "metric",
      input: `${point(1)}\nnonsense\n${point(2)}\n{"fields":`,
    });
    expect(lines.summary.counts).toMatchObject({ points: 2, refused: 2 });
    expect(lines.records.flatMap(({ refusal, line }) => (refusal === null ? [] : [[line, refusal.text]]))).toEqual([
      [2, "nonsense"],
      [4, '{"fields":'],
    ]);
  });

  it("reports the byte of an error within its JSON element", async () => {
    const input = '{"measurement":"m","fields":{"n":1 x}}';
    const { records } = await run({ form: "json", category: "metric", input });
    const reasons = records.map(({ refusal }) => refusal?.reason);
    expect(reasons).toEqual([expect.stringMatching(` at byte ${input.indexOf("x")}$`)]);
  });

  it("reads gzip and zstd, and reports files that it cannot read", async () => {
    const { summary } = await run({ input: new File([gzipSync("a\nb\n")], "x.log.gz") });
    expect(summary.counts.points).toBe(2);
    // A zstd frame with one uncompressed block, which contains "a\nb\n".
    const frame = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x04, 0x21, 0x00, 0x00, 0x61, 0x0a, 0x62, 0x0a];
    const zstd = await run({ input: new File([Uint8Array.from(frame)], "x.log.zst") });
    expect(zstd.summary.counts.points).toBe(2);
    const torn = new File([Uint8Array.from(frame.slice(0, -2))], "torn.zst");
    await expect(run({ input: torn })).rejects.toThrow("torn.zst cannot be read");
    const cut = new File([gzipSync("a\nb\n".repeat(1000)).subarray(0, 25)], "cut.gz");
    await expect(run({ input: cut })).rejects.toThrow("cut.gz cannot be read");
    await expect(run({ form: "messages", messageStart: "(", input: "a" })).rejects.toThrow("no regular expression");
  });
});

describe("a run", () => {
  it("ends as done when the last point has run, even beyond the time limit", async () => {
    const scripts = scriptOf("for i = 0; i < 100000; i += 1 {\n}");
    const job = { scripts, budgetMs: 0.001, maxSteps: 0 };
    expect((await run({ ...job, input: "a" })).summary).toMatchObject({ endReason: "done", counts: { points: 1 } });
    const { summary } = await run({ ...job, input: "a\n".repeat(2000) });
    expect(summary.endReason).toBe("budget");
    expect(summary.counts.points).toBeLessThan(2000);
  });

  it("counts all points, and keeps the first records and the records with errors", async () => {
    const script = 'if _ == "2500" {\n  x = 0\n  y = 1 / x\n} elif _ == "7" {\n  drop()\n}';
    const { summary, records } = await run({
      scripts: scriptOf(script),
      input: Array.from({ length: 3000 }, (_, at) => at).join("\n"),
    });
    expect(summary.counts).toEqual({
      points: 3000,
      kept: 2998,
      dropped: 1,
      created: 0,
      errors: 1,
      refused: 0,
      unmatched: 0,
    });
    expect(records).toHaveLength(1001);
    expect(records[7]).toMatchObject({ number: 8, outcome: "dropped" });
    expect(records[1000]).toMatchObject({ number: 2501, error: { error: expect.stringContaining("zero") } });
  });

  it("counts the points that reached each statement, and lists the groks that did not match", async () => {
    const script = 'if !grok(_, "^%{INT:n:int}$") {\n  grok(_, "^x%{INT:n:int}$")\n}\nif n == 7 {\n  drop()\n}';
    const { summary, records } = await run({ scripts: scriptOf(script), input: "1\nx2\nnone\n4" });
    expect(summary.counts).toMatchObject({ points: 4, kept: 4, unmatched: 1 });
    const lines = summary.places.map(({ ln, kind, points, matched }) => [ln, kind, points, matched]);
    expect(lines).toEqual([
      [1, "If", 4, 0],
      [1, "grok", 4, 2],
      [4, "If", 4, 0],
      [2, "Expression", 2, 0],
      [2, "grok", 2, 1],
      [5, "Expression", 0, 0],
    ]);
    expect(records.map(({ missed, unmatched }) => [missed.map((at) => summary.places[at]!.ln), unmatched])).toEqual([
      [[], false],
      [[1], false],
      [[1, 2], true],
      [[], false],
    ]);
  });

  it("keeps rows without a match beyond the first thousand", async () => {
    const input = Array.from({ length: 3000 }, (_, at) => (at === 2500 ? "none" : at)).join("\n");
    const { records } = await run({ scripts: scriptOf('grok(_, "^%{INT:n:int}$")'), input });
    expect(records).toHaveLength(1001);
    expect(records[1000]).toMatchObject({ number: 2501, outcome: "kept", unmatched: true });
  });

  it("shows values as they are: kinds, large integers, floats without fraction", async () => {
    const { records } = await run({
      form: "lp",
      category: "network",
      input: 'm i=9007199254740993i,u=7u,f=2,b=true,s="x" 1',
    });
    expect(records[0]?.after?.entries.map(({ key, kind, text }) => `${key} ${kind} ${text}`)).toEqual([
      "i int 9007199254740993",
      "u uint 7",
      "f float 2.0",
      "b bool true",
      "s string x",
    ]);
  });

  it("shows created points after the point that they came from", async () => {
    const script = 'create_point("made", {"a": "1"}, {"n": 2}, category="M")';
    const { records, summary } = await run({ scripts: scriptOf(script), input: "a\nb" });
    expect(records.map(({ outcome, number, category }) => `${outcome} ${number} ${category}`)).toEqual([
      "kept 1 logging",
      "created 1 metric",
      "kept 2 logging",
      "created 2 metric",
    ]);
    expect(summary.counts.created).toBe(2);
  });

  it("keeps the state of scripts between points, and begins without state", async () => {
    const script = 'n = cache_get("n")\nif n == nil { n = 0 }\nn = n + 1\ncache_set("n", n, 30)\nadd_key(n)';
    for (let again = 0; again < 2; again++) {
      const { records } = await run({ scripts: scriptOf(script), input: "a\nb\nc" });
      expect(records.map(({ after }) => after?.entries.find(({ key }) => key === "n")?.text)).toEqual(["1", "2", "3"]);
    }
  });

  it("shows the points that windows return, and at the end the points of aggregations", async () => {
    const script = [
      'agg_create("sums", on_interval="0s", on_count=2)',
      "x = load_json(_)",
      'set_tag(g, "all")',
      'agg_metric("sums", "n", "sum", ["g"], "x")',
      'point_window(1, 0, ["g"])',
      "drop()",
      "if x == 3 { window_hit() }",
    ].join("\n");
    const { records, summary } = await run({ scripts: scriptOf(script), input: "1\n2\n3", output: "lp" });
    const shown = records.map(({ outcome, number, category, after }) => {
      const [entry] = after?.entries ?? [];
      return `${outcome} ${number} ${category} ${after?.name} ${entry?.key}=${entry?.text}`;
    });
    expect(shown).toEqual([
      "dropped 1 logging default message=1",
      "dropped 2 logging default message=2",
      "dropped 3 logging default message=3",
      "created 3 logging default message=2",
      "created 3 logging default message=3",
      "created 3 metric sums n=3.0",
      "created 3 metric sums n=3.0",
    ]);
    expect(summary.counts).toMatchObject({ kept: 0, dropped: 3, created: 4 });
    expect((await summary.output!.text()).split("\n").map((line) => line.split(" ")[1])).toEqual([
      'message="2",status="unknown"',
      'message="3",status="unknown"',
      undefined,
    ]);
  });

  it.each([
    ["lp", "m a=1i 1763719200000000001\nm a=2i 1763719200000000002\n"],
    [
      "json",
      '[{"measurement":"m","fields":{"a":1},"time":1763719200000000001},{"measurement":"m","fields":{"a":2},"time":1763719200000000002}]\n',
    ],
  ] as const)("writes all points as %s", async (output, text) => {
    const { summary } = await run({
      form: "lp",
      category: "metric",
      input: "m a=1i 1763719200000000001\nm a=2i 1763719200000000002",
      output,
    });
    expect(await summary.output!.text()).toBe(text);
  });

  it("ends with the records so far when it is stopped", async () => {
    const control = { stopped: true };
    const { summary, records } = await run({ input: Array.from({ length: 1000 }, (_, at) => at).join("\n") }, control);
    expect(summary.endReason).toBe("stopped");
    expect(summary.counts.points).toBeGreaterThan(0);
    expect(summary.counts.points).toBeLessThan(1000);
    expect(records).toHaveLength(summary.counts.points);
  });

  it.each([
    [300, "sample", 300],
    [2000, "done", 2000],
    [2001, "done", 2000],
  ])("over a sample of %d points ends as %s", async (limit, endReason, points) => {
    const input = Array.from({ length: 2000 }, (_, at) => at).join("\n");
    const { summary } = await run({ input, limit });
    expect([summary.endReason, summary.counts.points]).toEqual([endReason, points]);
  });

  it("over a sample of a large file counts only the bytes of the sample", async () => {
    const input = new File(["a line of the file\n".repeat(400_000)], "large.log");
    const { summary } = await run({ input, limit: 100 });
    expect(summary).toMatchObject({ endReason: "sample", totalBytes: input.size, counts: { points: 100 } });
    // The summary must count only the 100 lines of 19 bytes that became points, although the worker has read a
    // larger part of the file.
    expect(summary.bytes).toBeCloseTo(1900, -1);
  });

  it("ends when its budget is used up", async () => {
    const input = Array.from({ length: 1000 }, (_, at) => at).join("\n");
    const { summary } = await run({ scripts: scriptOf("for i = 0; i < 200000; i += 1 {\n}"), input, budgetMs: 1 });
    expect(summary.endReason).toBe("budget");
    expect(summary.counts.points).toBeLessThan(1000);
  });
});

describe("functions that reach outside", () => {
  it("are reported where they are called, and a script with requests does not run", async () => {
    const mill = await loadMill();
    const text =
      '# http_request() in a comment\na = "é😀"\nuse("b.p")\nquery_refer_table("t", "k", client)\nhttp_request = 1';
    const scripts = [
      { name: "a.p", text },
      { name: "b.p", text: 'r = http_request("GET", "http://example.com/")' },
    ];
    const set = mill.compile({ "a.p": text, "b.p": scripts[1]!.text }, { probes: false });
    expect(set.errors.size).toBe(0);
    expect(mayRun(set.scripts.get("a.p"))).toBe(false);
    const notes = diagnoseAll(mill, scripts, notesFor(scripts, []));
    expect(
      notes.map(
        ({
          script,
          severity,
          message,
          error: {
            pos_chain: [at],
          },
        }) => [script, severity, message.split(":")[0], at?.ln, at?.col],
      ),
    ).toEqual([
      ["b.p", "error", "http_request is off in the playground", 1, 5],
      ["a.p", "warning", "the project has no reference tables, so nothing is found", 4, 1],
    ]);
    expect(text.slice(notes[1]!.from, notes[1]!.to)).toBe("query_refer_table");
  });
});
