// Loads the configuration (docs/config.md) from four sources: the defaults, the TOML file, the environment
// variables and the command line. Each source overrides the sources before it. A wrong value in any source stops
// the start; unknown keys are ignored with a warning. Messages about the TOML file contain the line number.

import { parse, TomlError } from "smol-toml";
import { nearestName } from "../../lib/text/index.ts";
import { isTable, isZeroDuration, kindText, type Mistake, misfitOf, mistakesIn } from "./check-value.ts";
import { lineOf, lineOfText } from "./line-of.ts";
import { quoted, shownKey } from "./quoted.ts";
import type { Remark } from "./remarks.ts";
import { type Config, defaults, ignoredTables, otherSpellings, type SettingName, schema } from "./schema.ts";
import { defaultEntry, type Fields, type KindTypes, type Setting } from "./setting.ts";
import { tlsMistakes } from "./tls-files.ts";

export interface Loaded {
  readonly config: Config;
  /** Warnings about unknown keys and about values that are not used. They do not stop the start. */
  readonly warnings: readonly string[];
}

/** Thrown when the configuration cannot be used. `message` contains one line for each mistake. */
export class ConfigError extends Error {
  /**
   * Warnings about the configuration that could not be used. The caller logs these warnings together with the mistakes
   * in `message`.
   */
  readonly warnings: readonly string[];

  constructor(message: string, warnings: readonly string[] = []) {
    super(message);
    this.warnings = warnings;
  }
}

export interface Sources {
  readonly file?: { readonly name: string; readonly text: string };
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: Partial<Config>;
  /** Returns the content of the file in which a secret is stored. Throws when the file cannot be read. */
  readonly readSecret?: (path: string) => string;
}

export function loadConfig({ file, env = {}, flags = {}, readSecret }: Sources): Loaded {
  const values: Record<string, unknown> = { ...defaults() };
  const warnings: string[] = [];
  const mistakes: string[] = file === undefined ? [] : readFile(file, values, warnings);
  const ofFile = { ...values };
  mistakes.push(...readEnvironment(env, values, warnings), ...mistakesInFlags(flags));
  const placeOf = (name: string, text: string) =>
    file === undefined || values[name] !== ofFile[name]
      ? ""
      : `${file.name}:${lineOfText(file.text, text, lineOf(file.text, name.split(".")))}: `;
  if (readSecret !== undefined) mistakes.push(...resolveSecrets(values, readSecret, placeOf));
  // The formats of strings and the TLS files are checked only when no mistake was found so far. After a mistake,
  // these checks could report it a second time, without the line in the file or the name of the environment
  // variable.
  if (mistakes.length === 0) mistakes.push(...misfits(values));
  if (mistakes.length === 0) mistakes.push(...tlsMistakes(values, placeOf));
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"), warnings);
  for (const [name, value] of Object.entries(flags)) if (value !== undefined) values[name] = value;
  return { config: values as unknown as Config, warnings };
}

/**
 * Returns the mistakes in the settings that the command line sets. The value `none` is always allowed: as the
 * address of a service, it means that `millrace start` does not start this service.
 */
function mistakesInFlags(flags: Partial<Config>): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined || value === "none"
      ? []
      : mistakesOf(schema[name as SettingName], value).map(({ path, text }) => `${placed(name, path)}${text}`),
  );
}

/**
 * Returns all mistakes in the value of a setting. A secret of the form `file:PATH` is not checked here, but
 * later, when the file has been read.
 */
function mistakesOf(setting: Setting, value: unknown): readonly Mistake[] {
  const wrong = mistakesIn(setting, value);
  if (wrong.length > 0) return wrong;
  const misfit = misfitOf(setting, value);
  if (misfit !== undefined) return [{ path: [], text: misfit }];
  const { fields } = setting;
  const below =
    fields === undefined
      ? []
      : (value as KindTypes["entries"]).flatMap((entry, at) => mistakesInEntry(fields, entry, at));
  return below.length > 0 ? below : (setting.mistakes?.(value as Setting["default"]) ?? []);
}

/** Returns all mistakes in one entry of an array of tables. Unknown keys are no mistakes. */
function mistakesInEntry(fields: Fields, entry: Readonly<Record<string, unknown>>, at: number): readonly Mistake[] {
  return Object.entries(fields)
    .filter(([key]) => Object.hasOwn(entry, key))
    .flatMap(([key, field]) =>
      mistakesOf(field, entry[key]).map(({ path, text }) => ({ path: [String(at), key, ...path], text })),
    );
}

/** Returns the name of one entry inside the value of a setting, with dots between its parts, for error messages. */
function placed(name: string, path: readonly string[]): string {
  const isEntry = schema[name as SettingName].kind === "entries" && path.length > 0;
  const [first, rest] = isEntry ? [`${name}[${path[0]}]`, path.slice(1)] : [name, path];
  return [first, ...rest.map(shownKey)].join(".");
}

/**
 * Returns the mistakes about strings that have a wrong format. Must be called after the secrets have been read
 * from their files.
 */
function misfits(values: Readonly<Record<string, unknown>>): string[] {
  return (Object.entries(schema) as [string, Setting][]).flatMap(([name, setting]) => {
    const misfit = misfitOf(setting, values[name]);
    return misfit === undefined ? [] : [`${name}${misfit}`];
  });
}

/**
 * Replaces each secret of the form `file:PATH` by the content of the file. Returns the mistakes. `placeOf`
 * returns the beginning of the error message about a setting: the name of the configuration file and the line
 * that sets the setting, or an empty string when the configuration file does not set it.
 */
function resolveSecrets(
  values: Record<string, unknown>,
  readSecret: (path: string) => string,
  placeOf: (name: string, text: string) => string,
): string[] {
  const mistakes: string[] = [];
  for (const [name, { secret }] of Object.entries(schema) as [string, Setting][]) {
    if (!secret) continue;
    const resolved = (text: string): string => {
      if (!text.startsWith("file:")) return text;
      try {
        return readSecret(text.slice("file:".length)).trimEnd();
      } catch (error) {
        mistakes.push(`${placeOf(name, text)}${name}: ${text} cannot be read: ${(error as Error).message}`);
        return "";
      }
    };
    const value = values[name] as string | readonly string[];
    values[name] = typeof value === "string" ? resolved(value) : value.map(resolved);
  }
  return mistakes;
}

/**
 * Reads the settings of a TOML file into `values` and returns the mistakes. Throws ConfigError when the file is not
 * TOML.
 */
function readFile(file: { name: string; text: string }, values: Record<string, unknown>, warnings: string[]): string[] {
  let parsed: Record<string, unknown>;
  try {
    parsed = parse(file.text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0].replace(/^Invalid TOML document: /, "");
    throw new ConfigError(`${file.name}:${error.line}:${error.column}: ${reason}`);
  }
  const mistakes: string[] = [];
  const visit = (table: Record<string, unknown>, path: readonly string[]): void => {
    for (const [key, value] of Object.entries(table)) {
      const here = [...path, key];
      const name = otherSpellings[here.join(".")] ?? here.join(".");
      const place = `${file.name}:${lineOf(file.text, here)}`;
      if (Object.hasOwn(schema, name)) {
        const setting: Setting = schema[name as SettingName];
        const wrong = mistakesOf(setting, value);
        for (const { path: below, text } of wrong) {
          const line = lineOf(file.text, [...here, ...below]);
          mistakes.push(`${file.name}:${line}: ${placed(name, below)}${text}`);
        }
        if (wrong.length > 0) continue;
        if (isZeroDuration(setting, value)) {
          warnings.push(`${place}: ${name}: ${zeroText(value, values[name])}`);
          continue;
        }
        values[name] =
          setting.fields === undefined ? value : filledEntries(file, here, setting.fields, value, warnings);
        for (const { path: below, near = "", message } of remarksOn(setting, value)) {
          const line = lineOfText(file.text, near, lineOf(file.text, [...here, ...below]));
          warnings.push(`${file.name}:${line}: ${message}`);
        }
      } else if (isTable(value) && Object.keys(schema).some((known) => known.startsWith(`${name}.`))) {
        visit(value, here);
      } else if (!(path.length === 0 && ignoredTables.includes(key))) {
        const isBelow = isTable(value) || (Array.isArray(value) && isTable(value[0]));
        warnings.push(`${place}: ${unknownText(here, name, isBelow ? tables : Object.keys(schema))}`);
      }
    }
  };
  visit(parsed, []);
  return mistakes;
}

/**
 * Returns the entries of an array of tables. Settings that are missing in an entry get their default values.
 * Adds warnings about unknown keys and about durations of zero to `warnings`.
 */
function filledEntries(
  file: { readonly name: string; readonly text: string },
  here: readonly string[],
  fields: Fields,
  value: unknown,
  warnings: string[],
): KindTypes["entries"] {
  return (value as KindTypes["entries"]).map((entry, at) => {
    const filled: Record<string, unknown> = { ...defaultEntry(fields) };
    for (const [key, each] of Object.entries(entry)) {
      const place = `${file.name}:${lineOf(file.text, [...here, String(at), key])}`;
      const field = Object.hasOwn(fields, key) ? fields[key]! : undefined;
      if (field === undefined) warnings.push(`${place}: ${unknownText([...here, key], key, Object.keys(fields))}`);
      else if (isZeroDuration(field, each)) {
        warnings.push(`${place}: ${[...here, key].join(".")}: ${zeroText(each, field.default)}`);
      } else filled[key] = each;
    }
    return filled;
  });
}

function unknownText(path: readonly string[], name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `unknown key ${path.map(shownKey).join(".")}, ignored${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** Reads the settings of environment variables into `values` and returns the mistakes. */
function readEnvironment(env: Sources["env"] & {}, values: Record<string, unknown>, warnings: string[]): string[] {
  const mistakes: string[] = [];
  for (const [name, setting] of Object.entries(schema) as [string, Setting][]) {
    const text = setting.env === undefined ? undefined : env[setting.env];
    if (text === undefined || text === "") continue;
    const value = fromText(setting, text);
    const wrong = value === undefined ? [{ path: [], text: misreadText(setting, text) }] : mistakesOf(setting, value);
    if (wrong.length > 0) {
      for (const { path, text: reason } of wrong) mistakes.push(`${setting.env} (${placed(name, path)})${reason}`);
    } else if (isZeroDuration(setting, value)) {
      warnings.push(`${setting.env}: ${zeroText(value, values[name])}`);
    } else {
      for (const { message } of remarksOn(setting, value)) warnings.push(`${setting.env}: ${message}`);
      values[name] = setting.kind === "table" ? { ...(values[name] as object), ...(value as object) } : value;
    }
  }
  return mistakes;
}

/** Returns the error message about an environment variable that cannot be parsed. */
function misreadText({ kind, secret, envExample = "a=1,b=2" }: Setting, text: string): string {
  const forms: { readonly [Kind in Setting["kind"]]?: string } = {
    texts: "texts with commas between them, or a JSON list of texts",
    table: `pairs such as ${envExample}, or a JSON object of texts`,
    lists: "a JSON object of lists of texts",
  };
  return ` must be ${forms[kind] ?? kindText[kind]}, got ${secret ? "something else" : `the text ${quoted(text)}`}`;
}

function zeroText(value: unknown, used: unknown): string {
  return `${quoted(value as string)} is no time above zero; ${used} is used`;
}

/**
 * Returns remarks about parts of a valid value that will not be used. The remarks are made by a function that
 * the declaration of the setting contains.
 */
function remarksOn(setting: Setting, value: unknown): readonly Remark[] {
  return setting.remarks?.(value as Setting["default"]) ?? [];
}

function fromText(setting: Setting, text: string): unknown {
  switch (setting.kind) {
    case "text":
    case "duration":
      return text;
    case "bool":
    case "switch":
      if (setting.envPresence) return true;
      if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
      return /^(?:0|f|F|false|FALSE|False)$/.test(text) ? false : undefined;
    case "int":
    case "float": {
      const number = Number(text);
      return text.trim() === "" || Number.isNaN(number) ? undefined : number;
    }
    case "texts":
      if (text.trimStart().startsWith("[")) return jsonOrNothing(text);
      return text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
    case "table":
      return text.trimStart().startsWith("{") ? jsonOrNothing(text) : pairsIn(text);
    case "lists":
      return jsonOrNothing(text);
    case "tables":
    case "entries":
      return undefined;
  }
}

/** Parses a table of the form `a=1,b=2`. Returns undefined when a part is not a pair. */
function pairsIn(text: string): Record<string, string> | undefined {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  const pairs = parts.map((part) => /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/s.exec(part));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair![1], pair![2]]));
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The names of all TOML tables that settings belong to, including tables that contain only other tables. */
const tables: readonly string[] = [
  ...new Set(
    (Object.entries(schema) as [string, Setting][]).flatMap(([name, { kind }]) => {
      const parts = name.split(".");
      const above = parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("."));
      const isTableItself = kind === "table" || kind === "tables" || kind === "lists" || kind === "entries";
      return isTableItself ? [...above, name] : above;
    }),
  ),
];
