// The type of the declaration of a setting. A declaration contains the type of the setting's value, its default,
// its meaning, and the conditions that a value must meet.

import type { Mistake } from "./check-value.ts";
import type { Form } from "./forms.ts";
import type { Remark } from "./remarks.ts";

/**
 * The type of a setting's value. `duration`: a string such as `30s` or `1m30s`; `table`: a map from string to string;
 * `tables`: a map from string to `table`; `lists`: a map from string to lists of strings; `switch`: true, false or
 * unset; `entries`: an array of tables, each of which has the settings that `fields` declares.
 */
export type SettingKind =
  | "text"
  | "bool"
  | "switch"
  | "int"
  | "float"
  | "duration"
  | "texts"
  | "table"
  | "tables"
  | "lists"
  | "entries";

export interface KindTypes {
  text: string;
  bool: boolean;
  switch: boolean | "unset";
  int: number;
  float: number;
  duration: string;
  texts: readonly string[];
  table: Readonly<Record<string, string>>;
  tables: Readonly<Record<string, Readonly<Record<string, string>>>>;
  lists: Readonly<Record<string, readonly string[]>>;
  entries: readonly Readonly<Record<string, unknown>>[];
}

/** The declared settings of one entry of an array of tables, by their keys. */
export type Fields = Readonly<Record<string, Setting>>;
/** The type of one entry of an array of tables: a value for each declared setting. */
export type EntryOf<F extends Fields> = { readonly [Key in keyof F]: KindTypes[F[Key]["kind"]] };

export interface Setting<K extends SettingKind = SettingKind> {
  readonly kind: K;
  readonly default: KindTypes[K];
  readonly summary: string;
  readonly env?: string;
  /** The unit of a number, for example bytes or points. */
  readonly unit?: string;
  /**
   * Whether the setting is true as soon as its environment variable has any non-empty value. Otherwise the
   * variable must contain a word such as `true` or `false`.
   */
  readonly envPresence?: boolean;
  readonly min?: number;
  /**
   * The largest allowed number, or the longest allowed duration in milliseconds. When absent, a number has no upper
   * limit, and a duration may be at most as long as a Node timer can wait.
   */
  readonly max?: number;
  /** The values that a string setting may have; absent when every string is allowed. */
  readonly choices?: readonly string[];
  /** The settings that each entry of an array of tables has. */
  readonly fields?: Fields;
  /**
   * The format that the setting's value must have if it is a non-empty string. If the value is a list, each string
   * in the list must have this format.
   */
  readonly form?: Form;
  /**
   * An example line of the configuration file, which `config init` writes into the new file. Only tables, and
   * settings inside an entry of an array of tables (`fields`), have an example.
   */
  readonly example?: string;
  /** An example value of the environment variable that sets a table. */
  readonly envExample?: string;
  /** Returns the mistakes in a value of the setting. The type of the value was checked before. */
  mistakes?(value: KindTypes[K]): readonly Mistake[];
  /** Returns remarks about parts of the setting's value that will not be used. */
  remarks?(value: KindTypes[K]): readonly Remark[];
  /**
   * Whether the value of the setting may be `file:PATH`. The setting then gets the content of this file, without a
   * newline at its end.
   */
  readonly secret?: boolean;
}

type Extra<K extends SettingKind> = Omit<Setting<K>, "kind" | "default" | "summary">;

export function setting<K extends SettingKind>(
  kind: K,
  value: KindTypes[K],
  summary: string,
  extra: Extra<K> = {},
): Setting<K> {
  return { kind, default: value, summary, ...extra };
}

/** Declares an array of tables (`[[name]]` in TOML), which is empty by default. */
export function entriesSetting<F extends Fields>(
  fields: F,
  summary: string,
  extra: Omit<Extra<"entries">, "fields"> = {},
): Setting<"entries"> & { readonly fields: F } {
  return { kind: "entries", default: [], summary, fields, ...extra };
}

/** Returns an entry of an array of tables in which each setting has its default value. */
export function defaultEntry<F extends Fields>(fields: F): EntryOf<F> {
  const values = Object.entries(fields).map(([name, field]) => [name, field.default]);
  return Object.fromEntries(values) as unknown as EntryOf<F>;
}
