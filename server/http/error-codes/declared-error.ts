// The type of the declaration of an error code, which HTTP answers carry.

export interface DeclaredError {
  /** HTTP status of an answer with the error code. */
  readonly status: number;
  /** Text for docs/errors.md that says what has happened when a client gets the error. */
  readonly meaning: string;
  /** Text for docs/errors.md that says what a user can do about the error. */
  readonly remedy: string;
}
