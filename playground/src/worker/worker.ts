// The worker: an instance of Millrace behind comlink. The page runs two of them, one that checks while the other runs.

import * as Comlink from "comlink";
import {
  createMillrace,
  format,
  functionDocs,
  grokDefinitions,
  type Millrace,
  PointError,
} from "../../../lib/index.ts";
import { InputError } from "./bytes.ts";
import { compileAll, diagnoseAll, mayRun } from "./check.ts";
import type { Job, RunAnswer, WorkerApi } from "./protocol.ts";
import { type Control, runJob } from "./run.ts";

const wallClock = (): bigint => BigInt(Date.now()) * 1_000_000n;

/** One instance per clock and zone; only the last one is kept. */
let current: { readonly key: string; readonly mill: Promise<Millrace> } | null = null;

function millFor(timeZone: string, now: bigint | null): Promise<Millrace> {
  const key = `${timeZone} ${now}`;
  if (current?.key !== key) {
    const clock = now === null ? wallClock : () => now;
    const mill = createMillrace({ clock, ...(timeZone === "" ? {} : { timeZone }) });
    current = { key, mill };
    // The module could not be fetched: the next one tries again.
    mill.catch(() => {
      current = null;
    });
  }
  return current.mill;
}

let control: Control = { stopped: false };

const api: WorkerApi = {
  language: () => ({ functions: functionDocs(), patterns: new Map(grokDefinitions) }),
  check: async (scripts) => diagnoseAll(await millFor("", null), scripts),
  format: (text) => format(text),
  run: async (job, report) => {
    control = { stopped: false };
    return await run(job, report, control);
  },
  stop: () => {
    control.stopped = true;
  },
};

async function run(job: Job, report: Parameters<WorkerApi["run"]>[1], ownControl: Control): Promise<RunAnswer> {
  const mill = await millFor(job.timeZone, job.now);
  const clock = job.now === null ? wallClock : () => job.now!;
  const set = compileAll(
    mill,
    job.scripts.filter(({ text }) => text.trim() !== ""),
    job.category,
  );
  const [first] = job.scripts;
  const script = first === undefined ? undefined : set.scripts.get(first.name);
  const isMeant = first !== undefined && first.text.trim() !== "";
  try {
    if (isMeant && !mayRun(script)) return { kind: "script-errors", notes: diagnoseAll(mill, job.scripts) };
    const notice = typeof job.input === "string" && job.form === "json" ? jsonNotice(mill, job) : "";
    const summary = await runJob(mill, script ?? null, job, clock, report, ownControl);
    return { kind: "ran", summary: { ...summary, notice } };
  } catch (error) {
    if (error instanceof InputError) return { kind: "input-error", message: error.message };
    throw error;
  } finally {
    set.free();
  }
}

/** The input is read element by element; a body for the agent must be one array. */
function jsonNotice(mill: Millrace, { input, category }: Job): string {
  try {
    mill.decodePoints(new TextEncoder().encode(input as string), { category, form: "json" }).release();
    return "";
  } catch (error) {
    if (error instanceof PointError) return error.message;
    throw error;
  }
}

Comlink.expose(api);
