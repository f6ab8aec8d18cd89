// The streams of a Loki push, as both encodings give them, and the error for a body that is none.

/** Thrown when a body is not a push of Loki. */
export class LokiError extends Error {}

export type Label = readonly [name: string, value: string];

export interface LokiEntry {
  /** Time in nanoseconds since 1970; 0 = the time at which the agent received the push. */
  readonly time: bigint;
  readonly line: string;
  /** Labels of this entry alone (structured metadata). */
  readonly metadata: readonly Label[];
}

export interface LokiStream {
  readonly labels: readonly Label[];
  /** The entries, each of which is read when the iteration reaches it; a text is the reason why an entry is left out. */
  readonly entries: Iterable<LokiEntry | string>;
}
