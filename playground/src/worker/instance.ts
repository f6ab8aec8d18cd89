// A smaller form of the library for the worker, with one WebAssembly module, one clock and one time zone. It
// lacks the methods of `createMillrace` for plain objects, columns and batches. The worker does not call these
// methods, and the page loads faster without them.

import { builtinPatterns } from "../../../lib/grok/index.ts";
import {
  type CompiledSet,
  compileScripts,
  type Diagnostic,
  diagnose,
  type Host,
  type RunOptions,
  type Script,
  type ScriptResult,
} from "../../../lib/pipeline/index.ts";
import {
  type BodyOptions,
  decodePoints,
  encodePoints,
  encodeTo,
  type Form,
  type PointBatch,
  type PointView,
  type Sink,
} from "../../../lib/point/index.ts";
import type { TableLookup } from "../../../lib/refer-table/index.ts";
import { engineIn, Regex } from "../../../lib/regex/index.ts";
import { defaultWasm, instantiate } from "../../../lib/wasm/index.ts";

type Encodable = Parameters<typeof encodePoints>[1];

/** The methods of `Millrace` that the worker calls. The caller must release each decoded batch. */
export interface Instance {
  compile(scripts: Readonly<Record<string, string>>, options: { readonly probes: boolean }): CompiledSet;
  diagnose(scripts: Readonly<Record<string, string>>): readonly Diagnostic[];
  run(script: Script, point: PointView, options: Pick<RunOptions, "category" | "maxSteps" | "probe">): ScriptResult;
  decodePoints(
    body: Uint8Array,
    options: Pick<BodyOptions, "category" | "precision"> & { readonly form: Form; readonly now?: bigint },
  ): PointBatch;
  encodePoints(points: Encodable, form: Form): Uint8Array<ArrayBuffer>;
  encodeTo(points: Encodable, form: Form, sink: Sink): number;
  regex(source: string): Regex;
  /**
   * Returns an instance like this one whose scripts look rows up in the reference tables `tables`. When `tables` is
   * null, the scripts have no reference tables.
   */
  withTables(tables: TableLookup | null): Instance;
}

export interface InstanceOptions {
  readonly clock: () => bigint;
  /** IANA name of the local time zone of scripts; empty for the time zone of the browser. */
  readonly timeZone: string;
  /** Returns the geographic place (such as the country) of an IP address; null until the database is loaded. */
  readonly geoip: Host["geoip"] | null;
}

/** Creates an instance. Throws when the WebAssembly module cannot be loaded. */
export async function createInstance({ clock, timeZone, geoip }: InstanceOptions): Promise<Instance> {
  const module = await instantiate(await defaultWasm(), Math.random);
  const engine = engineIn(module);
  let zone = timeZone;
  const hostWith = (tables: TableLookup | null): Host => ({
    now: clock,
    random: Math.random,
    // The zone is read on demand, because the first `DateTimeFormat` is slow and few scripts need the zone.
    get timeZone() {
      zone ||= new Intl.DateTimeFormat().resolvedOptions().timeZone;
      return zone;
    },
    tables: () => tables,
    ...(geoip === null ? {} : { geoip }),
  });
  const instanceWith = (host: Host): Instance => ({
    compile: (scripts, { probes }) => compileScripts(scripts, { patterns: builtinPatterns, engine, probes }),
    diagnose: (scripts) => diagnose(scripts, { patterns: builtinPatterns, runsIn: "agent" }),
    run: (script, point, { category, maxSteps, probe }) => script.run(point, { category, maxSteps, probe, host }),
    decodePoints: (body, { form, category, precision, now = clock() }) =>
      decodePoints(module, body, form, { category, precision, now }),
    encodePoints: (points, form) => encodePoints(module, points, form),
    encodeTo: (points, form, sink) => encodeTo(module, points, form, sink),
    regex: (source) => Regex.compile(source, "", { engine }),
    withTables: (tables) => instanceWith(hostWith(tables)),
  });
  return instanceWith(hostWith(null));
}
