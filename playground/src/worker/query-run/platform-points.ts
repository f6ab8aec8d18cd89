// The points of a platform (the server that stores points). Queries for these points are sent to the agent that
// serves the page, and the agent passes them on to the platform (docs/reference/agent.md#queries).

import {
  type AnswerSeries,
  type DqlNames,
  type DqlNamespace,
  type DqlValue,
  keyStatements,
  namespaces,
  parseExactJson,
  sourcesStatement,
} from "../../../../lib/dql/index.ts";
import { t } from "../../text/translate.ts";
import { checkedQuery, keysOf, mostDuration, rowsOf, shownSeries, timeRangeOf, wordNamed } from "./answer.ts";
import type { HeldKey, HeldSource, Holding, NoPoints, QueryAnswer, QueryFault, QueryJob } from "./asking.ts";
import { queryName } from "./query-name.ts";

/** Path at which an agent accepts queries. Servers other than an agent do not have this path. */
const queryPath = "/v1/query/raw";
/** Largest number of queries in a request. */
const mostQueries = 50;
/**
 * Largest number of sources (such as measurements) that the page lists, and largest number of sources whose keys it
 * lists.
 */
const mostSources = 100;
const mostKeyed = 24;

/** Maps the name that the platform uses for a type of field to the name that the page shows. */
const kinds: Readonly<Record<string, string>> = {
  ...{ integer: "int", long: "int", float: "float", double: "float", boolean: "bool", text: "str", keyword: "str" },
};

interface Entry {
  readonly series: readonly EntrySeries[] | null;
  readonly query_warning?: string;
  readonly raw_query?: string;
  readonly csv?: string;
}

interface EntrySeries {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

interface AskedQuery {
  readonly query: string;
  readonly [member: string]: unknown;
}

/** Thrown when the platform refuses a query, or when the server does not answer. The message is the reason. */
class Refusal extends Error {}

export class PlatformPoints {
  private readonly send: typeof fetch;
  private readonly stored = new Map<string, Promise<readonly string[]>>();

  /** `send` sends a request to the server that the page was loaded from. */
  constructor(send: typeof fetch) {
    this.send = send;
  }

  /** Describes the points of the platform for the page; returns the reason when the page cannot reach a platform. */
  async holding(): Promise<Holding | NoPoints> {
    try {
      const spaces = namespaces.filter(
        ({ category }, at) => namespaces.findIndex((each) => each.category === category) === at,
      );
      // Sources of logs come first, because they are few and come from the user's own programs. Sources of metrics may
      // be many, and may all be metrics of Millrace's own services.
      spaces.sort((a, b) => Number(b.category === "logging") - Number(a.category === "logging"));
      const found = await this.ask(spaces.map((space) => ({ query: sourcesStatement(space) })));
      const named = spaces.flatMap((space, at) => namesIn(found[at]).map((name) => ({ space, name })));
      const listed = named.slice(0, mostSources);
      const sources = await this.withKeys(listed);
      const cut =
        listed.length < named.length
          ? t("The first {n} of {all} sources are listed.", { n: listed.length, all: named.length })
          : "";
      return { points: null, cut, sources };
    } catch (error) {
      return { reason: reasonOf(error) };
    }
  }

  /** Returns the keys of a measurement. Throws when the platform does not answer. */
  async keysOf({ category, name }: Pick<HeldSource, "category" | "name">): Promise<readonly HeldKey[]> {
    const space = namespaces.find((each) => each.category === category)!;
    const [source] = await this.withKeys([{ space, name }]);
    return source!.keys;
  }

  private async withKeys(named: readonly { space: DqlNamespace; name: string }[]): Promise<HeldSource[]> {
    const asked = named.slice(0, mostKeyed).map(({ space, name }) => keyStatements(space, [name]));
    const answers = asked.length === 0 ? [] : await this.ask(asked.flat().map((query) => ({ query })));
    let next = 0;
    return named.map(({ space, name }, at) => {
      const own = (asked[at] ?? []).map(() => answers[next++]);
      const keys = own.flatMap((entry) =>
        (entry?.series ?? []).flatMap(({ columns, values }) =>
          values.map(([key, kind]) => ({
            key: String(key),
            kind: columns[0] === "tagKey" ? "tag" : (kinds[String(kind)] ?? String(kind ?? "")),
          })),
        ),
      );
      return {
        ...{ category: space.category, name, points: null, keys },
        text: `${space.short}::${queryName(name)}`,
      };
    });
  }

  /**
   * Functions that return the names of the sources (such as measurements) and of the keys of the points. The editor
   * offers these names as completions.
   */
  get names(): DqlNames {
    const once = (key: string, statements: readonly string[]) => {
      let list = this.stored.get(key);
      if (list === undefined) {
        list = this.ask(statements.map((query) => ({ query }))).then(
          (entries) => [...new Set(entries.flatMap(namesIn))].sort(),
          () => [],
        );
        this.stored.set(key, list);
      }
      return list;
    };
    return {
      sources: (space) => once(`sources ${space.short}`, [sourcesStatement(space)]),
      keys: (space, sources) =>
        once(`keys ${space.short} ${JSON.stringify(sources)}`, keyStatements(space, sources.slice(0, mostKeyed))),
    };
  }

  async answer(job: QueryJob): Promise<QueryAnswer> {
    // The page checks the query before it sends the query to the platform, so that it can mark an error in the text.
    const checked = await checkedQuery(job);
    if ("kind" in checked) return checked;
    const began = performance.now();
    try {
      const [entry] = await this.ask([queryOf(job)], { echo_explain: true });
      const series = (entry?.series ?? []).map(answerSeries);
      return {
        kind: "answered",
        series: shownSeries(series),
        rows: rowsOf(series),
        warning: entry?.query_warning ?? "",
        keys: [...keysOf(checked.query, series)],
        plan: entry?.raw_query ?? "",
        sql: "",
        ms: performance.now() - began,
      };
    } catch (error) {
      return faultOf(error, job);
    }
  }

  /** Returns the whole answer as CSV. */
  async answerCsv(job: QueryJob): Promise<string | QueryFault> {
    try {
      const [entry] = await this.ask([{ ...queryOf(job), output_format: "csv" }]);
      return entry?.csv ?? "";
    } catch (error) {
      return faultOf(error, job);
    }
  }

  private async ask(queries: readonly AskedQuery[], more: object = {}): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (let at = 0; at < queries.length; at += mostQueries) {
      const text = await this.answerTo({ queries: queries.slice(at, at + mostQueries), ...more });
      const { content } = parseExactJson(text, BigInt) as { readonly content?: readonly Entry[] };
      entries.push(...(content ?? []));
    }
    return entries;
  }

  /**
   * Returns the text of the server's answer. Throws a Refusal when the server refuses the request or does not answer.
   */
  private async answerTo(request: object): Promise<string> {
    const headers = { "content-type": "application/json" };
    let response: Response;
    let text: string;
    try {
      response = await this.send(queryPath, { method: "POST", headers, body: JSON.stringify(request) });
      text = await response.text();
    } catch {
      throw new Refusal(t("The server of this page does not answer."));
    }
    if (!response.ok) throw new Refusal(refusalText(response.status, text));
    return text;
  }
}

function queryOf(job: QueryJob): AskedQuery {
  const { text, timeZone } = job;
  const range = timeRangeOf(job, Date.now());
  return {
    query: text,
    max_duration: mostDuration,
    ...(timeZone === "" ? {} : { tz: timeZone }),
    // When neither the page nor the query contains a time range, the platform reads all points of any age.
    ...(range === null ? {} : { time_range: range }),
  };
}

function namesIn(entry: Entry | undefined): string[] {
  return (entry?.series ?? []).flatMap(({ values }) => values.map(([name]) => String(name)));
}

function answerSeries({ name, tags, columns, values }: EntrySeries): AnswerSeries {
  return {
    name: name ?? null,
    tags: tags === undefined ? null : new Map(Object.entries(tags)),
    columns,
    values: values.map((row) => row.map(dqlValue)),
  } as AnswerSeries;
}

/**
 * Converts a value of the platform's JSON answer. A number without a fraction becomes an integer, because JSON does not
 * distinguish `1` from `1.0`.
 */
function dqlValue(value: unknown): DqlValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return (Array.isArray(value) ? value.map(dqlValue) : value) as DqlValue;
}

function refusalText(status: number, text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: string };
    if (typeof message === "string" && message !== "") return message.slice(0, 1000);
  } catch {
    // The answer is not JSON, so the server is not an agent that accepts queries.
  }
  return status === 404 || status === 405
    ? t("This page comes from a server without a platform. Open the page of a running agent: npm start")
    : t("The server answered with the status {status}.", { status });
}

function reasonOf(error: unknown): string {
  return t("There is no platform to ask: {message}", { message: messageOf(error) });
}

function faultOf(error: unknown, { text }: QueryJob): QueryFault {
  const message = messageOf(error).replace(/^(?:\d+:\d+ )?parse error: /, "");
  return { kind: "fault", message, ...wordNamed(message, text) };
}

function messageOf(error: unknown): string {
  const { message } = error as Error;
  return error instanceof Refusal
    ? message
    : t("The answer of the server cannot be read: {reason}", { reason: message });
}
