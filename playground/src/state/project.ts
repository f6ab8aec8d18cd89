// A project of a user: scripts, input and settings. A share link contains a project, and a draft stores one.

import { type CategoryName, categories } from "../../../lib/index.ts";
import { english } from "../text/translate.ts";
import { type WireForm, wireForms } from "../worker/convert/conversion.ts";
import type { Method } from "../worker/grok/workbench.ts";
import type { InputForm, ScriptText } from "../worker/protocol.ts";
import { allowedTableFiles, type TableFile } from "../worker/refer-tables/table-files.ts";
import type { HeaderMaker, Matching, RoutingJob } from "../worker/sharding/routing.ts";

/** The input of the converter: a body of points, and the settings for decoding it. */
export interface ConverterInput {
  /** The body as text; a body of protobuf is text in hex or base64. */
  readonly body: string;
  /** The wire form of the body (such as JSON); `auto` means that the converter detects it. */
  readonly form: WireForm | "auto";
  readonly category: CategoryName;
  /** Unit of the times in the body; empty means that the decoder derives the unit from the size of each number. */
  readonly precision: string;
}

/** The input of the grok mode: an expression, and lines to try it on. */
export interface GrokInput {
  /** The script function that uses the expression: `grok`, `match` or `replace`. */
  readonly method: Method;
  readonly expression: string;
  /** The replacement text for `replace`, which may refer to groups of the expression. */
  readonly replacement: string;
  /** Whether `grok` removes white space around captures. */
  readonly trim: boolean;
  /** The lines to match, as one text. Each line is matched separately. */
  readonly lines: string;
  /** Patterns of the project, as the text of a pattern file. */
  readonly patterns: string;
}

/** The input of the sharding mode: rules, and points to try them on. */
export type ShardingInput = Omit<RoutingJob, "now">;

/** A query that the user has saved under a name. */
export interface SavedQuery {
  readonly name: string;
  readonly text: string;
}

/** The input of the query mode. */
export interface QueryInput {
  /** The query in the editor, in the query language DQL. */
  readonly text: string;
  readonly saved: readonly SavedQuery[];
}

/** Names of the parts of a project that are inputs of a mode. Each mode except the pipeline mode has one such part. */
export const modeInputs = ["convert", "grok", "query", "sharding"] as const;
export type ModeInput = (typeof modeInputs)[number];

export type View = "table" | "lp" | "json" | "pbjson";

export interface Project {
  readonly title: string;
  /** The scripts of the project, at least one. The first script runs; it may call the others. */
  readonly scripts: readonly ScriptText[];
  /** Files of reference tables, in which the scripts look rows up. */
  readonly tables: readonly TableFile[];
  readonly category: CategoryName;
  readonly form: InputForm;
  readonly input: string;
  /** Name (source) of the points that are made from log lines. */
  readonly source: string;
  /** Regular expression that matches the first line of a multi-line message. */
  readonly messageStart: string;
  /** IANA name of the time zone; empty for the zone of the browser. */
  readonly timeZone: string;
  /** A moment such as `2025-11-21T10:00:00Z` that scripts get as the current time; empty for the real time. */
  readonly now: string;
  /** Largest number of script steps (executed statements and loop iterations) for a point; 0 for no limit. */
  readonly maxSteps: number;
  readonly view: View;
  /** Tests of the scripts: the text of a test file, in YAML; empty for none. */
  readonly tests: string;
  readonly convert: ConverterInput;
  readonly grok: GrokInput;
  readonly sharding: ShardingInput;
  readonly query: QueryInput;
}

export const headerMakers: readonly HeaderMaker[] = ["rules", "keys"];
export const matchings: readonly Matching[] = ["all", "first"];
export const methods: readonly Method[] = ["grok", "match", "replace"];
export const views: readonly View[] = ["table", "lp", "json", "pbjson"];
export const inputForms: readonly InputForm[] = ["lines", "messages", "lp", "json"];
export const defaultMessageStart = "^\\S";
export const defaultMaxSteps = 10_000_000;

export const emptyProject: Project = {
  title: english("Untitled"),
  scripts: [{ name: "main.p", text: "" }],
  tables: [],
  category: "logging",
  form: "lines",
  input: "",
  source: "default",
  messageStart: defaultMessageStart,
  timeZone: "",
  now: "",
  maxSteps: defaultMaxSteps,
  view: "table",
  tests: "",
  convert: { body: "", form: "auto", category: "logging", precision: "" },
  grok: { method: "grok", expression: "", replacement: "", trim: true, lines: "", patterns: "" },
  sharding: { maker: "rules", tags: "", keys: "", sinks: "", matching: "all", points: "", category: "logging" },
  query: { text: "", saved: [] },
};

/**
 * Reads a project from stored or received data. Missing and wrong parts get default values. Returns null when the data
 * is not a project at all.
 */
export function parseProject(value: unknown): Project | null {
  if (typeof value !== "object" || value === null) return null;
  const given = value as Record<string, unknown>;
  const scripts = parseScripts(given.scripts);
  if (scripts === null) return null;
  const text = (key: "title" | "input" | "source" | "messageStart" | "timeZone" | "now" | "tests") => {
    const each = given[key];
    return typeof each === "string" ? each : emptyProject[key];
  };
  const oneOf = <T>(all: readonly T[], each: unknown, otherwise: T): T =>
    all.includes(each as T) ? (each as T) : otherwise;
  const { maxSteps } = given;
  return {
    title: text("title").slice(0, 100),
    scripts,
    tables: parseTables(given.tables),
    category: oneOf(categories, given.category, emptyProject.category),
    form: oneOf(inputForms, given.form, emptyProject.form),
    input: text("input"),
    source: text("source"),
    messageStart: text("messageStart"),
    timeZone: isTimeZone(text("timeZone")) ? text("timeZone") : "",
    now: parseMoment(text("now")) === null ? "" : text("now"),
    maxSteps:
      typeof maxSteps === "number" && Number.isSafeInteger(maxSteps) && maxSteps >= 0 ? maxSteps : defaultMaxSteps,
    view: oneOf(views, given.view, emptyProject.view),
    tests: text("tests"),
    convert: parseConverter(given.convert),
    grok: parseGrok(given.grok),
    sharding: parseSharding(given.sharding),
    query: parseQuery(given.query),
  };
}

/**
 * Units of times that the converter offers. Empty means that the decoder derives the unit from the size of each number.
 */
export const converterPrecisions: readonly string[] = ["", "n", "u", "ms", "s", "m", "h"];

function parseConverter(value: unknown): ConverterInput {
  const { body, form, category, precision } = (value ?? {}) as Record<string, unknown>;
  const otherwise = emptyProject.convert;
  return {
    body: typeof body === "string" ? body : otherwise.body,
    form: wireForms.find((each) => each === form) ?? otherwise.form,
    category: categories.find((each) => each === category) ?? otherwise.category,
    precision: converterPrecisions.find((each) => each === precision) ?? otherwise.precision,
  };
}

function parseGrok(value: unknown): GrokInput {
  const given = (value ?? {}) as Record<string, unknown>;
  const otherwise = emptyProject.grok;
  const text = (key: "expression" | "replacement" | "lines" | "patterns") => {
    const each = given[key];
    return typeof each === "string" ? each : otherwise[key];
  };
  return {
    method: methods.find((each) => each === given.method) ?? otherwise.method,
    expression: text("expression"),
    replacement: text("replacement"),
    trim: typeof given.trim === "boolean" ? given.trim : otherwise.trim,
    lines: text("lines"),
    patterns: text("patterns"),
  };
}

function parseSharding(value: unknown): ShardingInput {
  const given = (value ?? {}) as Record<string, unknown>;
  const otherwise = emptyProject.sharding;
  const text = (key: "tags" | "keys" | "sinks" | "points") => {
    const each = given[key];
    return typeof each === "string" ? each : otherwise[key];
  };
  return {
    maker: headerMakers.find((each) => each === given.maker) ?? otherwise.maker,
    tags: text("tags"),
    keys: text("keys"),
    sinks: text("sinks"),
    matching: matchings.find((each) => each === given.matching) ?? otherwise.matching,
    points: text("points"),
    category: categories.find((each) => each === given.category) ?? otherwise.category,
  };
}

function parseQuery(value: unknown): QueryInput {
  const { text, saved } = (value ?? {}) as Record<string, unknown>;
  const list = Array.isArray(saved) ? (saved as readonly unknown[]) : [];
  return {
    text: typeof text === "string" ? text : emptyProject.query.text,
    saved: list.flatMap((each) => {
      const { name, text: own } = (each ?? {}) as Record<string, unknown>;
      return typeof name === "string" && typeof own === "string" ? [{ name: name.slice(0, 100), text: own }] : [];
    }),
  };
}

function parseScripts(value: unknown): ScriptText[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const scripts: ScriptText[] = [];
  for (const each of value) {
    const { name, text } = (each ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof text !== "string") return null;
    if (scripts.some((other) => other.name === name)) return null;
    scripts.push({ name, text });
  }
  return scripts;
}

/**
 * Reads the files of reference tables of a project from stored or received data. Leaves out files without a name or a
 * text, further files with the same name, and files beyond the limits of a project.
 */
export function parseTables(value: unknown): readonly TableFile[] {
  const files: TableFile[] = [];
  for (const each of Array.isArray(value) ? (value as readonly unknown[]) : []) {
    const { name, text } = (each ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof text !== "string" || name === "") continue;
    if (!files.some((other) => other.name === name)) files.push({ name, text });
  }
  return allowedTableFiles(files);
}

export function isTimeZone(text: string): boolean {
  if (text === "") return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the nanoseconds since 1970 of an ISO 8601 moment; null when the text is not a moment. A moment without an
 * offset is in UTC.
 */
export function parseMoment(text: string): bigint | null {
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d\d:\d\d)?$/.exec(
    text.trim(),
  );
  if (found === null) return null;
  const [, day, clock = "00:00", fraction = "", zone = "Z"] = found;
  const ms = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}${zone}`);
  return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
