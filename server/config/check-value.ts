// Checks the value of a setting: its type, its limits and the format of its strings. Each mistake that is found
// contains the path of the wrong entry, so that the loader can find the entry's line in the file. For a secret,
// the error message names only the type of the value, never the value.

import { plainText } from "./forms.ts";
import { parseDuration } from "./go-duration.ts";
import { quoted } from "./quoted.ts";
import type { Setting, SettingKind } from "./setting.ts";

export interface Mistake {
  /** The path of the wrong entry inside the value of the setting. */
  readonly path: readonly string[];
  /** The second part of the error message: ` must be ..., got ...`. The first part is the name of the setting. */
  readonly text: string;
}

/** The properties of a setting that are needed to check its value. */
type Expected = Pick<Setting, "kind" | "min" | "max" | "choices" | "secret">;

const hourMs = 3_600_000;
/** The longest delay of a Node timer in ms (24.8 days). A timer with a longer delay would fire at once. */
const longestTimerMs = 596 * hourMs;

export const kindText = {
  text: "a text",
  bool: "true or false",
  switch: "true or false",
  int: "a whole number",
  float: "a number",
  duration: "a duration such as 30s",
  texts: "a list of texts",
  table: "a table of texts",
  tables: "a table of tables of texts",
  lists: "a table of lists of texts",
  entries: "a list of tables",
} as const;

/**
 * The kind of the entries of each kind of setting that is a table or a list of other values. For example, the
 * entries of a `table` are texts.
 */
const entryKinds: { readonly [Kind in SettingKind]?: SettingKind } = { table: "text", tables: "table", lists: "texts" };

/** Returns all mistakes in the value of a setting. */
export function mistakesIn(expected: Expected, value: unknown): readonly Mistake[] {
  const { kind, secret = false } = expected;
  const entryKind = entryKinds[kind];
  if (entryKind !== undefined && isTable(value)) {
    return Object.entries(value).flatMap(([key, each]) =>
      mistakesIn({ kind: entryKind, secret }, each).map(({ path, text }) => ({ path: [key, ...path], text })),
    );
  }
  if (kind === "texts" && Array.isArray(value)) {
    const bad = value.find((each) => typeof each !== "string");
    return bad === undefined
      ? []
      : [{ path: [], text: `: each must be ${kindText.text}, got ${described(bad, secret)}` }];
  }
  if (kind === "entries" && Array.isArray(value)) {
    const bad = value.findIndex((each) => !isTable(each));
    return bad < 0 ? [] : [{ path: [String(bad)], text: ` must be a table, got ${described(value[bad], secret)}` }];
  }
  const wanted = wrongOne(expected, value);
  return wanted === undefined ? [] : [{ path: [], text: ` must be ${wanted}, got ${described(value, secret)}` }];
}

/**
 * Checks a single value, which should be neither a list nor a table. Returns a description of the expected value
 * when the value is wrong, and undefined when it is right.
 */
function wrongOne({ kind, min, max, choices }: Expected, value: unknown): string | undefined {
  const text = kindText[kind];
  switch (kind) {
    case "text":
      if (typeof value !== "string") return text;
      return choices?.includes(value) === false ? choices.join(" or ") : undefined;
    case "duration": {
      const nanoseconds = typeof value === "string" ? parseDuration(value) : undefined;
      if (nanoseconds === undefined || nanoseconds < 0) return text;
      const longest = max ?? longestTimerMs;
      return nanoseconds / 1e6 > longest ? `${text} of at most ${longest / hourMs}h` : undefined;
    }
    case "bool":
    case "switch":
      return typeof value === "boolean" ? undefined : text;
    case "int":
    case "float":
      // TOML allows the numbers `nan` and `inf`, which no setting accepts.
      if (!(kind === "int" ? Number.isSafeInteger(value) : Number.isFinite(value))) return text;
      if (min !== undefined && (value as number) < min) return `${text} of at least ${min}`;
      return max !== undefined && (value as number) > max ? `${text} of at most ${max}` : undefined;
    default:
      return text;
  }
}

/**
 * Checks the format of the strings in a value whose type is already known to be right. Returns an error message
 * about the first string with a wrong format, or undefined when all formats are right. Skips a secret of the
 * form `file:PATH`, because the content of the file is checked later.
 */
export function misfitOf({ kind, form = plainText, secret = false }: Setting, value: unknown): string | undefined {
  if (kind !== "text" && kind !== "texts") return undefined;
  const texts = Array.isArray(value) ? (value as readonly string[]) : [value as string];
  const bad = texts.find((text) => text !== "" && !(secret && text.startsWith("file:")) && !form.fits(text));
  if (bad === undefined) return undefined;
  const got = secret ? "something else" : described(bad, false);
  const hint = secret ? "" : (form.hint?.(bad) ?? "");
  return `${Array.isArray(value) ? ": each" : ""} must be ${form.text}, got ${got}${hint === "" ? "" : `; ${hint}`}`;
}

/**
 * Returns whether the value of a setting is a duration of zero. The caller replaces such a duration by the
 * default, because no operation can finish in zero time.
 */
export function isZeroDuration({ kind }: Setting, value: unknown): boolean {
  return kind === "duration" && parseDuration(value as string) === 0;
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function described(value: unknown, isSecret: boolean): string {
  if (typeof value === "string") return isSecret ? "a text" : `the text ${quoted(value)}`;
  if (Array.isArray(value)) return "a list";
  if (isTable(value)) return "a table";
  return isSecret ? `a ${typeof value}` : String(value);
}
