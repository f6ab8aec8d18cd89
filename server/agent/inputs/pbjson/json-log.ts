// Converts one JSON object to the tags and fields of a point: a log, or a point of another category. Members become
// fields, objects within the object become fields with dotted keys, and numbers keep their digits.

import type { JsonObject, JsonValue } from "../../../../lib/text/index.ts";
import { entryOfJson, textOfJson } from "./json-values.ts";
import { statusOf, timeOf } from "./log-members.ts";
import type { Origin, PointText } from "./point-text.ts";

/** How the objects of a protocol become points. */
export interface ObjectForm {
  /** Whether the points are logs, which have a message and a status. */
  readonly isLog: boolean;
  /** Names of members that hold the time; the first that the object has counts. */
  readonly timeMembers: readonly string[];
  /** Keys of tags by the dotted name of the member that becomes the tag. */
  readonly tags: ReadonlyMap<string, string>;
  /** Dotted names of objects all of whose members become tags. */
  readonly tagObjects: readonly string[];
  /** Prefix of a field whose key is already used. */
  readonly origin: Origin;
}

/** What was read from an object besides its tags and fields. */
export interface ObjectTime {
  /** Time in nanoseconds since 1970; undefined when the object has none. */
  readonly time: bigint | undefined;
  /** Name of the member that should hold the time and does not; such a member becomes a field. */
  readonly badTime: string | undefined;
}

/** Keys that a point of the category `logging` may not have (docs/reference/points.md#corrections). */
export const refusedOfLogs: readonly string[] = ["source", "date"];
/** Names of members that may hold the text of a log, the first of which counts. */
const messageMembers: readonly string[] = ["message", "log", "msg"];

/**
 * Adds the members of an object to a point. `raw`: the text of the object, which is the message of a log without one.
 * Works by recursion, so the caller must limit how deeply the object is nested.
 */
export function addObject(point: PointText, object: JsonObject, raw: string, form: ObjectForm): ObjectTime {
  const { isLog } = form;
  const timeMember = form.timeMembers.find((name) => has(object, name));
  const time = timeMember === undefined ? undefined : timeOf(object.get(timeMember)!);
  const messageMember = isLog ? messageMemberOf(object) : undefined;
  if (isLog) {
    point.field("message", { text: messageMember === undefined ? raw : textOfJson(object.get(messageMember)!) });
    const status = has(object, "status") ? undefined : statusIn(object);
    if (status !== undefined) point.field("status", { text: status });
  }
  const isDone = (key: string) => key === messageMember || (time !== undefined && key === timeMember);
  addMembers(point, object, form, isDone, "", 0);
  return { time, badTime: time === undefined ? timeMember : undefined };
}

function has(object: JsonObject, name: string): boolean {
  return (object.get(name) ?? null) !== null;
}

function messageMemberOf(object: JsonObject): string | undefined {
  const text = messageMembers.find((name) => typeof object.get(name) === "string");
  return text ?? (has(object, "message") ? "message" : undefined);
}

/** Returns the status for the level of a log, also where the level is the member `level` of the member `log`. */
function statusIn(object: JsonObject): string | undefined {
  const inner = object.get("log");
  return statusOf(object) ?? levelOf(object.get("log.level")) ?? (inner instanceof Map ? statusOf(inner) : undefined);
}

function levelOf(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : statusOf(new Map([["level", value]]));
}

/** Number of objects within each other whose members become fields; deeper ones become JSON text. */
const mostNested = 8;
/** Length in UTF-16 units of a key from which on an object becomes JSON text. */
const longestKey = 200;

function addMembers(
  point: PointText,
  object: JsonObject,
  form: ObjectForm,
  isDone: (key: string) => boolean,
  prefix: string,
  depth: number,
): void {
  const areTags = prefix !== "" && form.tagObjects.includes(prefix.slice(0, -1));
  for (const [name, value] of object) {
    const key = `${prefix}${name}`;
    if (value === null || name === "" || isDone(key)) continue;
    const tag = areTags ? name : form.tags.get(key);
    if (tag !== undefined && !(value instanceof Map)) point.tagOrField(tag, textOfJson(value), form.origin);
    else if (value instanceof Map && depth < mostNested && key.length <= longestKey) {
      addMembers(point, value, form, isDone, `${key}.`, depth + 1);
    } else point.field(key, entryOfJson(value), form.origin);
  }
}
