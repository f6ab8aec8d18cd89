// The declaration of an error code of HTTP answers.

export interface DeclaredError {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Text for docs/errors.md that says what happened. */
  readonly meaning: string;
  /** Text for docs/errors.md that says what the user can do. */
  readonly remedy: string;
}
