// Options of an instance of Millrace and of its methods. The methods check them once per call (check-options.ts).

import type { PatternSource } from "../grok/patterns.ts";
import type { RunsIn } from "../pipeline/functions/central.ts";
import type { Probe } from "../pipeline/runtime/instrumentation.ts";
import type { Fetch, Place } from "../pipeline/runtime/run.ts";
import type { StepBudget } from "../pipeline/runtime/start-run.ts";
import type { CategoryName } from "../point/category.ts";
import type { Form } from "../point/codec/encode.ts";
import type { Limits } from "../point/limits.ts";
import type { TableLookup } from "../refer-table/tables.ts";
import type { WasmModule } from "../wasm/module.ts";
import type { Time } from "./time.ts";

/** Options of `createMillrace`; all are optional. */
export interface MillraceOptions {
  /**
   * The WebAssembly module `millrace.wasm`, given as its bytes, as its URL (in Node.js also as its path), as a compiled
   * module, or as an instance that `instantiate` of `millrace/wasm` made. When functions of `millrace/point` are given
   * the same instance, they share their batches with this Millrace. Default: the file in the package, which each host
   * (browser, Node.js, edge) loads by its own method.
   */
  readonly wasm?: BufferSource | WebAssembly.Module | WasmModule | string | URL;
  /** Returns the current time in nanoseconds since 1970-01-01 UTC; default `Date.now()`. */
  readonly clock?: () => bigint;
  /** Returns a random number in [0, 1); default `Math.random`. */
  readonly random?: () => number;
  /**
   * Whether the instance may generate WebAssembly at run time for regular expressions that are used often; default
   * true. The instance detects an environment that forbids code generation, and then generates none.
   */
  readonly generateCode?: boolean;
  /** IANA name of the local time zone of scripts, for times without a zone; default the zone of `Intl`. */
  readonly timeZone?: string;
  /**
   * Sends the requests of the script function `http_request`; without this option, `http_request` returns nil. `fetch`
   * must refuse the addresses that scripts may not reach.
   */
  readonly fetch?: Fetch;
  /**
   * Returns the geographic place of an IP address, for the script function `geoip`. Without this option, `geoip` does
   * nothing.
   */
  readonly geoip?: (ip: string) => Place | null;
  /** Returns the current reference tables. Called each time that a script looks up a row. */
  readonly referTables?: () => TableLookup | null;
  /**
   * Receives warnings for developers; pass `console.warn` during development. There is only one warning: a batch
   * was garbage collected without `release`. Each instance of Millrace sends it at most once. Default: no
   * warnings.
   */
  readonly warn?: (message: string) => void;
}

/** Options of `Millrace.decodePoints`. */
export interface DecodeOptions {
  /** The category whose rules correct the points; default `metric`. */
  readonly category?: CategoryName;
  /** The wire format of the body; default `lp`, line protocol. */
  readonly form?: Form;
  /**
   * Unit of the times in the body: `n`, `ns`, `u`, `us`, `ms`, `s`, `m` or `h`. When the unit is absent or empty, it is
   * guessed from the size of the numbers.
   */
  readonly precision?: string;
  /**
   * Time for points that have no time in the body: a bigint of nanoseconds or a number of milliseconds since 1970, or a
   * Date; default the current time of the instance's clock.
   */
  readonly now?: Time;
  /** Limits on the size of each point. For a limit that is absent, the default applies. */
  readonly limits?: Partial<Limits>;
  /** Whether a line with two equal tag keys is an error (line protocol only). */
  readonly strict?: boolean;
  /**
   * Largest number of points in a body. When a body has more points, decoding stops with the error TooManyPoints before
   * the rest of the body takes memory. Absent or 0 means no limit.
   */
  readonly maxPoints?: number;
}

/** Options of `Millrace.decodeInWindows`, which decodes a body one window (a group of consecutive points) at a time. */
export interface WindowOptions extends DecodeOptions {
  /**
   * Number of tags and fields after which a window (a group of consecutive points) ends; default 32,768, which take
   * about 1 MB of WebAssembly memory.
   */
  readonly entries?: number;
}

/** Options of one run of a script. */
export interface RunScriptOptions {
  /**
   * The category of the point; default `metric`. Only for `logging`, the status is mapped to a standard word after the
   * run.
   */
  readonly category?: CategoryName;
  /**
   * Largest number of steps (statements and loop iterations) for a point; default 10,000,000. 0 switches the limit off.
   */
  readonly maxSteps?: number;
  /**
   * Largest total size in bytes of the values that a run keeps in memory; default 64 MiB. 0 switches the limit
   * off.
   */
  readonly maxBytes?: number;
  /** A budget of steps that several runs share, such as the runs over all points of one write request. */
  readonly budget?: StepBudget;
  /** Time limit in milliseconds for the run over one point, for debugging. */
  readonly deadlineMs?: number;
  /** Signal that aborts the HTTP requests of a script that waits for answers. */
  readonly signal?: AbortSignal;
  /**
   * Receives the events of the run, such as the start of a statement. Only scripts that were compiled with the option
   * `probes` send events.
   */
  readonly probe?: Probe;
}

/** Options of `Millrace.compile`. */
export interface CompileScriptsOptions {
  /** The category of the points that the scripts will run over. It does not change the compiled code. */
  readonly category?: CategoryName;
  /**
   * Where the scripts will run: in an agent or on a `central` platform, where some functions have no effect. Default:
   * an agent.
   */
  readonly runsIn?: RunsIn;
  /**
   * Whether each statement of the scripts reports to the `probe` of a run, for example to record a trace. Reporting
   * makes scripts slower.
   */
  readonly probes?: boolean;
  /**
   * Grok patterns that all scripts can use: definitions by name, or a source such as the result of `loadPatternFiles`.
   * Default: the built-in patterns.
   */
  readonly patterns?: Readonly<Record<string, string>> | PatternSource;
}
