// The names of the options that the methods of a Millrace instance accept. An object of options may have no
// other members. The names of the options of `encode`, `script`, `lines` and `toObject` are in the files that
// check these options.

import type { BatchOptions } from "../point/codec/batches.ts";
import type { ColumnOptions } from "../point/codec/columns.ts";
import type { EncodeOptions } from "../point/codec/encode.ts";
import type { OptionNames } from "../text/argument.ts";
import type {
  CompileScriptsOptions,
  DecodeOptions,
  MillraceOptions,
  RunScriptOptions,
  WindowOptions,
} from "./options.ts";

export const instanceNames: OptionNames<MillraceOptions> = {
  ...{ wasm: true, clock: true, random: true, generateCode: true, timeZone: true, fetch: true, geoip: true },
  ...{ referTables: true, warn: true },
};

export const decodeNames: OptionNames<DecodeOptions> = {
  ...{ category: true, form: true, precision: true, now: true, limits: true, strict: true, maxPoints: true },
};

export const windowNames: OptionNames<WindowOptions> = { ...decodeNames, entries: true };

const lineNames = { precision: true, keepLines: true } as const;

export const encodeNames: OptionNames<EncodeOptions> = { ...lineNames, withoutWarnings: true, from: true, to: true };

export const batchNames: OptionNames<BatchOptions> = {
  ...lineNames,
  ...{ maxPoints: true, maxBytes: true, bufferBytes: true, ignoreLarge: true, largeAlone: true, written: true },
  exactSizes: true,
};

export const columnNames: OptionNames<ColumnOptions> = { rows: true, arrayText: true, isSparse: true };

export const compileNames: OptionNames<CompileScriptsOptions> = {
  ...{ category: true, runsIn: true, probes: true, patterns: true },
};

export const diagnoseNames: OptionNames<Pick<CompileScriptsOptions, "runsIn" | "patterns">> = {
  ...{ runsIn: true, patterns: true },
};

export const runNames: OptionNames<RunScriptOptions> = {
  ...{ category: true, maxSteps: true, maxBytes: true, budget: true, deadlineMs: true, signal: true, probe: true },
};

/**
 * The options of the method `grok` of an instance. There is no option `engine`, because an instance has its own regular
 * expression engine.
 */
export const grokNames = { patterns: true } as const;
