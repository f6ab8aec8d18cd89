// What the thread of the metadata database is asked and answers.

export interface SqliteStart {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
}

export type SqlValue = string | number | bigint | Uint8Array | null;

export interface SqliteQuestion {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

export type SqliteAnswer =
  | {
      readonly id: number;
      readonly kind: "rows";
      readonly rows: readonly Readonly<Record<string, SqlValue>>[];
    }
  | { readonly id: number; readonly kind: "done"; readonly changes: number }
  | { readonly id: number; readonly kind: "failed"; readonly message: string; readonly code: string };
