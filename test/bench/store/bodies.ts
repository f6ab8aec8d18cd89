// Bodies of line protocol for the benchmarks of the store: metric points of 100 hosts, and nginx log lines that a
// script has already parsed.

import type { CategoryName } from "../../../lib/index.ts";

export const epochMs = 1_790_000_000_000;
/** Number of points in one body, as an agent sends them. */
export const perBody = 5000;
/** Number of concurrent senders; each sends its next body when the previous one was answered. */
export const senders = 12;
const stepNs = 4_000_000n;

const encoder = new TextEncoder();

export function* bodies(category: CategoryName, points: number): Iterable<Uint8Array> {
  const random = createRandom();
  for (let from = 0; from < points; from += perBody) {
    const lines: string[] = [];
    for (let at = from; at < Math.min(points, from + perBody); at++) {
      const time = timeOfPoint(at);
      lines.push(category === "metric" ? metricLine(at, time, random) : logLine(at, time, random));
    }
    yield encoder.encode(lines.join("\n"));
  }
}

/** Returns the time of the point with the given number, in ns since 1970. */
export function timeOfPoint(at: number): bigint {
  return BigInt(epochMs) * 1_000_000n + BigInt(at) * stepNs;
}

export function metricLine(at: number, time: bigint, random: () => number): string {
  const host = at % 100;
  const user = (random() * 100).toFixed(2);
  const system = (random() * 20).toFixed(2);
  return `cpu,host=web-${host},region=eu-${host % 3},cpu=cpu${at % 8} usage_user=${user},usage_system=${system},load=${(random() * 4).toFixed(3)},switches=${at * 7}i ${time}`;
}

const words =
  "order user cart payment item search login session cache token retry upstream timeout closed opened".split(" ");

export function logLine(at: number, time: bigint, random: () => number): string {
  const pick = (most: number) => Math.floor(random() * most);
  const ip = `10.${pick(4)}.${pick(256)}.${pick(256)}`;
  const code = [200, 200, 200, 200, 304, 404, 500][pick(7)]!;
  const url = `/api/${words[pick(words.length)]}/${pick(100_000)}?q=${words[pick(words.length)]}`;
  const size = pick(50_000);
  const message = `${ip} - - [20/Nov/2026:10:00:00 +0000] \\"GET ${url} HTTP/1.1\\" ${code} ${size} \\"-\\" \\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\\"`;
  return `nginx,host=web-${at % 20},service=shop message="${message}",status="${code >= 500 ? "error" : "info"}",client_ip="${ip}",http_method="GET",http_url="${url}",status_code="${code}",bytes=${size}i ${time}`;
}

/** Returns a random number generator (xorshift32) that gives the same sequence in each run. `seed` must not be 0. */
export function createRandom(seed = 0x2545f491): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
