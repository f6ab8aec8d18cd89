// The result of a dial test: tags and fields of its point, and the hops of the route when the test asked for a
// traceroute (docs/reference/agent.md#dial-tests).

export type FieldValue = string | number;

export interface Hop {
  readonly total: number;
  readonly failed: number;
  /** Percentage of the packets to this hop that were lost. */
  readonly loss: number;
  /**
   * Average round-trip time of the hop in microseconds. The members `min_cost`, `max_cost` and `std_cost` are in
   * microseconds, too.
   */
  readonly avg_cost: number;
  readonly min_cost: number;
  readonly max_cost: number;
  readonly std_cost: number;
  readonly items: readonly { readonly ip: string; readonly response_time: number }[];
}

export interface Result {
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** The reason why the dial test has failed; undefined when it has succeeded. */
  readonly failure: string | undefined;
  readonly hops: readonly Hop[];
  /** Variables that the post script (a script that checks the response) set; undefined when no post script ran. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Makes the result of a dial test. Adds the fields that every result has: status, success, the reason of a failure, and
 * the message, which is truncated.
 */
export function resultOf(made: {
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly failure: string | undefined;
  readonly message: Readonly<Record<string, unknown>>;
  readonly hops?: readonly Hop[];
  readonly variables?: Readonly<Record<string, string>>;
}): Result {
  const { failure } = made;
  const status = failure === undefined ? "OK" : "FAIL";
  const message = JSON.stringify({
    status,
    ...made.message,
    ...(failure === undefined ? {} : { fail_reason: failure }),
  });
  return {
    tags: { ...made.tags, status },
    fields: {
      ...made.fields,
      success: failure === undefined ? 1 : -1,
      ...(failure === undefined ? {} : { fail_reason: failure }),
      message: cut(message, 100 * 1024),
    },
    failure,
    hops: made.hops ?? [],
    ...(made.variables === undefined ? {} : { variables: made.variables }),
  };
}

/** Returns the text, truncated when it is too long: its first `longest` UTF-16 units and three dots. */
export function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}

/** Converts a time from nanoseconds to whole microseconds, rounded down. */
export function micros(nanoseconds: bigint | number): number {
  return Math.floor(Number(nanoseconds) / 1000);
}

export interface Spread {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  /** Sample standard deviation: the squared deviations are summed and divided by the number of values minus one. */
  readonly std: number;
}

/** Returns average, minimum, maximum and standard deviation of values; all are 0 when there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  const count = values.length;
  if (count === 0) return { avg: 0, min: 0, max: 0, std: 0 };
  const avg = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - avg) ** 2, 0);
  return {
    avg,
    min: Math.min(...values),
    max: Math.max(...values),
    std: count < 2 ? 0 : Math.sqrt(squares / (count - 1)),
  };
}
