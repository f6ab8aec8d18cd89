// Makes an instance of Millrace: the memory of a WebAssembly module, a clock and a source of random numbers. There is
// no global state. Each method checks its arguments once, then calls the code in another folder of lib that does the
// work.

import { defaultWasm, wasmAt } from "#default-wasm";
import {
  bodyOptionsOf,
  categoryNamed,
  checkBatchOptions,
  checkColumnOptions,
  checkEncodeOptions,
  checkInstanceOptions,
  checkRunsIn,
  checkScripts,
  formOf,
  patternsOf,
} from "./easy/check-options.ts";
import {
  batchOf,
  checkedBatcher,
  encodableOf,
  requireOwnPoint,
  requirePoint,
  requireScript,
} from "./easy/check-points.ts";
import { DecodedPoints } from "./easy/decoded-points.ts";
import { encodePlain, type PlainEncodeOptions } from "./easy/encode-plain.ts";
import { bodyChecker, runChecker } from "./easy/last-options.ts";
import { checkLines, type LinesOptions, linesStream } from "./easy/lines.ts";
import { watchBatches } from "./easy/lost-batches.ts";
import { checkScriptOptions, defaultScriptName, ObjectScript } from "./easy/object-script.ts";
import { compileNames, diagnoseNames, grokNames, windowNames } from "./easy/option-names.ts";
import type { CompileScriptsOptions, DecodeOptions, MillraceOptions } from "./easy/options.ts";
import { Grok } from "./grok/grok.ts";
import type { Millrace } from "./instance.ts";
import { type CompiledSet, compileScripts } from "./pipeline/compile/scripts.ts";
import { diagnose } from "./pipeline/editor/diagnose.ts";
import type { Host } from "./pipeline/runtime/run.ts";
import type { PointBatch } from "./point/batch/batch.ts";
import { createBatcher, encodeBatches } from "./point/codec/batches.ts";
import { columnChunks, columnsUsed } from "./point/codec/columns.ts";
import { decodeInWindows, decodePoints } from "./point/codec/decode.ts";
import { encodePoints, encodeTo } from "./point/codec/encode.ts";
import { engineIn } from "./regex/module-engines.ts";
import { type EngineMaker, Regex } from "./regex/regex.ts";
import {
  type Body,
  bytesOfBody,
  requireBoolean,
  requireCount,
  requireFunction,
  requireOptions,
  requireString,
} from "./text/argument.ts";
import { instantiate, WasmModule } from "./wasm/module.ts";

/**
 * Creates an instance of Millrace. Throws when the WebAssembly module cannot be loaded, or when the version of
 * the module's interface differs from the version that this library needs.
 *
 * @example
 * const mill = await createMillrace();
 * const web = mill.script('grok(_, "%{IP:client} %{WORD:method}")');
 * web.run({ message: "10.0.0.7 GET" }).fields.client; // "10.0.0.7"
 */
export async function createMillrace(options: MillraceOptions = {}): Promise<Millrace> {
  checkInstanceOptions(options);
  const { random = Math.random } = options;
  const { wasm } = options;
  const module = wasm instanceof WasmModule ? wasm : await instantiate(await wasmOf(wasm), random);
  if (options.generateCode === false) module.generates = false;
  const now = options.clock ?? systemClock();
  const host = hostOf(options, now);
  const engine = engineIn(module);
  const watched = watchBatches(module, options.warn);
  return {
    ...decoding(module, now, watched),
    ...encoding(module, now),
    ...compiling(engine),
    ...running(host),
    ...objects(module, host, engine),
    regex: (source, flags) => {
      requireString("regex", "source", source);
      if (flags !== undefined) requireString("regex", "flags", flags);
      return Regex.compile(source, flags, { engine });
    },
    grok: (expression, grokOptions) => {
      requireString("grok", "expression", expression);
      requireOptions("grok", grokOptions, grokNames);
      return Grok.compile(expression, { patterns: patternsOf("grok", grokOptions?.patterns), engine });
    },
    memory: () => ({ used: module.used, size: module.size }),
  };
}

function wasmOf(
  wasm: Exclude<MillraceOptions["wasm"], WasmModule>,
): BufferSource | WebAssembly.Module | Promise<WebAssembly.Module> {
  if (wasm === undefined) return defaultWasm();
  return typeof wasm === "string" || wasm instanceof URL ? wasmAt(wasm) : wasm;
}

/**
 * Returns a clock with a resolution of one millisecond. The clock makes a new bigint only when the millisecond
 * differs from that of the clock's previous call.
 */
function systemClock(): () => bigint {
  let ms = 0;
  let time = 0n;
  return () => {
    const current = Date.now();
    if (current !== ms) {
      ms = current;
      time = BigInt(current) * 1_000_000n;
    }
    return time;
  };
}

function hostOf(options: MillraceOptions, now: () => bigint): Host {
  let { timeZone } = options;
  return {
    now,
    random: options.random ?? Math.random,
    // Making the first `DateTimeFormat` of a process loads data, which takes more time than all other work for an
    // instance. Few scripts need the time zone, so the host's time zone is determined only when a script uses it for
    // the first time.
    get timeZone() {
      timeZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
      return timeZone;
    },
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.geoip === undefined ? {} : { geoip: options.geoip }),
    ...(options.referTables === undefined ? {} : { tables: options.referTables }),
  };
}

type Watched = ReturnType<typeof watchBatches>;

function decoding(
  module: WasmModule,
  now: () => bigint,
  watched: Watched,
): Pick<Millrace, "decodePoints" | "decodeInWindows" | "decode"> {
  const checkedOptions = bodyChecker(now);
  const decoded = (call: string, body: Body, options?: DecodeOptions): PointBatch => {
    const bytes = bytesOfBody(call, "body", body);
    const checked = checkedOptions(call, options);
    return watched(decodePoints(module, bytes, checked.form, checked), bytes.length);
  };
  return {
    decodePoints: (body, options) => decoded("decodePoints", body, options),
    decodeInWindows: (body, options) => {
      const call = "decodeInWindows";
      const bytes = bytesOfBody(call, "body", body);
      const checked = bodyOptionsOf(call, options, now, windowNames);
      requireCount(call, "entries", options?.entries, "of tags and fields", 1);
      return decodeInWindows(module, bytes, checked.form, checked, options?.entries);
    },
    decode: (body, options) => new DecodedPoints(decoded("decode", body, options)),
  };
}

type Encoding = "encodePoints" | "encodeTo" | "encodeBatches" | "batcher" | "columnsUsed" | "columnChunks";

function encoding(module: WasmModule, now: () => bigint): Pick<Millrace, Encoding | "encode"> {
  return {
    encodePoints: (points, form, options) => {
      const input = encodableOf("encodePoints", points);
      checkEncodeOptions("encodePoints", options);
      return encodePoints(module, input, formOf("encodePoints", form), options);
    },
    encodeTo: (points, form, sink, options) => {
      const input = encodableOf("encodeTo", points);
      requireFunction("encodeTo", "sink", sink);
      checkEncodeOptions("encodeTo", options);
      return encodeTo(module, input, formOf("encodeTo", form), sink, options);
    },
    encodeBatches: (points, form, options) => {
      const input = encodableOf("encodeBatches", points);
      checkBatchOptions("encodeBatches", options);
      return encodeBatches(module, input, formOf("encodeBatches", form), options);
    },
    batcher: (form, options) => {
      checkBatchOptions("batcher", options);
      return checkedBatcher(createBatcher(module, formOf("batcher", form), options));
    },
    columnsUsed: (points) => columnsUsed(module, encodableOf("columnsUsed", points)),
    columnChunks: (points, options) => {
      const input = encodableOf("columnChunks", points);
      checkColumnOptions("columnChunks", options);
      return columnChunks(module, input, options);
    },
    encode: ((points: unknown, form: unknown, options?: PlainEncodeOptions) =>
      encodePlain(module, now, points, form, options)) as Millrace["encode"],
  };
}

/** Returns the encoded lines with a newline at the end, so that more lines can follow. */
function withNewline(lines: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (lines.length === 0) return lines;
  const bytes = new Uint8Array(lines.length + 1);
  bytes.set(lines);
  bytes[lines.length] = 0x0a;
  return bytes;
}

function compiling(engine: EngineMaker): Pick<Millrace, "compile" | "diagnose"> {
  return {
    compile: (scripts, options) => compiled("compile", scripts, options, engine),
    diagnose: (scripts, options) => {
      checkScripts("diagnose", scripts);
      requireOptions("diagnose", options, diagnoseNames);
      checkRunsIn("diagnose", options?.runsIn);
      return diagnose(scripts, {
        patterns: patternsOf("diagnose", options?.patterns),
        runsIn: options?.runsIn ?? "agent",
      });
    },
  };
}

function compiled(
  call: string,
  scripts: Readonly<Record<string, string>>,
  options: CompileScriptsOptions | undefined,
  engine: EngineMaker,
): CompiledSet {
  checkScripts(call, scripts);
  requireOptions(call, options, compileNames);
  const { category, probes = false, runsIn = "agent", patterns } = options ?? {};
  categoryNamed(call, category, "logging");
  requireBoolean(call, "probes", probes);
  checkRunsIn(call, runsIn);
  return compileScripts(scripts, { patterns: patternsOf(call, patterns), engine, probes, runsIn });
}

function running(host: Host): Pick<Millrace, "run" | "runAll" | "runWaiting"> {
  const checked = runChecker(host);
  return {
    run: (script, point, options) => {
      requireScript("run", script);
      requirePoint("run", point);
      return script.run(point, checked("run", options));
    },
    runAll: (script, points, options, take) => {
      requireScript("runAll", script);
      const batch = batchOf("runAll", points);
      requireFunction("runAll", "take", take);
      script.runAll(batch, checked("runAll", options), take);
    },
    runWaiting: async (script, point, options) => {
      requireScript("runWaiting", script);
      requireOwnPoint("runWaiting", point);
      return script.runWaiting(point, checked("runWaiting", options));
    },
  };
}

function objects(module: WasmModule, host: Host, engine: EngineMaker): Pick<Millrace, "script" | "lines"> {
  return {
    script: (text, options) => {
      checkScriptOptions(text, options);
      const { name = defaultScriptName, scripts, wholeNumbers = "float", maxSteps, maxBytes, patterns } = options ?? {};
      const set = compiled("script", { ...scripts, [name]: text }, { patterns }, engine);
      const run = { category: options?.category, host, maxSteps, maxBytes };
      return new ObjectScript(set, name, run, wholeNumbers);
    },
    lines: ((script: ObjectScript, options?: LinesOptions) => {
      checkLines(script, options);
      return linesStream(script, options ?? {}, (points) => withNewline(encodePoints(module, points, "lp")));
    }) as Millrace["lines"],
  };
}
