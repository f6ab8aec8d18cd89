// The common code for the list of hosts and the list of processes: the query parameters, the query to the points
// store, and the rows of the answer (docs/reference/open-api.md#hosts-and-processes).

import { md5 } from "../../../../lib/digest/index.ts";
import { durationMs } from "../../../config/go-duration.ts";
import type { FoundObject, ObjectFilter, ObjectQuestion } from "../../../store/objects.ts";
import type { Scope } from "../../metadata/scope.ts";
import { invalidParameter, OpenApiError } from "../protocol/errors.ts";
import { type Exact, exactJson, JsonText } from "../protocol/exact-json.ts";
import { type Paged, paged, pageOf, pageParameters } from "../protocol/page.ts";
import { anyObject, bool, inCommas, inJson, integer, type ObjectOf, optional, text } from "../protocol/schema.ts";
import type { OpenApiServices } from "../services.ts";
import { memberValue, type ObjectMember, type ObjectMembers } from "./object-members.ts";

export interface ObjectKind {
  readonly objectClass: string;
  readonly members: ObjectMembers;
  /** The tags and fields that are searched for the text in the query parameter `search`. */
  readonly searched: readonly string[];
  /** The default length of the searched time range in ms, for requests without `startTime`. */
  readonly windowMs: number;
  /**
   * Whether the list shows for each object if it is online, and can be limited to objects that are online or
   * offline.
   */
  readonly hasStatus: boolean;
}

const maxTime = 8_640_000_000_000_000;
/** Time in milliseconds after which a host or process without a new point counts as offline. */
const onlineMs = 10 * 60_000;

/**
 * Returns the schemas of the query parameters. `ordered`: the names of the members by which a client can sort
 * the list.
 */
export function objectParameters<const Name extends string>({ searched }: ObjectKind, ordered: readonly Name[]) {
  const names = ordered.flatMap((name) => [name, `-${name}`] as const);
  return {
    search: optional(
      text({ min: 0, max: 256, about: `text that ${searched.join(" or ")} must contain, ignoring case; empty = all` }),
    ),
    ...pageParameters,
    filter: optional(
      inJson(anyObject({ about: 'required values of members, in JSON: {"os":"linux"}; a list = any of its values' })),
    ),
    orderBy: optional(
      text({ oneOf: names, default: "name", about: "name of a member to sort by; a leading - reverses the order" }),
    ),
    labels: optional(inCommas({ about: "only objects with any of these labels, separated by commas" })),
    startTime: optional(integer({ min: 0, max: maxTime, about: "start of the time range, ms since 1970" })),
    endTime: optional(integer({ min: 0, max: maxTime, about: "end of the time range, ms since 1970; default: now" })),
    includeOffline: optional(bool({ default: false, about: "true: adds objects without points in the time range" })),
  };
}

export type ObjectParameters = ObjectOf<ReturnType<typeof objectParameters<string>>>;

export interface ObjectListCall {
  readonly services: OpenApiServices;
  readonly scope: Scope;
  readonly query: ObjectParameters;
}

export async function listObjects(
  kind: ObjectKind,
  { services, scope, query }: ObjectListCall,
  more: readonly ObjectFilter[] = [],
): Promise<Paged<JsonText>> {
  const page = pageOf(query);
  const now = services.now();
  const end = query.endTime ?? now;
  const start = query.includeOffline === true ? 0 : (query.startTime ?? Math.max(0, end - kind.windowMs));
  if (start > end) throw invalidParameter("startTime", "must not be after endTime");
  const { filter, seen } = filtersOf(kind, query.filter ?? {}, now);
  const orderBy = query.orderBy ?? "name";
  const key = orderBy.replace(/^-/, "");
  const question: ObjectQuestion = {
    objectClass: kind.objectClass,
    start,
    // The time range is made at least one millisecond long, because the points store refuses an empty time range.
    end: Math.max(end, start + 1),
    search: { text: query.search ?? "", keys: kind.searched },
    filter: [...filter, ...more],
    anyLabel: query.labels ?? [],
    seen,
    order: { key: key === "last_update_time" ? null : key, isDescending: orderBy.startsWith("-") },
    offset: (page.pageIndex - 1) * page.pageSize,
    limit: page.pageSize,
  };
  const deadlineMs = durationMs(services.config["platform.query_timeout"], 60_000);
  const answer = await services.store.ask({ kind: "objects", workspace: scope.pointsId, question, deadlineMs });
  if (answer.kind !== "objects") {
    const reason = answer.kind === "refused" ? answer.message : answer.kind;
    services.log.error(`${scope.traceId} objects of ${kind.objectClass}: ${reason}`);
    throw new OpenApiError("ServerError");
  }
  const { objects, totalCount } = answer.found;
  return paged(
    objects.map((each) => new JsonText(exactJson(recordOf(kind, scope, each, now)))),
    page,
    totalCount,
  );
}

const anyTime = { from: 0, before: Number.POSITIVE_INFINITY };

function filtersOf(kind: ObjectKind, given: Readonly<Record<string, unknown>>, now: number) {
  const filter: ObjectFilter[] = [];
  let seen = anyTime;
  for (const [name, value] of Object.entries(given)) {
    const at = `filter.${name}`;
    const anyOf: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!anyOf.every(isPlain)) throw invalidParameter(at, "expected string, number, boolean or a list of them");
    if (name === "status" && kind.hasStatus) seen = seenOf(anyOf, now);
    else if (name === "name" || Object.hasOwn(kind.members, name)) {
      filter.push({ keys: kind.members[name]?.keys ?? [name], anyOf });
    } else {
      const known = ["name", ...Object.keys(kind.members), ...(kind.hasStatus ? ["status"] : [])].sort();
      throw invalidParameter(at, `must be one of [${known.join(", ")}]`);
    }
  }
  return { filter, seen };
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function seenOf(states: readonly unknown[], now: number): ObjectQuestion["seen"] {
  const [online, offline] = [states.includes("online"), states.includes("offline")];
  if (online && offline) return anyTime;
  if (online) return { from: now - onlineMs, before: Number.POSITIVE_INFINITY };
  return { from: 0, before: offline ? now - onlineMs : 0 };
}

function recordOf(kind: ObjectKind, { workspace }: Scope, found: FoundObject, now: number): Exact {
  const { name, time, firstTime, labels } = found;
  const tags = new Map(found.tags);
  const fields = new Map(found.fields);
  for (const each of [tags, fields]) for (const key of ["name", "labels", "class"]) each.delete(key);
  const record: [string, Exact][] = Object.entries(kind.members).map(([member, declared]) => {
    const key = keyOf(member, declared, [...fields.keys(), ...tags.keys()]);
    const value = memberValue(declared, fields.get(key) ?? tags.get(key) ?? null);
    if (value !== null) for (const each of [tags, fields]) each.delete(key);
    return [member, value];
  });
  const { objectClass } = kind;
  const id = md5(new TextEncoder().encode(`${workspace}/${objectClass}/${name}`));
  record.push(
    ["__docid", `object_${id}`],
    ["class", objectClass],
    ["create_time", firstTime],
    ["fields", Object.fromEntries(fields)],
    ["labels", labels],
    ["last_update_time", time],
    ["name", name],
    ["tags", Object.fromEntries(tags)],
    ["uuid", `object_${id}`],
  );
  if (kind.hasStatus) record.push(["status", now - time <= onlineMs ? "online" : "offline"]);
  return Object.fromEntries(record.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf(member: string, { keys }: ObjectMember, stored: readonly string[]): string {
  return keys === undefined ? member : (stored.find((key) => keys.test(key)) ?? member);
}
