// Global tags of a write: scripts, filters and shard keys see them. The echo (the points returned in the answer) and
// points that scripts create do not have them.

import { beforeAll, describe, expect, it } from "vitest";
import { compileDropRules } from "../../../../lib/filter/drop-rules.ts";
import { createEngine } from "../../../../server/agent/create-engine.ts";
import { compileWasm, type Engine } from "../../../../server/agent/engine.ts";
import { answerWrite } from "../../../../server/agent/ingest/answer-write.ts";
import { encodeAggregated, type WriteLimits } from "../../../../server/agent/ingest/job.ts";
import type { WriteAnswer, WriteJob } from "../../../../server/agent/ingest/write-job.ts";
import { plainJob } from "./plain-job.ts";

const limits: WriteLimits = {
  maxStepsPerWrite: 0,
  requestsMs: 1000,
  rum: { rules: { appIds: [], checkPoints: true }, sourceMaps: undefined },
};

const scripts = {
  "reads.p": "add_key(seen, region)",
  "removes.p": "drop_key(region)",
  "renames.p": "rename(area, region)",
  "window.p": `point_window(2, 1)
if _ == "error" { window_hit() }
drop()`,
  "makes.p": 'create_point("made", {"t": "v"}, {"n": 1})',
  "waits.p": `add_key(seen, region)
if region == nil { http_request("GET", "http://localhost:9/") }`,
};

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine(compileWasm(), { maxSteps: 0 });
  const { errors } = engine.load("logging", scripts);
  expect([...errors]).toEqual([]);
});

const tags: WriteJob["globalTags"] = [
  ["region", "cn-east"],
  ["host", "web01"],
];

interface Asked extends Partial<Omit<WriteJob, "body">> {
  readonly filters?: Readonly<Record<string, readonly string[]>>;
}

async function write(
  body: string,
  { filters = {}, ...asked }: Asked = {},
): Promise<Extract<WriteAnswer, { ok: true }>> {
  const rules = compileDropRules(filters, { strictTypes: false });
  const job: WriteJob = { ...plainJob, globalTags: tags, ...asked, body: new TextEncoder().encode(body) };
  const answer = await answerWrite(engine, rules, job, limits);
  if (!answer.ok) throw new Error(`${answer.code} ${answer.message}`);
  return answer;
}

const linesOf = ({ batches }: Pick<Extract<WriteAnswer, { ok: true }>, "batches">) =>
  batches.flatMap(({ body }) => new TextDecoder().decode(body).split("\n")).filter((line) => line !== "");

const log = (message: string) => `m,filepath=/a.log message="${message}",status="info" 1`;

describe("global tags", () => {
  const cases: readonly { name: string; body?: string; asked: Asked; lines: readonly string[] }[] = [
    {
      name: "are read by a script",
      asked: { script: "reads.p" },
      lines: ['m,filepath=/a.log,host=web01,region=cn-east message="x",seen="cn-east",status="info" 1000000000'],
    },
    {
      name: "are read by a script that waits",
      asked: { script: "waits.p" },
      lines: ['m,filepath=/a.log,host=web01,region=cn-east message="x",seen="cn-east",status="info" 1000000000'],
    },
    {
      name: "stay removed when a script removes them",
      asked: { script: "removes.p" },
      lines: ['m,filepath=/a.log,host=web01 message="x",status="info" 1000000000'],
    },
    {
      name: "stay renamed when a script renames them",
      asked: { script: "renames.p" },
      lines: ['m,area=cn-east,filepath=/a.log,host=web01 message="x",status="info" 1000000000'],
    },
    {
      name: "are seen by a filter",
      asked: { filters: { logging: ["{ region = 'cn-east' }"] } },
      lines: [],
    },
    {
      name: "are seen by a filter behind a script",
      asked: { script: "reads.p", filters: { logging: ["{ seen = 'cn-east' and host = 'web01' }"] } },
      lines: [],
    },
    {
      name: "that a script removed are not seen by a filter",
      asked: { script: "removes.p", filters: { logging: ["{ region = 'cn-east' }"] } },
      lines: ['m,filepath=/a.log,host=web01 message="x",status="info" 1000000000'],
    },
    {
      name: "leave a tag and a field of the point as they are",
      body: 'm,region=own host="mine",status="info" 1',
      asked: { script: "reads.p" },
      lines: ['m,region=own host="mine",seen="own",status="info" 1000000000'],
    },
    {
      name: "are not added to points that a script creates",
      asked: { script: "makes.p", shardKeys: ["region"], filters: { metric: ["{ region = 'cn-east' }"] } },
      lines: [expect.stringMatching(/^m,filepath/), expect.stringMatching(/^made,t=v n=1i /)],
    },
  ];
  it.each(cases)("$name", async ({ body = log("x"), asked, lines }) => {
    const written = linesOf(await write(body, asked)).map((line) => line.replace(/^([^ ]+)/, sortedTags));
    expect(written).toEqual(lines);
  });

  it("do not appear in the echo, with or without a script", async () => {
    for (const script of [undefined, "reads.p"]) {
      const { echo } = await write(log("x"), { script, echo: "lp" });
      expect(new TextDecoder().decode(echo)).toBe('m,filepath=/a.log message="x",status="info" 1000000000');
    }
  });

  it("can be the stream key of point_window, and are added to the points that the window returns", async () => {
    const answer = await write([log("one"), log("two"), log("error"), log("after")].join("\n"), {
      script: "window.p",
      shardKeys: ["region"],
    });
    expect(linesOf(answer).map((line) => /message="(\w+)"/.exec(line)![1])).toEqual(["one", "two", "error"]);
    expect(answer.batches.map(({ globalTags }) => globalTags)).toEqual(["region=cn-east"]);
  });

  it("are seen by the filters of aggregated points", () => {
    const point = engine.decode(new TextEncoder().encode("m n=1i 1"), { ...plainJob, category: "metric" }).point(0);
    const aggregated = [{ bucket: "b", category: "metric", point } as const];
    const rules = compileDropRules({ metric: ["{ host = 'web01' }"] }, { strictTypes: false });
    const made = encodeAggregated(engine, rules, aggregated, { hostTags: tags, batchBytes: 0, shardKeys: undefined });
    expect(made.buckets.flatMap(linesOf)).toEqual([]);
    expect(made.filtered).toMatchObject([{ category: "metric", points: 1, dropped: 1 }]);
  });
});

/** Sorts the tags of a line, because these tests ignore the order of tags. */
function sortedTags(head: string): string {
  const [name, ...its] = head.split(",");
  return [name, ...its.sort()].join(",");
}
