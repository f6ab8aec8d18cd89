// Sends requests to the agent that serves the page: requests of the platform's Open API, requests for the ready
// dashboards (templates that come with the agent), and queries.

import { exactText, parseExact } from "../../state/exact-json.ts";
import { t } from "../../text/translate.ts";
import type { Template } from "./template.ts";

/**
 * Whether the page can reach the dashboards of a platform (`available`), and whether this needs an API key that the
 * user enters (`needsKey`).
 */
export interface Availability {
  readonly available: boolean;
  readonly needsKey: boolean;
}

/** A row of the list of dashboards. */
export interface DashboardRow {
  readonly uuid: string;
  readonly name: string;
  readonly desc: string;
  /** Time of the dashboard's last change in seconds since 1970. */
  readonly updateAt: number;
  readonly tagInfo: readonly { readonly name: string }[];
  readonly chartPos: readonly { readonly pos: Readonly<Record<string, unknown>> | null }[];
}

export interface ReadyRow {
  readonly name: string;
  readonly title: string;
  /** Says which points the charts of the dashboard need, and which program makes these points. */
  readonly needs: string;
}

/** One series of an answer. Times are milliseconds since 1970; integers above 2^53 are bigints. */
export interface Series {
  readonly name?: string | null;
  readonly tags?: Readonly<Record<string, string | null>> | null;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

export interface Answer {
  readonly series: readonly Series[];
  /** Says what was cut from the answer, or what looks wrong in the query; empty for no warning. */
  readonly warning: string;
}

/**
 * A query, and members of the request that take precedence over parts of the query's text, such as its time range or
 * its limit.
 */
export interface Question {
  readonly query: string;
  readonly time_range: readonly [from: number, to: number];
  readonly interval?: number;
  readonly max_point?: number;
  readonly limit?: number;
  /** The time zone in which time buckets of days and weeks begin, unless the query names one; absent for UTC. */
  readonly tz?: string;
}

/** The error of a refused request. `status` is the HTTP status, or 0 when no answer arrived. */
export class ApiFault extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Listing {
  readonly rows: readonly DashboardRow[];
  readonly total: number;
}

/** Largest number of dashboards in the list. The user finds others with the search. */
export const mostListed = 100;

export interface Api {
  state(): Promise<Availability>;
  list(search: string): Promise<Listing>;
  /** Returns the version of a dashboard, and the dashboard as a template with every member that the platform stores. */
  open(uuid: string): Promise<{ readonly template: Template; readonly version: string }>;
  /** Returns the version of a dashboard. It changes with every change of the dashboard. */
  version(uuid: string): Promise<string>;
  /** Makes a dashboard and returns its identifier. `template`: JSON text; null for an empty dashboard. */
  create(name: string, template: string | null): Promise<string>;
  /**
   * Replaces the content of a dashboard if its version is still `version`. When `version` is null, replaces the content
   * of any version. Throws an ApiFault with the code `VersionConflict` when the dashboard has changed since that
   * version.
   */
  replace(uuid: string, template: Template, version: string | null): Promise<void>;
  rename(uuid: string, name: string): Promise<void>;
  remove(uuid: string): Promise<void>;
  ready(): Promise<readonly ReadyRow[]>;
  readyTemplate(name: string): Promise<Template>;
  ask(questions: readonly Question[], signal: AbortSignal): Promise<readonly Answer[]>;
}

const json = "application/json";

interface Read {
  readonly read: Record<string, unknown>;
  readonly headers: Headers;
}

/** Sends a request and returns its answer, which `parse` converts from JSON text. */
async function call(
  send: typeof fetch,
  path: string,
  init: RequestInit = {},
  parse: (text: string) => unknown = JSON.parse,
): Promise<Read> {
  let response: Response;
  let text: string;
  try {
    response = await send(path, { cache: "no-store", ...init });
    text = await response.text();
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiFault(0, "", t("The agent does not answer. Is it still running?"));
  }
  const read = readJson(text, parse);
  if (!response.ok || read === null || read.success === false) throw faultOf(response.status, read);
  return { read, headers: response.headers };
}

/**
 * Returns the functions that send requests. `keyOf` returns the key of the Open API (the HTTP interface of the
 * platform) that the user typed; empty when the agent has a key of its own.
 */
export function createApi(send: typeof fetch, keyOf: () => string): Api {
  const open = (path: string, body?: string, more: Readonly<Record<string, string>> = {}) => {
    const key = keyOf();
    const headers = {
      ...(key === "" ? {} : { "DF-API-KEY": key }),
      ...(body === undefined ? {} : { "content-type": json }),
      ...more,
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body };
    return call(send, `openapi/v1${path}`, init, parseExact);
  };
  const one = (uuid: string, what: string) => `/dashboard/${encodeURIComponent(uuid)}/${what}`;
  const version = async (uuid: string) => {
    const { read, headers } = await open(one(uuid, "get"));
    return headers.get("etag") ?? String((read.content as DashboardRow).updateAt);
  };
  return {
    state: async () => {
      try {
        const { read } = await call(send, "openapi/");
        return { available: read.available === true, needsKey: read.needsKey === true };
      } catch (error) {
        // An older agent, or a server that is no agent, does not have the path `openapi/`. Then the page cannot reach
        // dashboards of a platform.
        if (error instanceof ApiFault && error.status !== 0) return { available: false, needsKey: false };
        throw error;
      }
    },
    list: async (search) => {
      const query = new URLSearchParams({ pageSize: String(mostListed), ...(search === "" ? {} : { search }) });
      const { read } = await open(`/dashboard/list?${query}`);
      const rows = read.content as readonly DashboardRow[];
      return { rows, total: (read.pageInfo as { totalCount?: number } | undefined)?.totalCount ?? rows.length };
    },
    version,
    open: async (uuid) => {
      // The version is read before the content. When someone changes the dashboard between both requests, saving finds
      // that the version is too old.
      const seen = await version(uuid);
      const { read } = await open(one(uuid, "export"));
      return { template: read.content as Template, version: seen };
    },
    create: async (name, template) => {
      const body = `{"name":${JSON.stringify(name)}${template === null ? "" : `,"templateInfo":${template}`}}`;
      return ((await open("/dashboard/create", body)).read.content as DashboardRow).uuid;
    },
    replace: async (uuid, template, seen) => {
      const headers: Record<string, string> = seen === null ? {} : { "If-Match": seen };
      await open(one(uuid, "import"), `{"templateInfo":${exactText(template)}}`, headers);
    },
    rename: async (uuid, name) => {
      await open(one(uuid, "modify"), JSON.stringify({ name }));
    },
    remove: async (uuid) => {
      await open(one(uuid, "delete"), "{}");
    },
    ready: async () => {
      const { read } = await call(send, "openapi/ready-dashboards");
      const rows = (read.content ?? read) as unknown;
      return Array.isArray(rows) ? rows : [];
    },
    readyTemplate: async (name) => {
      const { read } = await call(send, `openapi/ready-dashboards/${encodeURIComponent(name)}`);
      return (read.content ?? read) as Template;
    },
    ask: async (questions, signal) => {
      const body = JSON.stringify({ queries: questions });
      const init = { method: "POST", headers: { "content-type": json }, body, signal };
      const { read } = await call(send, "v1/query/raw", init, parseAnswer);
      return (read.content as { series: Series[] | null; query_warning?: string }[]).map(
        ({ series, query_warning }) => ({
          series: series ?? [],
          warning: query_warning ?? "",
        }),
      );
    },
  };
}

function readJson(text: string, parse: (text: string) => unknown): Record<string, unknown> | null {
  try {
    return parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/**
 * Parses JSON. Integers that a JavaScript number cannot hold become bigints, if `JSON.parse` of the browser passes the
 * digits of a number to its reviver function. In other browsers these integers stay numbers and lose digits.
 */
function parseAnswer(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const exact = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context!.source!)
      : value;
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
}

function faultOf(status: number, read: Record<string, unknown> | null): ApiFault {
  const code = String(read?.errorCode ?? read?.error_code ?? "");
  const message =
    typeof read?.message === "string" && read.message !== ""
      ? read.message
      : t("The answer has the status {status}.", { status });
  return new ApiFault(status, code, message);
}
