// A stored column of a key. A key may occur with several types of values; each type has its own column.

import type { KeyKind } from "../evaluate/engine.ts";

/** A column that stores the values of a key. */
export interface StoredColumn {
  readonly key: string;
  /** Type of the values in the column; null when the key is a tag. */
  readonly kind: KeyKind | null;
  /** Name of the table column that contains the values. A map column also contains the values of other keys. */
  readonly column: string;
}

export function isText({ kind }: StoredColumn): boolean {
  return kind === "string" || kind === null;
}

export function isNumeric({ kind }: StoredColumn): boolean {
  return kind === "int" || kind === "uint" || kind === "float";
}
