// The type of the declaration of an error code. Error codes appear in HTTP answers.

export interface DeclaredError {
  /** HTTP status of an answer with the error code. */
  readonly status: number;
  /** A text for docs/errors.md that explains the error: what has happened when a client gets this code. */
  readonly meaning: string;
  /** Text for docs/errors.md that says what a user can do about the error. */
  readonly remedy: string;
}
