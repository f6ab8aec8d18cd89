// The streams of a Loki push, as the readers of JSON and protobuf return them.

export type Label = readonly [name: string, value: string];

export interface LokiEntry {
  /** Time in nanoseconds since 1970; 0 = the time at which the agent received the push. */
  readonly time: bigint;
  readonly line: string;
  /** Structured metadata: labels that belong to this log entry, not to its whole stream. */
  readonly metadata: readonly Label[];
}

export interface LokiStream {
  readonly labels: readonly Label[];
  /**
   * The log entries of the stream. Each entry is parsed when the iteration reaches it. When an entry cannot be parsed,
   * the iteration returns the reason as a string in its place.
   */
  readonly entries: Iterable<LokiEntry | string>;
}
