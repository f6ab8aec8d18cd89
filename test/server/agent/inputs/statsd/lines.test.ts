// Tests how datagrams and streams are split into lines: the reader takes complete lines, and drops lines that
// have no end.

import { expect, it } from "vitest";
import { LineBody } from "../../../../../server/agent/inputs/delivery/line-body.ts";
import type { FetchingAgent } from "../../../../../server/agent/inputs/input.ts";
import { Aggregator } from "../../../../../server/agent/inputs/statsd/aggregator.ts";
import { createLines } from "../../../../../server/agent/inputs/statsd/lines.ts";
import { defaults } from "../../../../../server/config/schema.ts";
import { createMetrics } from "../../../../../server/telemetry/metrics.ts";

/**
 * Reads datagrams. `isCut` marks a datagram whose end was cut off. Returns the names and values of the points that were
 * read, and the logged messages.
 */
function taken(datagrams: readonly (readonly [text: string, isCut?: boolean])[]) {
  const logged: string[] = [];
  const log = { warn: (text: string) => logged.push(text) };
  const config = { ...defaults(), "inputs.statsd.max_line_bytes": 64 };
  const aggregator = new Aggregator();
  const agent = { config, log, metrics: createMetrics() } as unknown as FetchingAgent;
  const sink = createLines(agent, aggregator).sinkFor("udp://127.0.0.1:1");
  for (const [text, isCut = false] of datagrams) {
    // The buffer also has other bytes before and after the text. The reader must not read them.
    const bytes = Buffer.from(`z:9|c\n${text}\nz:9|c`, "latin1");
    if (isCut) sink.lost("cut", 1);
    sink.take(bytes, 6, 6 + text.length, "");
  }
  const body = new LineBody();
  aggregator.flush(body, { percentages: [], gaugeTtlMs: 1, now: 1n, at: 0 });
  const points = Array.from(
    Buffer.from(body.body())
      .toString("latin1")
      .matchAll(/^([^,]+),.* value=(\S+)/gm),
    ([, name, value]) => `${name}=${value}`,
  );
  return { points: points.sort(), logged };
}

it.each<[readonly (readonly [string, boolean?])[], readonly string[]]>([
  [[["a:1|c"]], ["a=1"]],
  [[["a:1|c\n"]], ["a=1"]],
  [[["\n\r\na:1|c\r\n\nb:2|c"]], ["a=1", "b=2"]],
  [[["a:1|c\nb:2|c", true]], ["a=1"]],
  [[["a:1|c\n", true]], ["a=1"]],
  [[["a:1|c", true], ["b:1|c"]], ["b=1"]],
  [[[`${"x".repeat(60)}:1|c`]], [`${"x".repeat(60)}=1`]],
  [[[`${"x".repeat(61)}:1|c\na:1|c`]], ["a=1"]],
  [[["bad\na:1|c\n\0\0\0\nb:1|c"]], ["a=1", "b=1"]],
])("reads from %j the samples %j", (datagrams, expected) => {
  expect(taken(datagrams).points).toEqual(expected);
});

it("logs only the first dropped line of each kind, without control characters", () => {
  const { logged } = taken([["\x1b[31mx", false], ["worse"], ["y".repeat(65)], ["y".repeat(65)]]);
  expect(logged).toHaveLength(2);
  expect(logged[0]).toContain("a line cannot be read: ");
  expect(logged[0]).not.toContain("\x1b");
});
