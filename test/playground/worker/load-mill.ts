// A library instance for tests of the playground's worker code in Node, and a function that performs a run and collects
// all its reports.

import { compileAll } from "../../../playground/src/worker/check.ts";
import { createInstance, type Instance } from "../../../playground/src/worker/instance.ts";
import type { Job, PointRecord, Summary } from "../../../playground/src/worker/protocol.ts";
import { tablesOf } from "../../../playground/src/worker/refer-tables/held-tables.ts";
import { type Control, runJob } from "../../../playground/src/worker/run.ts";

export function loadMill(): Promise<Instance> {
  return createInstance({ clock: () => BigInt(Date.now()) * 1_000_000n, timeZone: "", geoip: null });
}

export const plainJob: Job = {
  scripts: [{ name: "main.p", text: "" }],
  tables: [],
  category: "logging",
  form: "lines",
  input: "",
  source: "default",
  messageStart: "^\\S",
  timeZone: "UTC",
  now: 1_763_719_200_000_000_000n,
  maxSteps: 10_000_000,
  budgetMs: 0,
  limit: 0,
  query: null,
  output: null,
};

export interface Ran {
  readonly records: readonly PointRecord[];
  readonly summary: Summary;
}

/** Performs a run and returns all its reports. Throws when a script cannot be compiled. */
export async function run(part: Partial<Job>, control: Control = { stopped: false }): Promise<Ran> {
  const job = { ...plainJob, ...part };
  const clock = () => job.now ?? 0n;
  const { lookup } = tablesOf(job.tables);
  const bare = await createInstance({ clock, timeZone: job.timeZone || "UTC", geoip: null });
  const mill = bare.withTables(lookup);
  const set = compileAll(
    mill,
    job.scripts.filter(({ text }) => text !== ""),
  );
  if (set.errors.size > 0) throw new Error(JSON.stringify([...set.errors]));
  const records: PointRecord[] = [];
  const script = set.scripts.get(job.scripts[0]!.name) ?? null;
  const summary = await runJob(
    mill,
    script,
    job,
    clock,
    (report) => {
      if (report.kind === "records") records.push(...report.records);
    },
    control,
    [...set.scripts.values()].flatMap(({ statements }) => statements),
  );
  return { records, summary };
}

/** Yields `bytes`, cut into chunks of `size` bytes. */
export async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}
