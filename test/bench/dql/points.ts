// The points of the benchmark of DQL, as line protocol and as SQL: metrics of 100 hosts, and access logs. The values of
// a point are computed from its number, so line protocol and SQL have the same data.

export const startMs = 1_790_000_000_000;
/** Distance in time between two points, in nanoseconds. */
const stepNs = 4_000_000n;

export function endMs(points: number): number {
  return startMs + Number((BigInt(points) * stepNs) / 1_000_000n);
}

const encoder = new TextEncoder();
const perBody = 5000;

export function* bodies(kind: "metric" | "logging", points: number): Iterable<Uint8Array> {
  for (let from = 0; from < points; from += perBody) {
    const lines: string[] = [];
    for (let at = from; at < Math.min(points, from + perBody); at++) {
      const time = BigInt(startMs) * 1_000_000n + BigInt(at) * stepNs;
      lines.push(`${kind === "metric" ? metric(at) : log(at)} ${time}`);
    }
    yield encoder.encode(lines.join("\n"));
  }
}

function metric(at: number): string {
  return `cpu,host=web-${at % 100},region=eu-${at % 3} usage=${((at * 7919) % 10_000) / 100 + 0.005},switches=${at * 7}i`;
}

function log(at: number): string {
  const status = statusOf(at);
  const message = `10.0.${at % 200}.${at % 50} GET /api/v1/orders/${at} ${status} ${at % 97 === 0 ? "upstream timeout" : "ok"}`;
  return `nginx,service=web-${at % 7} status=${status}i,bytes=${(at * 31) % 50_000}i,client="10.0.${at % 200}.${at % 50}",message="${message}"`;
}

function statusOf(at: number): number {
  return at % 101 === 0 ? 500 : at % 37 === 0 ? 404 : 200;
}

/**
 * Returns SQL that makes the views `cpu` and `nginx` over the files of a store. The columns of the views have the names
 * of the keys.
 */
export function viewsOfStore(folder: string): string[] {
  const view = (name: string, category: string, keys: readonly string[]) =>
    `CREATE VIEW ${name} AS SELECT ts, ${keys.join(", ")} FROM read_parquet('${folder}/segments/${category}/*/*/*.parquet') WHERE name = '${name}'`;
  return [
    view("cpu", "metric", ["usage", "switches", "host", "region"]),
    view("nginx", "logging", ["status", "bytes", "client", "message", "service"]),
  ];
}

/** Returns SQL that makes the tables `cpu` and `nginx` as a person would design them by hand. */
export function tables(points: number): string[] {
  const time = `${startMs}000000 + i * ${stepNs}`;
  const status = "CASE WHEN i % 101 = 0 THEN 500 WHEN i % 37 = 0 THEN 404 ELSE 200 END";
  const client = "'10.0.' || (i % 200) || '.' || (i % 50)";
  return [
    `CREATE TABLE cpu AS SELECT ${time} AS ts, 'web-' || (i % 100) AS host, 'eu-' || (i % 3) AS region,
       ((i * 7919) % 10000) / 100 + 0.005 AS usage, i * 7 AS switches FROM range(${points}) AS r(i)`,
    `CREATE TABLE nginx AS SELECT ${time} AS ts, 'web-' || (i % 7) AS service, ${status} AS status,
       (i * 31) % 50000 AS bytes, ${client} AS client,
       ${client} || ' GET /api/v1/orders/' || i || ' ' || (${status}) || CASE WHEN i % 97 = 0 THEN ' upstream timeout' ELSE ' ok' END AS message
       FROM range(${points}) AS r(i)`,
  ];
}
