// Points of a write before and after the script, in the form in which a client gets live points.

import { beforeAll, describe, expect, it } from "vitest";
import { createEngine } from "../../../../server/agent/create-engine.ts";
import { compileWasm, type Engine, type PointSeries, type Points } from "../../../../server/agent/engine.ts";
import { createScriptRun } from "../../../../server/agent/ingest/script-run.ts";
import { anyScript } from "../../../../server/agent/ingest/write-request.ts";
import { scriptsOf } from "../../../../server/agent/ingest/write-scripts.ts";
import { createPointSampler, type PointSampler } from "../../../../server/agent/live/sample-points.ts";
import { plainJob } from "../ingest/plain-job.ts";

interface Sampled {
  readonly script: string;
  readonly dropped: boolean;
  readonly created: number;
  readonly error?: string;
  readonly before: PointJson;
  readonly after: PointJson | null;
}
interface PointJson {
  readonly name: string;
  readonly time: string;
  readonly entries: readonly { key: string; kind: string; isTag: boolean; text: string; length?: number }[];
  readonly left_out?: number;
}

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine(compileWasm(), { maxSteps: 1000 });
});

function decoded(lines: string): Points {
  const options = { category: "logging", form: "lp", precision: "n", now: 1n, strict: false } as const;
  return engine.decode(Buffer.from(lines), options);
}

const limits = { maxStepsPerWrite: 0, requestsMs: 1000 };

/** Runs the script "a.p" over points. `sampler` samples some of the points. Returns the points that are left. */
function run(batch: Points, sampler?: PointSampler): PointSeries {
  const job = { ...plainJob, script: "a.p", body: new Uint8Array(0) };
  return createScriptRun(engine, scriptsOf(engine, job, undefined)!, "logging", limits, sampler).over(batch).left;
}

/** Runs a script over points in line protocol, and returns the sample of live points that the agent takes. */
function sample(script: string | undefined, lines: string, points = 5): Sampled[] {
  const sampler = createPointSampler({ points }, engine, "logging", script === undefined ? "" : "a.p");
  const batch = decoded(lines);
  try {
    if (script === undefined) sampler.passBy(batch);
    else {
      const { errors } = engine.load("logging", { "a.p": script });
      expect([...errors]).toEqual([]);
      run(batch, sampler);
    }
  } finally {
    batch.release();
  }
  return sampler.end().map((text) => JSON.parse(text) as Sampled);
}

const textsOf = (point: PointJson | null) =>
  point === null ? null : Object.fromEntries(point.entries.map(({ key, text }) => [key, text]));

describe("a sampled point", () => {
  it("contains the point before and after the script", () => {
    const [first, second, ...others] = sample(
      'add_key(level, "high")\ndrop_key(b)\nset_tag(env, "prod")',
      'web,host=h1 a=1i,b=2.0,status="info" 1700000000000000001\nweb a=9223372036854775807i,status="info" 2',
    );
    expect(others).toEqual([]);
    expect(first).toMatchObject({ script: "a.p", dropped: false, created: 0 });
    expect(first!.before).toEqual({
      name: "web",
      time: "1700000000000000001",
      entries: [
        { key: "a", kind: "int", isTag: false, text: "1" },
        { key: "b", kind: "float", isTag: false, text: "2.0" },
        { key: "status", kind: "string", isTag: false, text: "info" },
        { key: "host", kind: "string", isTag: true, text: "h1" },
      ],
    });
    expect(textsOf(first!.after)).toEqual({ host: "h1", env: "prod", a: "1", status: "info", level: "high" });
    expect(textsOf(second!.before)).toEqual({ a: "9223372036854775807", status: "info" });
  });

  it.each([
    ["says that the script dropped it", "drop()", { dropped: true, after: null }],
    ["counts the points that the script created", 'create_point("b", {}, {"x": 1})', { created: 1, dropped: false }],
    ["has the error of the script", "x = 0\nadd_key(y, 1 / x)", { error: expect.stringContaining("a.p:2") }],
  ])("%s", (_name, script, expected) => {
    expect(sample(script, "web a=1i 1")).toMatchObject([expected]);
  });

  it("has the corrections that the agent makes after the script", () => {
    const [point] = sample('add_key(status, "ERR")', "web a=1i 1");
    expect(textsOf(point!.after)!.status).toBe("err");
  });

  it("is the same before and after where no script runs", () => {
    const [point] = sample(undefined, "web a=1i 1");
    expect(point!.after).toEqual(point!.before);
  });

  it("is only taken from the first points of a write", () => {
    const lines = Array.from({ length: 20 }, (_, at) => `web a=${at}i 1`).join("\n");
    const script = 'add_key(b, "x")';
    expect(sample(script, lines, 3).map(({ before }) => textsOf(before)!.a)).toEqual(["0", "1", "2"]);
    expect(sample(undefined, lines, 3).map(({ before }) => textsOf(before)!.a)).toEqual(["0", "1", "2"]);
    expect(sample(script, lines, 0)).toEqual([]);
  });

  it("has long values shortened, with their length", () => {
    const [point] = sample(undefined, `web a="${"x".repeat(299)}😀${"y".repeat(100_000)}" 1`);
    const [entry] = point!.before.entries;
    expect([entry!.text, entry!.length]).toEqual(["x".repeat(299), 299 + 2 + 100_000]);
  });

  it("contains at most 60 tags and fields, and the number of omitted ones", () => {
    const fields = Array.from({ length: 500 }, (_, at) => `f${at}=${at}i`).join(",");
    const [point] = sample(undefined, `web ${fields} 1`);
    expect([point!.before.entries.length, point!.before.left_out]).toEqual([60, expect.any(Number)]);
    expect(point!.before.left_out).toBeGreaterThanOrEqual(440);
  });
});

it("sampling changes neither the points nor the results of the script", () => {
  const lines = Array.from({ length: 10 }, (_, at) => `web a=${at}i,status="info" ${at}`).join("\n");
  engine.load("logging", { "a.p": "if a % 3 == 0 { drop() }\nadd_key(b, a + 1)" });
  const results = (points: number) => {
    const batch = decoded(lines);
    const left = run(batch, points === 0 ? undefined : createPointSampler({ points }, engine, "logging", "a.p"));
    const texts = [left, batch].map((each) => Buffer.from(engine.encode(each, "lp")).toString());
    batch.release();
    return texts;
  };
  expect(results(5)).toEqual(results(0));
});

it("samples points with and without a script in their order where their names choose the scripts", () => {
  engine.load("logging", { "a.p": 'add_key(ran, "a")', "b.p": "drop()" });
  const job = { ...plainJob, script: anyScript, body: new Uint8Array(0) };
  const scripts = scriptsOf(engine, job, { related: {}, defaults: {} })!;
  const sampler = createPointSampler({ points: 4 }, engine, "logging", "");
  const batch = decoded("a n=1i 1\nnone n=2i 1\nb n=3i 1\na n=4i 1\na n=5i 1");
  createScriptRun(engine, scripts, "logging", limits, sampler).over(batch, [0, 1, 2, 4]);
  batch.release();
  const sampled = sampler.end().map((text) => JSON.parse(text) as Sampled);
  expect(sampled.map(({ script, before, after }) => [script, textsOf(before)!.n, textsOf(after)?.ran])).toEqual([
    ["", "1", "a"],
    ["", "2", undefined],
    ["", "3", undefined],
    ["", "5", "a"],
  ]);
  expect(sampled.map(({ dropped }) => dropped)).toEqual([false, false, true, false]);
});
