// Converts one JSON object to the tags and fields of a point. Members become fields, members of nested objects become
// fields with dotted keys, and numbers keep all digits.

import type { JsonObject, JsonValue } from "../../../../lib/text/index.ts";
import { entryOfJson, textOfJson } from "./json-values.ts";
import { statusOf, timeOf } from "./log-members.ts";
import type { Origin, PointText } from "./point-text.ts";

/** The rules by which an input converts the members of JSON objects to tags and fields. */
export interface ObjectForm {
  /** Whether the points are logs. Logs have a message and a status. */
  readonly isLog: boolean;
  /** Names of the members that may hold the time; the first one that the object has is used. */
  readonly timeMembers: readonly string[];
  /** Maps the dotted names of members to tag keys. These members become tags. */
  readonly tags: ReadonlyMap<string, string>;
  /** Dotted names of the objects whose members all become tags. */
  readonly tagObjects: readonly string[];
  /** Prefix that is put before the key of a field when the point already has another value under that key. */
  readonly origin: Origin;
}

/** The result of a search for the time among the members of a JSON object. */
export interface ObjectTime {
  /** Time in nanoseconds since 1970; undefined when the object has no valid time. */
  readonly time: bigint | undefined;
  /**
   * Name of the member that should contain the time but contains no valid time. This member becomes a field.
   * Undefined when there is no such member.
   */
  readonly badTime: string | undefined;
}

/** Keys that a point of the category `logging` may not have (docs/reference/points.md#corrections). */
export const refusedOfLogs: readonly string[] = ["source", "date"];
/** Names of the members that may hold the text of a log; the first one that the log has is used. */
const messageMembers: readonly string[] = ["message", "log", "msg"];

/**
 * Adds the members of an object to a point. `raw`: the text of the object, which becomes the message of a log that has
 * no message. Works by recursion, so the caller must limit how deeply the object is nested.
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

/**
 * Returns the status of a log. Searches three places for the level of the log: the members of the log, its member
 * `log.level`, and the members of its object `log`.
 */
function statusIn(object: JsonObject): string | undefined {
  const inner = object.get("log");
  return statusOf(object) ?? levelOf(object.get("log.level")) ?? (inner instanceof Map ? statusOf(inner) : undefined);
}

function levelOf(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : statusOf(new Map([["level", value]]));
}

/**
 * Largest depth of nested objects whose members become fields. An object that is nested more deeply becomes JSON text.
 */
const mostNested = 8;
/**
 * Largest length in UTF-16 units of the key of a nested object whose members become fields. With a longer key, the
 * object becomes JSON text.
 */
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
