// Converts the bodies of log streams to points in the agent's simple JSON format (docs/reference/agent.md#log-streams).
// A body holds lines of text, or the records of a log router (Firelens).

import { isRecord } from "../../../http/body/json-body.ts";
import { extentOf } from "../../../http/body/json-value.ts";
import { TooManyPoints } from "../../engine.ts";
import { ConversionError } from "../../ingest/converter.ts";

/**
 * Returns the logs of a body as JSON points, whose times are in nanoseconds. Throws ConversionError; throws
 * TooManyPoints when the body holds more than `maxPoints` logs (0 = no limit).
 */
export function logsAsJson(
  body: Uint8Array,
  kind: "lines" | "firelens",
  source: string,
  maxPoints: number,
): Uint8Array {
  // The logs are counted before they are parsed, so that a body with too many logs is refused at little cost.
  if (maxPoints > 0 && holdsMore(body, kind, maxPoints)) throw new TooManyPoints(maxPoints);
  const text = new TextDecoder().decode(body);
  const name = JSON.stringify(source);
  const points = (kind === "lines" ? lines(text) : records(text)).map(
    ({ fields, time }) =>
      `{"measurement":${name},"fields":${JSON.stringify(fields)}${time === undefined ? "" : `,"time":${time}`}}`,
  );
  return new TextEncoder().encode(`[${points.join(",")}]`);
}

/** Returns whether the body holds more than `most` logs, or more JSON values than `most` logs usually have. */
function holdsMore(body: Uint8Array, kind: "lines" | "firelens", most: number): boolean {
  if (kind === "firelens") return extentOf(body).values > most * valuesOfLog;
  let count = 0;
  for (let at = 0; at < body.length && count <= most; ) {
    const end = body.indexOf(newline, at);
    if (end !== at) count++;
    at = end < 0 ? body.length : end + 1;
  }
  return count > most;
}

const newline = 0x0a;
/** Average number of JSON values in a record of a log router, nested values included. */
const valuesOfLog = 32;

interface Log {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly time?: bigint;
}

function lines(text: string): Log[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => ({ fields: { message: line } }));
}

function records(text: string): Log[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConversionError((error as Error).message);
  }
  if (!Array.isArray(value) || !value.every(isRecord)) throw new ConversionError("a list of objects is expected");
  return value.map(({ log, date, source, ...others }) => ({
    fields: {
      message: textOf(log ?? ""),
      ...(source === undefined ? {} : { firelens_source: textOf(source) }),
      ...Object.fromEntries(Object.entries(others).map(([key, each]) => [key, scalar(each)])),
    },
    // Times in seconds since 1970, as doubles, are exact only to about a microsecond. So the digits below a microsecond
    // are rounded away.
    ...(typeof date === "number" && date > 0 ? { time: BigInt(Math.round(date * 1e6)) * 1000n } : {}),
  }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function scalar(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
