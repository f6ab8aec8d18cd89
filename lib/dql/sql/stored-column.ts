// A key of stored points and the kind of its values: a key may occur with several.

import type { KeyKind } from "../evaluate/engine.ts";

export interface StoredColumn {
  readonly key: string;
  /** Null: a tag. */
  readonly kind: KeyKind | null;
  /** The column of the table that holds it, alone or with others. */
  readonly column: string;
}

export function isText({ kind }: StoredColumn): boolean {
  return kind === "string" || kind === null;
}

export function isNumeric({ kind }: StoredColumn): boolean {
  return kind === "int" || kind === "uint" || kind === "float";
}
