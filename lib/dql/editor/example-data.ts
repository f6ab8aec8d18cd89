// The points that the example queries of the documentation read: ten minutes of metrics of two hosts and logs of a web
// server.

import type { CategoryName } from "../../point/category.ts";
import type { Row } from "../evaluate/row.ts";
import type { DqlValue } from "../evaluate/values/value.ts";

const start = Date.UTC(2026, 0, 1, 12);
/** The current time for the example queries, in milliseconds since 1970. */
export const exampleNow = start + 600_000;

type Fields = Readonly<Record<string, DqlValue>>;

function row(name: string, seconds: number, tags: Readonly<Record<string, string>>, fields: Fields): Row {
  const time = BigInt(start + seconds * 1000) * 1_000_000n;
  const docid = `L_${start + seconds * 1000}_${name}${JSON.stringify(tags).length}`;
  const of = { tags: new Map(Object.entries(tags)), fields: new Map(Object.entries(fields)) };
  return { time, name, docid, index: "default", received: exampleNow, ...of };
}

const cpu = (host: string, usage: readonly number[], requests: readonly bigint[]) =>
  usage.map((value, at) => row("cpu", at * 120, { host }, { usage: value, requests: requests[at]! }));

const web = (seconds: number, status: bigint, ms: number, client: string, message: string) =>
  row("nginx", seconds, { service: "web" }, { status, ms, client, message });

const rows: Readonly<Partial<Record<CategoryName, readonly Row[]>>> = {
  metric: [
    ...cpu("web-1", [20, 40, 60, 40, 20], [100n, 220n, 340n, 40n, 160n]),
    ...cpu("web-2", [10, 10, 90, 30, 10], [7n, 9n, 11n, 13n, 15n]),
  ],
  logging: [
    web(30, 200n, 12, "10.0.0.1", "GET /cart 200"),
    web(90, 500n, 950.5, "10.0.0.2", "GET /pay 500 upstream timeout"),
    web(210, 200n, 30, "192.168.1.9", "POST /cart 200"),
    web(330, 404n, 4, "10.0.0.1", "GET /old 404"),
    web(450, 502n, 700, "10.0.0.2", 'GET /pay 502 {"id": 7, "retries": 3}'),
  ],
};

export function exampleRows(category: CategoryName): readonly Row[] {
  return rows[category] ?? [];
}
