// What is declared of each error code of an HTTP answer.

export interface DeclaredError {
  /** HTTP status of the answer. */
  readonly status: number;
  /** What happened, as docs/errors.md prints it. */
  readonly meaning: string;
  /** What the user does about it. */
  readonly remedy: string;
}
