// The streams of a Loki push, as the readers of JSON and protobuf return them, and the error for a body that is not a
// push.

/** Thrown when a body is not a push of Loki. */
export class LokiError extends Error {}

export type Label = readonly [name: string, value: string];

export interface LokiEntry {
  /** Time in nanoseconds since 1970; 0 = the time at which the agent received the push. */
  readonly time: bigint;
  readonly line: string;
  /** Labels that only this entry has (structured metadata). */
  readonly metadata: readonly Label[];
}

export interface LokiStream {
  readonly labels: readonly Label[];
  /**
   * The entries. Each entry is read when the iteration reaches it. A string in place of an entry is the reason why the
   * entry cannot be read.
   */
  readonly entries: Iterable<LokiEntry | string>;
}
