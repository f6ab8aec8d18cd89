// The web worker: an instance of Millrace that the page calls through the library comlink. The page runs two
// such workers, so that one worker can check scripts while the other worker runs them.

import countryFile from "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb?url";
import * as Comlink from "comlink";
import { type CompiledSet, functionDocs, grokDefinitions, PointError } from "../../../lib/index.ts";
import { t } from "../text/translate.ts";
import { InputError } from "./bytes.ts";
import { compileAll, diagnoseAll, isPattern, mayRun } from "./check.ts";
import { CountryDatabase, loadCountries } from "./country-database.ts";
import { createInstance, type Instance } from "./instance.ts";
import { loadXPath } from "./on-demand/xpath-on-demand.ts";
import type { Job, Report, RunAnswer, ScriptText, WorkerApi } from "./protocol.ts";
import type { QueriedPoints } from "./query-run/queries.ts";
import { type Control, type PointSink, runJob } from "./run.ts";
import type { TestJob } from "./tests/test-job.ts";
import { speaking } from "./texts.ts";

const wallClock = (): bigint => BigInt(Date.now()) * 1_000_000n;

const countries = new CountryDatabase({
  url: countryFile,
  fetch: (url) => fetch(url),
  read: async (bytes) => (await import("./country-reader.ts")).readCountries(bytes),
});

/**
 * The Millrace instance that was used last. Runs with the same `key` use it again. The key consists of the fixed
 * current time, the time zone, and whether the country database for `geoip` is loaded.
 */
let current: { readonly key: string; readonly mill: Promise<Instance> } | null = null;

function millFor(timeZone: string, now: bigint | null): Promise<Instance> {
  const { lookup } = countries;
  const key = `${timeZone} ${now} ${lookup !== null}`;
  if (current?.key !== key) {
    const clock = now === null ? wallClock : () => now;
    const mill = createInstance({ clock, timeZone, geoip: lookup });
    current = { key, mill };
    // The WebAssembly module could not be fetched, so the failed instance is removed and the next call tries again.
    mill.catch(() => {
      current = null;
    });
  }
  return current.mill;
}

async function tests({ scripts }: TestJob): Promise<typeof import("./tests/tests.ts")> {
  await loadXPath(scripts);
  return import("./tests/tests.ts");
}

const referTables = () => import("./refer-tables/held-tables.ts");

/** Returns whether a script may look rows up in reference tables. */
function looksUp(scripts: readonly ScriptText[]): boolean {
  return scripts.some(({ text }) => text.includes("query_refer_table"));
}

const queries = () => import("./query-run/queries.ts");

/** The points over which DQL queries run; null before the page has loaded any points. */
let queried: QueriedPoints | null = null;

/**
 * Number of queries that the page has sent so far. The worker counts the points of a query for the histogram. This
 * counting ends early when a newer query arrives.
 */
let asked = 0;

/**
 * How often the page has requested counts of points: by measurement (`sources`), and by key (`keys`). A newer
 * request ends an older request for the same counts.
 */
const counts = { sources: 0, keys: 0 };

let control: Control = { stopped: false };

const api: WorkerApi = {
  language: () => ({ functions: functionDocs(), patterns: new Map(grokDefinitions) }),
  check: async (scripts, tables) => {
    await loadXPath(scripts);
    const notes = looksUp(scripts) ? (await referTables()).notesFor(scripts, tables) : [];
    return diagnoseAll(await millFor("", null), scripts, notes);
  },
  readTables: async (files) => (await referTables()).tablesOf(files).files,
  convert: async (job) => (await import("./convert/convert.ts")).convert(await millFor("", null), job),
  route: async (job) => (await import("./sharding/route.ts")).route(await millFor("", null), job),
  holdPoints: async (job) => {
    const own = (control = { stopped: false });
    queried = null;
    const { hold } = await queries();
    const made = await hold(job, own, (each, sink) => run(each, () => {}, own, sink));
    queried = made.held;
    return made.answer;
  },
  openPlatform: async () => {
    queried = null;
    const { PlatformPoints } = await queries();
    const platform = new PlatformPoints((...request) => fetch(...request));
    const answer = await platform.holding();
    queried = platform;
    return answer;
  },
  ask: async (job) => {
    asked++;
    return (await queries()).answer(await queriedPoints(), job);
  },
  survey: async (work) => {
    const own = asked;
    const { answer, survey } = await queries();
    const points = await queriedPoints();
    return survey(
      work,
      (job) => answer(points, job),
      () => own !== asked,
    );
  },
  editRange: async (text, range) => (await queries()).editRange(text, range),
  askCsv: async (job) => (await queries()).answerCsv(await queriedPoints(), job),
  editFilter: async (edit) => (await queries()).editFilter(edit),
  queryItems: async (before) => (await queries()).queryItems(await queriedPoints(), before),
  exploreQuery: async (choice) => (await queries()).exploreQuery(choice),
  countSources: async (work) => {
    const own = ++counts.sources;
    const { answer, countSources } = await queries();
    const points = await queriedPoints();
    return countSources(
      work,
      (job) => answer(points, job),
      () => own !== counts.sources,
    );
  },
  countKeys: async ({ source, job }) => {
    const own = ++counts.keys;
    const { answer, countKeys, keysOf } = await queries();
    const points = await queriedPoints();
    const keys = await keysOf(points, source);
    return countKeys(
      { source, keys, job },
      (each) => answer(points, each),
      () => own !== counts.keys,
    );
  },
  keyValues: async (work) => {
    const { answer, keyValues } = await queries();
    const points = await queriedPoints();
    return keyValues(work, (job) => answer(points, job));
  },
  queryWords: async () => (await queries()).queryWords(),
  format: async (text) => (await import("./on-demand/format-script.ts")).format(text),
  isPattern,
  runTests: async (job) => (await tests(job)).runAll(job),
  addTest: async (job, kept) => (await tests(job)).addTest(job, kept),
  acceptTest: async (job, index) => (await tests(job)).acceptTest(job, index),
  removeTest: async (job, index) => (await tests(job)).removeTest(job, index),
  steps: async (job, number) => {
    const { mill, set } = await prepare(job, () => {}, { stopped: false });
    try {
      const script = set.scripts.get(job.scripts[0]!.name);
      if (!mayRun(script)) return t("The script has an error, or is empty, so there are no steps.");
      const { tracePoint } = await import("./steps/trace-point.ts");
      const steps = await tracePoint(mill, script, job, clockOf(job), number);
      return steps ?? t("The input has no such point any more.");
    } finally {
      set.free();
    }
  },
  measure: async (bench) => {
    const { mill, set } = await prepare(bench.job, () => {}, { stopped: false });
    set.free();
    return (await import("./bench/measure.ts")).measure(mill, bench, clockOf(bench.job));
  },
  ready: async (timeZone, now) => void (await millFor(timeZone, now)),
  run: async (job, report) => {
    control = { stopped: false };
    // The reports and the final answer are sent over different channels, so the answer could arrive before the last
    // report. Therefore the answer is sent only after the page has received that report.
    let taken: unknown;
    const answer = await run(
      job,
      (each) => {
        taken = report(each);
      },
      control,
    );
    await taken;
    return answer;
  },
  stop: () => {
    control.stopped = true;
  },
};

async function queriedPoints(): Promise<QueriedPoints> {
  return queried ?? (await queries()).noPoints();
}

function clockOf({ now }: Job): () => bigint {
  return now === null ? wallClock : () => now;
}

async function run(
  job: Job,
  report: (report: Report) => void,
  ownControl: Control,
  sink: PointSink | null = null,
): Promise<RunAnswer> {
  const { mill, set, missing } = await prepare(job, report, ownControl);
  const clock = clockOf(job);
  const [first] = job.scripts;
  const script = first === undefined ? undefined : set.scripts.get(first.name);
  const isMeant = first !== undefined && first.text.trim() !== "";
  try {
    if (isMeant && !mayRun(script)) return { kind: "script-errors", notes: diagnoseAll(mill, job.scripts) };
    const notice = typeof job.input === "string" && job.form === "json" ? jsonNotice(mill, job) : "";
    const statements = [...set.scripts.values()].flatMap((each) => each.statements);
    const summary = await runJob(mill, script ?? null, job, clock, report, ownControl, statements, sink);
    return { kind: "ran", summary: { ...summary, notice, missing } };
  } catch (error) {
    if (error instanceof InputError) return { kind: "input-error", message: error.message };
    throw error;
  } finally {
    set.free();
  }
}

interface Prepared {
  readonly mill: Instance;
  readonly set: CompiledSet;
  /** Returns a text that names the data that the run lacks, and the consequences; empty when all data is available. */
  readonly missing: string;
}

/**
 * Compiles the scripts, and loads the country database when the first script, or a script that it uses, calls `geoip`.
 */
async function prepare(job: Job, report: (report: Report) => void, ownControl: Control): Promise<Prepared> {
  const { scripts, timeZone, now } = job;
  const written = scripts.filter(({ text }) => text.trim() !== "");
  const [bare] = await Promise.all([millFor(timeZone, now), loadXPath(written)]);
  const tables = looksUp(written) ? (await referTables()).tablesOf(job.tables) : null;
  const mill = bare.withTables(tables?.lookup ?? null);
  const set = compileAll(mill, written);
  const asks = set.scripts.get(scripts[0]?.name ?? "")?.calls.has("geoip") === true;
  if (!asks || countries.lookup !== null) return { mill, set, missing: tables?.missing ?? "" };
  const reason = await loadCountries(
    countries,
    () => ownControl.stopped,
    (bytes) => report({ kind: "loading", bytes }),
  );
  if (reason !== "") {
    const missing = t(
      "geoip wrote nothing: the country database could not be loaded ({reason}). Press Run to try again.",
      { reason },
    );
    return { mill, set, missing };
  }
  set.free();
  const withPlaces = (await millFor(timeZone, now)).withTables(tables?.lookup ?? null);
  return { mill: withPlaces, set: compileAll(withPlaces, written), missing: tables?.missing ?? "" };
}

/**
 * Returns the error with which an agent would refuse the JSON input; empty when an agent would accept it. The
 * playground reads JSON element by element, but an agent accepts only a body that is one JSON array.
 */
function jsonNotice(mill: Instance, { input, category }: Job): string {
  try {
    mill.decodePoints(new TextEncoder().encode(input as string), { category, form: "json" }).release();
    return "";
  } catch (error) {
    if (error instanceof PointError) return error.message;
    throw error;
  }
}

Comlink.expose(speaking(api));
