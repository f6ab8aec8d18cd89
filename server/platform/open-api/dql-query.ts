// The route for queries in the query language DQL (docs/reference/open-api.md). It uses the same query engine as
// the route that agents call.

import { durationMs } from "../../config/go-duration.ts";
import type { StoreAnswer } from "../../store/protocol.ts";
import type { Scope } from "../metadata/scope.ts";
import { invalidParameter, OpenApiError } from "./protocol/errors.ts";
import { JsonText } from "./protocol/exact-json.ts";
import { declare, type Route } from "./protocol/route.ts";
import {
  any,
  anyObject,
  bool,
  integer,
  list,
  mapOf,
  nullable,
  object,
  optional,
  text,
  type ValueOf,
} from "./protocol/schema.ts";
import type { OpenApiServices } from "./services.ts";

const maxQueries = 50;
/** The maximum number of points in a time series, for each density that a request may ask for. */
const densities = { lower: 60, low: 180, medium: 360, high: 720 } as const;
type Density = keyof typeof densities;

const order = optional(list(anyObject(), { about: 'sort order, such as [{"time":"desc"}]' }));
const count = (about: string) => optional(integer({ min: 0, max: 1_000_000, about: `${about}; 0 counts as absent` }));

const question = object({
  q: text({ max: 1_000_000, about: "the DQL statement" }),
  timeRange: optional(list(integer(), { about: "time range of the query: [start] or [start, end], ms since 1970" })),
  limit: count("maximum number of rows in a series"),
  offset: count("number of rows skipped at the start of each series"),
  slimit: count("maximum number of series"),
  soffset: count("number of series skipped at the start"),
  orderby: order,
  sorder_by: order,
  search_after: optional(list(any(), { about: "search_after of the previous page's answer; [] for the first page" })),
  maxPointCount: count("number of points in a time series; overrides interval and density"),
  interval: count("seconds between the points of a time series"),
  density: optional(
    text<Density>({
      oneOf: Object.keys(densities) as Density[],
      about: "number of points in a time series: lower 60, low 180, medium 360, high 720",
    }),
  ),
  disableMultipleField: optional(bool({ default: true, about: "true: allows only one column besides the time" })),
  highlight: optional(bool({ default: false, about: "true: adds a column that shows where a filter has matched" })),
  tz: optional(text({ about: "time zone, such as Europe/Berlin" })),
  output_format: optional(
    text({
      oneOf: ["json", "lineprotocol", "csv"],
      about: "format of the answer: json for series, lineprotocol for points in base64, csv for one table",
    }),
  ),
});

const answered = object({
  series: nullable(
    list(
      object({
        name: optional(text({ min: 0, about: "measurement of the series; only for metrics" })),
        tags: optional(mapOf(text({ min: 0 }), { about: "values of the BY clause that identify the series" })),
        columns: list(text({ min: 0 }), { about: "names of the columns, with the time first" }),
        values: list(list(any()), { about: "rows, each with a value for every column" }),
        units: list(any(), { about: "unit of each column; null: unknown" }),
      }),
    ),
  ),
  points: nullable(list(text())),
  csv: optional(text({ min: 0, about: "with output_format csv: one table of all series" })),
  query_warning: optional(text({ about: "warnings about rows left out by a limit and doubtful parts of the query" })),
  column_names: list(text({ min: 0 }), { about: "names of all columns except the time" }),
  cost: text({ about: "duration of the query, such as 3.2ms" }),
  is_running: bool(),
  async_id: text({ min: 0 }),
  total_hits: optional(integer({ about: "number of points that match the query" })),
  group_by: optional(list(text())),
  search_after: optional(list(any(), { about: "the value of search_after in the request for the next page" })),
  query_parse: optional(anyObject({ about: "namespace, sources, fields and functions of the DQL statement" })),
  complete: optional(bool()),
  next_cursor_time: optional(integer()),
  interval: optional(integer({ about: "milliseconds between the points of a time series; 0: no time series" })),
  window: optional(integer()),
});

export const dqlQueryRoutes: readonly Route[] = [
  declare({
    name: "queryData",
    method: "POST",
    path: "/df/query_data_v1",
    group: "Query",
    summary: "Answers queries in DQL, the query language.",
    details:
      "Each question is answered on its own; answers come in their order. How many points a curve has is told by " +
      "maxPointCount, else by interval, else by density, else by the statement. A mistake in a statement is " +
      "InvalidParameter, with the place. fieldTagDescNeeded is accepted; no descriptions are kept.",
    reads: true,
    body: object({
      queries: list(
        object({
          qtype: optional(text({ oneOf: ["dql"], default: "dql" })),
          query: question,
        }),
        { about: "1 to 50 queries" },
      ),
      fieldTagDescNeeded: optional(bool({ default: false })),
    }),
    answer: object({ data: list(answered) }),
    examples: [
      {
        title: "The load of each host in steps of a minute",
        body: {
          queries: [
            {
              qtype: "dql",
              query: {
                q: "M::cpu:(avg(load)) BY host",
                timeRange: [1_700_000_040_000, 1_700_000_159_999],
                interval: 60,
              },
            },
          ],
        },
        content: {
          data: [
            {
              series: [
                {
                  name: "cpu",
                  tags: { host: "web-01" },
                  columns: ["time", "avg(load)"],
                  values: [
                    [1_700_000_100_000, 0.5],
                    [1_700_000_040_000, 0.25],
                  ],
                  units: [null, null],
                },
              ],
              points: null,
              cost: "3.2ms",
              column_names: ["avg(load)"],
              group_by: ["host"],
              is_running: false,
              async_id: "",
              query_parse: {
                namespace: "metric",
                sources: { cpu: "exact" },
                fields: { "avg(load)": "load" },
                funcs: { "avg(load)": ["avg"] },
              },
              complete: false,
              next_cursor_time: -1,
              interval: 60_000,
              window: 60_000,
            },
          ],
        },
      },
    ],
    handle: async ({ services, scope, body: { queries } }) => {
      if (queries.length === 0) throw invalidParameter("queries", "must not be empty");
      if (queries.length > maxQueries) throw invalidParameter("queries", `longer than ${maxQueries} elements`);
      const asked = await Promise.all(queries.map(({ query }) => ask(query, { services, scope })));
      const entries = asked.map((answer, at) => entryOf(answer, `queries[${at}].query`, { services, scope }));
      return new JsonText(`{"data":[${entries.join(",")}]}`);
    },
  }),
];

interface Asking {
  readonly services: OpenApiServices;
  readonly scope: Scope;
}

function ask(query: ValueOf<typeof question>, { services, scope }: Asking): Promise<StoreAnswer> {
  const { maxPointCount = 0, interval = 0, density } = query;
  const points = maxPointCount > 0 ? maxPointCount : interval > 0 || density === undefined ? 0 : densities[density];
  const member = {
    query: query.q,
    time_range: query.timeRange,
    limit: query.limit,
    offset: query.offset,
    slimit: query.slimit,
    soffset: query.soffset,
    order_by: query.orderby,
    sorder_by: query.sorder_by,
    search_after: query.search_after,
    bucket_count: points,
    interval: maxPointCount > 0 ? 0 : interval,
    disable_multiple_field: query.disableMultipleField ?? true,
    highlight: query.highlight,
    tz: query.tz,
    output_format: query.output_format,
    describe_columns: true,
  };
  return services.store.ask({
    kind: "query",
    workspace: scope.pointsId,
    request: { queries: [member] },
    deadlineMs: durationMs(services.config["platform.query_timeout"], 60_000),
    now: services.now(),
  });
}

/**
 * Returns the answer to one query as JSON. Throws an error when the store refused the query. If the cause is a
 * mistake in the query, the error contains the position of the query in the request (`place`).
 */
function entryOf(answer: StoreAnswer, place: string, { services, scope }: Asking): string {
  if (answer.kind === "answer") return answer.entries[0]!;
  if (answer.kind !== "refused") throw new Error(`the store answered a question with ${answer.kind}`);
  switch (answer.reason) {
    case "queryParseError":
      throw invalidParameter(`${place}.q`, answer.message);
    case "invalidJSON":
    case "invalidRequest":
      throw invalidParameter(place, answer.message.replace(/^queries\[0\]\.?/, ""));
    default:
      services.log.error(`${scope.traceId} ${place}: ${answer.message}`);
      throw new OpenApiError("ServerError");
  }
}
