// Reads the JSON body of a query request (docs/reference/query.md#requests): checks the types of the known members.
// Null means that a member is absent; unknown members are ignored.

import { readDurationText } from "../syntax/duration-text.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";

export const outputFormats = ["json", "lineprotocol", "csv"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** One query of a request: the statement and the other members of its JSON object. */
export interface QueryMember {
  readonly query: string;
  readonly conditions: string;
  /** Time range as `[start]` or `[start, end]`, in milliseconds since 1970. */
  readonly timeRange: readonly number[] | null;
  readonly maxDuration: string | null;
  /** Largest number of points of a series in the answer; null when absent or 0. */
  readonly maxPoint: number | null;
  readonly limit: number | null;
  readonly slimit: number | null;
  readonly offset: number | null;
  readonly soffset: number | null;
  /** Order of the rows as pairs: a column, written in DQL, and a direction (`asc` or `desc`). */
  readonly orderBy: readonly (readonly [column: string, direction: string])[] | null;
  readonly sorderBy: readonly (readonly [column: string, direction: string])[] | null;
  readonly disableSlimit: boolean;
  readonly disableMultipleField: boolean;
  readonly highlight: boolean;
  readonly searchAfter: readonly unknown[] | null;
  readonly echoExplain: boolean;
  /** Width of a time bucket in seconds. */
  readonly interval: number | null;
  /**
   * Number of time buckets, for a statement that aggregates or has an interval. When it is given, it decides the
   * bucket width, even if the statement names another width.
   */
  readonly bucketCount: number | null;
  readonly alignTime: boolean;
  readonly tz: string | null;
  readonly outputFormat: OutputFormat;
  readonly disableQueryParse: boolean;
  /** Whether the answer includes the names of its columns and the unit of each. */
  readonly describeColumns: boolean;
  /** Whether the server may answer later; the client then asks for the answer by its id. */
  readonly isAsync: boolean;
  /** Id of an earlier asynchronous query, when the client asks for its answer; empty for a new query. */
  readonly asyncId: string;
  /**
   * Time for which the server waits before it answers that an asynchronous query is still running, in milliseconds;
   * null means the server's default.
   */
  readonly asyncTimeoutMs: number | null;
  /** Time limit of the query in milliseconds; null means the server's default. */
  readonly searchTimeoutMs: number | null;
}

/** A query request: the queries, and the token of the workspace. */
export interface QueryRequest {
  readonly queries: readonly QueryMember[];
  /** Token of the workspace to query; empty means the server's own workspace. */
  readonly token: string;
}

/** The error for a body that is not a valid query request. */
export class RequestError extends Error {
  readonly code: "invalidJSON" | "invalidRequest";

  constructor(code: "invalidJSON" | "invalidRequest", message: string) {
    super(message);
    this.name = "RequestError";
    this.code = code;
  }
}

const maxQueries = 50;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the parsed JSON body of a request. Throws RequestError for a member of the wrong type, and DqlError for a
 * member with an unusable value.
 *
 * @example
 * readRequest({ queries: [{ query: "M::cpu" }] }).queries.length; // 1
 */
export function readRequest(body: unknown): QueryRequest {
  const reader = new Reader(body, "");
  const queries = reader.list("queries") ?? [];
  if (queries.length === 0) throw new RequestError("invalidRequest", "no query");
  if (queries.length > maxQueries) {
    throw new RequestError("invalidRequest", `at most ${maxQueries} queries in one request, got ${queries.length}`);
  }
  const echoExplain = reader.flag("echo_explain");
  return {
    token: reader.text("token") ?? "",
    queries: queries.map((each, at) => {
      const member = readMember(new Reader(each, `queries[${at}].`));
      return echoExplain ? { ...member, echoExplain } : member;
    }),
  };
}

/**
 * Returns a query that consists of the statement only; all other members are absent.
 *
 * @example
 * plainQuery("M::cpu").query; // "M::cpu"
 */
export function plainQuery(query: string): QueryMember {
  return readMember(new Reader({ query }, ""));
}

function readMember(reader: Reader): QueryMember {
  const type = reader.text("qtype") ?? "dql";
  if (type === "promql") throw new DqlError(reasonText("promql"));
  return {
    query: reader.text("query") ?? "",
    conditions: reader.text("conditions") ?? "",
    timeRange: timeRangeOf(reader.ints("time_range")),
    maxDuration: reader.text("max_duration") || null,
    maxPoint: reader.count("max_point"),
    limit: reader.count("limit"),
    slimit: reader.count("slimit"),
    offset: reader.count("offset"),
    soffset: reader.count("soffset"),
    orderBy: reader.sorts("order_by") ?? reader.sorts("orderby"),
    sorderBy: reader.sorts("sorder_by"),
    disableSlimit: reader.flag("disable_slimit"),
    disableMultipleField: reader.flag("disable_multiple_field"),
    highlight: reader.flag("highlight"),
    searchAfter: reader.list("search_after"),
    echoExplain: reader.flag("echo_explain"),
    interval: reader.count("interval"),
    bucketCount: reader.count("bucket_count"),
    alignTime: reader.flag("align_time"),
    tz: reader.text("tz") || null,
    outputFormat: outputFormat(reader.text("output_format") || "json"),
    disableQueryParse: reader.flag("disable_query_parse"),
    describeColumns: reader.flag("describe_columns"),
    isAsync: reader.flag("is_async"),
    asyncId: reader.text("async_id") ?? "",
    asyncTimeoutMs: reader.duration("async_timeout"),
    searchTimeoutMs: reader.duration("search_timeout"),
  };
}

function outputFormat(text: string): OutputFormat {
  const format = outputFormats.find((each) => each === text);
  if (format === undefined) throw new DqlError(reasonText("invalidFormat", text.slice(0, 100)));
  return format;
}

function timeRangeOf(times: readonly number[] | null): readonly number[] | null {
  if (times === null || times.length === 0) return null;
  if (times.length > 2) throw new DqlError(reasonText("timeRangeMember", times.length));
  return times;
}

/**
 * Reads the members of one JSON object. Each method throws RequestError when the member has another type than expected.
 */
class Reader {
  private readonly members: Json;
  private readonly place: string;

  constructor(value: unknown, place: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new RequestError("invalidJSON", `${place === "" ? "the body" : place.slice(0, -1)} is not an object`);
    }
    this.members = value as Json;
    this.place = place;
  }

  private value(name: string): unknown {
    return Object.hasOwn(this.members, name) ? (this.members[name] ?? undefined) : undefined;
  }

  private fail(name: string, wanted: string): never {
    throw new RequestError("invalidJSON", `${this.place}${name} is not ${wanted}`);
  }

  text(name: string): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    return typeof value === "string" ? value : this.fail(name, "a string");
  }

  flag(name: string): boolean {
    const value = this.value(name);
    if (value === undefined) return false;
    return typeof value === "boolean" ? value : this.fail(name, "a boolean");
  }

  /** Reads a duration and returns it in milliseconds, rounded up; null when absent or 0. */
  duration(name: string): number | null {
    const text = this.text(name) ?? "";
    if (text === "") return null;
    const ns = readDurationText(text);
    if (ns === undefined) throw new DqlError(reasonText("invalidDuration", name, text));
    return ns === 0n ? null : Math.ceil(Number(ns) / 1e6);
  }

  list(name: string): readonly unknown[] | null {
    const value = this.value(name);
    if (value === undefined) return null;
    return Array.isArray(value) ? value : this.fail(name, "a list");
  }

  /** Reads a member of the request that is a whole number; null when it is absent or 0. */
  count(name: string): number | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (typeof value !== "number" || !Number.isSafeInteger(value)) return this.fail(name, "a whole number");
    if (value < 0) throw new DqlError(reasonText("negative", name));
    return value === 0 ? null : value;
  }

  ints(name: string): readonly number[] | null {
    const list = this.list(name);
    if (list !== null && !list.every((each) => Number.isSafeInteger(each))) this.fail(name, "a list of whole numbers");
    return list as readonly number[] | null;
  }

  /** Reads a sort order such as `[{"a":"asc"},{"b":"desc"}]` or `[{"column":"a","order":"desc"}]`. */
  sorts(name: string): [string, string][] | null {
    const list = this.list(name);
    if (list === null || list.length === 0) return null;
    return list.flatMap((each): [string, string][] => {
      if (typeof each !== "object" || each === null || Array.isArray(each)) this.fail(name, "a list of objects");
      const pairs = Object.entries(each as Json);
      if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === "string")) {
        this.fail(name, "a list of objects with texts");
      }
      const { column, order } = each as Readonly<Record<string, string>>;
      return column !== undefined && order !== undefined && pairs.length === 2 ? [[column, order]] : pairs;
    });
  }
}
