// Decoding line protocol: against a copy of the same bytes, and against a careful decoder in plain JavaScript.

import type { Millrace } from "../../lib/index.ts";
import { decodeLineProtocolInJs } from "../baseline/line-protocol.ts";
import { logLines, metricLines } from "./data.ts";
import type { Pair } from "./measure.ts";

const points = 4000;

export function scanPairs(mill: Millrace): Pair[] {
  const now = 1700000000000000000n;
  const bodies = [
    { name: "metric lines", category: "metric", bytes: new TextEncoder().encode(metricLines(points)) },
    { name: "log lines", category: "logging", bytes: new TextEncoder().encode(logLines(points)) },
  ] as const;
  return bodies.flatMap(({ name, category, bytes }) => {
    const target = new Uint8Array(bytes.length);
    const decode = () => {
      const batch = mill.decodePoints(bytes, { category, form: "lp", now });
      if (batch.length !== points) throw new Error(`${batch.length} points of ${points}`);
      batch.release();
    };
    return [
      {
        name: `decode ${points} ${name}, ${Math.round(bytes.length / points)} B each`,
        baseline: "memcpy of the same bytes",
        ours: decode,
        theirs: () => target.set(bytes),
      },
      {
        name: `decode ${points} ${name}`,
        baseline: "careful decoder in JS",
        ours: decode,
        theirs: () => {
          const list = decodeLineProtocolInJs(bytes, { category, precision: "", now });
          if (list.length !== points) throw new Error(`${list.length} points of ${points}`);
        },
      },
    ];
  });
}
