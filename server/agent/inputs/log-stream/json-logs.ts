// Converts JSON logs, as one object per line or as a list of objects, to points in PBJSON, the JSON form of the agent's
// protobuf points (docs/reference/agent.md#log-streams). Members of a log become fields of its point; numbers keep
// their digits. The time and the level of a log are found by the member names that usual loggers use.

import { type JsonObject, JsonSyntaxError, readJson } from "../../../../lib/text/index.ts";
import { isTooDeep, maxDepth } from "../../../http/body/json-value.ts";
import { ConversionError } from "../../ingest/converter.ts";
import { ObjectsError, objectsOf } from "../pbjson/json-objects.ts";
import { entryOfJson } from "../pbjson/json-values.ts";
import { statusOf, timeMembers, timeOf } from "../pbjson/log-members.ts";

/** Returns the points of the logs in a body. `source`: the measurement of the points. Throws ConversionError. */
export function jsonLogs(body: Uint8Array, source: string): Uint8Array {
  if (isTooDeep(body)) throw new ConversionError(`the logs are nested deeper than ${maxDepth}`);
  const name = JSON.stringify(source);
  const points: string[] = [];
  try {
    for (const raw of objectsOf(new TextDecoder().decode(body))) {
      const log = reading(`log ${points.length}`, () => readJson(raw)) as JsonObject;
      points.push(`{"name":${name},${pointOf(log, raw)}}`);
    }
  } catch (error) {
    throw error instanceof ObjectsError ? new ConversionError(error.message) : error;
  }
  return new TextEncoder().encode(`[${points.join(",")}]`);
}

function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ConversionError(`${what}: ${error.message}`);
  }
}

/** Returns the PBJSON text (the JSON form of a protobuf point) of a log's point, without the point's name. */
function pointOf(log: JsonObject, raw: string): string {
  let time: bigint | undefined;
  let timeMember = "";
  for (const member of timeMembers) {
    time = timeOf(log.get(member) ?? null);
    timeMember = member;
    if (time !== undefined) break;
  }
  const entries: string[] = [];
  for (const [key, value] of log) {
    // The member that holds the log's time becomes the time of the point, not a field.
    if (value === null || (time !== undefined && key === timeMember)) continue;
    const held = entryOfJson(value);
    const member = "text" in held ? `"s":${JSON.stringify(held.text)}` : held.json;
    entries.push(`{"key":${JSON.stringify(key)},${member}}`);
  }
  if ((log.get("message") ?? null) === null) entries.push(`{"key":"message","s":${JSON.stringify(raw)}}`);
  const status = (log.get("status") ?? null) === null ? statusOf(log) : undefined;
  if (status !== undefined) entries.push(`{"key":"status","s":${JSON.stringify(status)}}`);
  return `"fields":[${entries.join(",")}]${time === undefined ? "" : `,"time":"${time}"`}`;
}
