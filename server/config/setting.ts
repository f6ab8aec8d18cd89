// What a setting is: its kind, default and meaning, and what its values have to be.

import type { Mistake } from "./check-value.ts";
import type { Form } from "./forms.ts";
import type { Remark } from "./remarks.ts";

/**
 * What a value may be; `duration` is text such as `30s` or `1m30s`, `table` a map from text to text, `tables` a map of such,
 * `lists` a map from text to lists of texts, `switch` true, false or nothing.
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
  | "lists";

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
}

export interface Setting<K extends SettingKind = SettingKind> {
  readonly kind: K;
  readonly default: KindTypes[K];
  readonly summary: string;
  readonly env?: string;
  /** Of a number: what it counts. */
  readonly unit?: string;
  /** `presence`: any non-empty text of the variable switches it on; otherwise a bool is read as true/false. */
  readonly envPresence?: boolean;
  readonly min?: number;
  /** The longest duration, in milliseconds; durations of timers have a bound of their own. */
  readonly max?: number;
  /** Of a text: all it may be. */
  readonly choices?: readonly string[];
  /** Of a text that is not empty, or of each text of a list. */
  readonly form?: Form;
  /** Of a table: a line of it, for the configuration that `config init` writes. */
  readonly example?: string;
  /** An example of the environment variable of a table. */
  readonly envExample?: string;
  /** Returns the mistakes in a value of the right kind. */
  mistakes?(value: KindTypes[K]): readonly Mistake[];
  /** What of a value will not be used. */
  remarks?(value: KindTypes[K]): readonly Remark[];
  /** May be given as `file:PATH`: the text of the file, without the line end. */
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
