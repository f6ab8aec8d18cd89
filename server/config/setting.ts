// The type of a setting: its kind, default and meaning, and the conditions that its values must meet.

import type { Mistake } from "./check-value.ts";
import type { Form } from "./forms.ts";
import type { Remark } from "./remarks.ts";

/**
 * The kind of a value. `duration` is a text such as `30s` or `1m30s`, `table` a map from text to text, `tables` a map
 * from text to `table`, `lists` a map from text to lists of texts, `switch` true, false or unset.
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
  /** The unit of a number, for example bytes or points. */
  readonly unit?: string;
  /** Whether any non-empty text of the variable means true; otherwise the text is parsed as true or false. */
  readonly envPresence?: boolean;
  readonly min?: number;
  /** The largest number, or the longest duration in milliseconds. Durations for timers have a bound of their own. */
  readonly max?: number;
  /** The only texts that are allowed. */
  readonly choices?: readonly string[];
  /** The form of a text that is not empty, or of each text of a list. */
  readonly form?: Form;
  /** An example line of a table, for the file that `config init` writes. */
  readonly example?: string;
  /** An example of the environment variable that sets a table. */
  readonly envExample?: string;
  /** Returns the mistakes in a value of the right kind. */
  mistakes?(value: KindTypes[K]): readonly Mistake[];
  /** Returns remarks about parts of a value that will not be used. */
  remarks?(value: KindTypes[K]): readonly Remark[];
  /** Whether the value may be `file:PATH`. The value is then the text of the file without the line end. */
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
