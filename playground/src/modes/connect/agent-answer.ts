// Reads the agent's answer to a request that debugs scripts (docs/reference/agent.md#script-debugging). Keeps all
// digits of the numbers.

/** A number in JSON text, kept as text, so that no digit is lost. */
export interface WrittenNumber {
  readonly digits: string;
}

export type Value = null | boolean | string | WrittenNumber | readonly Value[] | { readonly [key: string]: Value };

/** A row of the agent's answer: the result of a script for one input point, or a point that the script created. */
export interface AgentRow {
  readonly error: string;
  readonly dropped: boolean;
  readonly name: string;
  /** Time of the point in nanoseconds since 1970. */
  readonly time: bigint;
  readonly tags: Readonly<Record<string, Value>>;
  readonly fields: Readonly<Record<string, Value>>;
}

export interface AgentAnswer {
  /** The error message when the script does not compile; empty otherwise. */
  readonly scriptError: string;
  /** For each input point its result, and the points that the script created while it ran on this point. */
  readonly points: readonly { readonly row: AgentRow; readonly created: readonly AgentRow[] }[];
}

export function readAnswer(text: string): AgentAnswer {
  const { content } = parseExact(text) as { content: Record<string, Value> };
  const [fault] = (content.pl_errors ?? []) as readonly Record<string, Value>[];
  const results = (content.plresults ?? []) as readonly Record<string, Value>[];
  return {
    scriptError: fault === undefined ? "" : errorText(fault),
    points: results.map(({ point, dropped, create_point: created, run_error: error }) => ({
      row: rowOf(point as Record<string, Value> | null, dropped === true, error === null ? "" : errorText(error!)),
      created: ((created ?? []) as readonly Record<string, Value>[]).map((each) =>
        rowOf(each, each.dropped === true, ""),
      ),
    })),
  };
}

function rowOf(point: Record<string, Value> | null, dropped: boolean, error: string): AgentRow {
  if (point === null) return { error, dropped, name: "", time: 0n, tags: {}, fields: {} };
  const { name, tags, fields, time, time_ns: rest } = point as Record<string, never>;
  const nanoseconds = BigInt((time as WrittenNumber).digits) * 1_000_000_000n + BigInt((rest as WrittenNumber).digits);
  return { error, dropped, name, time: nanoseconds, tags, fields };
}

function errorText(error: Value): string {
  return String((error as Record<string, Value>).error ?? "");
}

export function isWrittenNumber(value: Value): value is WrittenNumber {
  return typeof value === "object" && value !== null && "digits" in value;
}

const numberMark = "\u0000number ";

/**
 * Parses JSON. Before `JSON.parse` runs, each number is turned into a marked string, so that the number keeps all
 * digits.
 */
export function parseExact(text: string): Value {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : `"\\u0000number ${token}"`,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(numberMark) ? { digits: value.slice(numberMark.length) } : value,
  ) as Value;
}
