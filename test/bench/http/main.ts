// `npm run bench:http`: measures how many points the write interface accepts over HTTP. A load generator in a process
// of its own sends the points.
//
// The servers that are compared run at the same time and take turns under load, so that other work of the machine
// affects all of them alike. Servers whose turn it is not are paused with SIGSTOP. The last table shows the memory of
// each server after many points.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { comparison, tableOf } from "./report.ts";
import { agentsOf, onEachCore, otherBuild, type Target, targets } from "./targets.ts";
import { inTurns, median, type Turns } from "./turns.ts";

const usage = `Usage: npm run bench:http -- [--seconds 3] [--rounds 5] [--warmup 15] [--points 1,100,5000]
                             [--connections 1,16] [--only NAME]... [--memory-points 10000000]
                             [--before FOLDER] [--json FILE]

  --seconds N         length of a turn (3)
  --rounds N          turns of a server, of which the median is shown (5)
  --warmup N          most seconds before the first turn, in which a new process compiles what it needs (15)
  --points LIST       points of one body (1,100,5000)
  --connections LIST  connections at once (1,16)
  --before FOLDER     also the agent of another build, such as an earlier version; FOLDER is its folder dist
  --only NAME         only the target NAME, or if there is none, all whose name holds NAME; may be given again
  --memory-points N   then: resident memory after N points in bodies of 5,000 (10000000; 0 = left out)
  --json FILE         the rows as JSON
`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    warmup: { type: "string", default: "15" },
    points: { type: "string", default: "1,100,5000" },
    connections: { type: "string", default: "1,16" },
    only: { type: "string", multiple: true, default: [] },
    before: { type: "string" },
    "memory-points": { type: "string", default: "10000000" },
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

const numbers = (text: string) => text.split(",").map(Number);
/** A description of the benchmark's settings, printed above the figures. */
const settings = `Bodies of line protocol, three tags and three fields a point, sent by a process of its own; each connection sends the next body
when the last one is answered. Each server begins with an empty folder and its defaults but for: no rate limit (agent), logs of
errors only (all). Once all of a size are warm they take turns; a cell is the median of its turns. A server whose turn it is not
is held still, so that work that it put off is done in its own turns.
  node:http         reads the body and answers: what Node's HTTP server itself takes; it keeps nothing
  millrace os       answers when the points are written to its queue: they outlive the process. Compare with victoria-metrics,
                    which answers from memory
  millrace os gzip  the same with [gateway] gzip = true: every upload is compressed, also while writes wait for the processors
  millrace ... ${onEachCore.name}   the same in ${onEachCore.processes} processes ([http_api] processes), each of which gets some of the connections: one connection
                    keeps one of them busy
  millrace fdatasync  answers when the points are on the device. Compare with influxdb, which also syncs its log
The agent decodes, checks, tags and encodes each point, and in the same time forwards to a gateway on the same machine, batches
compressed; the other two index and store what they took. Points and MB count when they were answered with 2xx. cpu is the time
of all threads and processes of the server (Linux), the gateway's not: on a busy machine it says more than points/s. RSS is the
sum of its processes; what they share counts in each. load is the part of one core that the generator took. queued are the points
that the agent had not sent on yet after its last turn.
`;
/**
 * Pairs of servers to compare. The first is the agent with one of the flush policies of its queue (rules when it
 * syncs the disk). The second is a server that guarantees as much for accepted points as the agent with this
 * policy.
 */
const peers: readonly (readonly [name: string, peer: string])[] = [
  ["millrace os", "victoria-metrics"],
  ["millrace os gzip", "victoria-metrics"],
  [`millrace os ${onEachCore.name}`, "victoria-metrics"],
  [`millrace os gzip ${onEachCore.name}`, "victoria-metrics"],
  ["millrace fdatasync", "influxdb"],
  ["millrace fdatasync", `millrace fdatasync ${otherBuild}`],
  ["millrace os", `millrace os ${otherBuild}`],
];
const memoryBody = 5000;
const memoryConnections = 16;

if (values.help) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const all = values.before === undefined ? targets : [...targets, ...agentsOf(values.before)];
  const isMeant = ({ name }: Target, only: string) =>
    all.some((each) => each.name === only) ? name === only : name.includes(only);
  const wanted = all.filter((target) => values.only.length === 0 || values.only.some((only) => isMeant(target, only)));
  const present = wanted.filter(({ missing }) => missing === undefined);
  const warmupSeconds = Number(values.warmup);
  const turns: Turns[] = [];
  for (const pointsPerBody of numbers(values.points)) {
    for (const connections of numbers(values.connections)) {
      process.stderr.write(`${pointsPerBody} points a body, ${connections} connections ...\n`);
      const size = { pointsPerBody, connections, seconds: Number(values.seconds), points: 0 };
      turns.push(...(await inTurns(present, size, Number(values.rounds), warmupSeconds)));
    }
  }
  const memory: Turns[] = [];
  if (Number(values["memory-points"]) > 0) {
    for (const target of present) {
      process.stderr.write(`${target.name}, ${values["memory-points"]} points ...\n`);
      const size = { pointsPerBody: memoryBody, connections: memoryConnections };
      const load = { ...size, seconds: 0, points: Number(values["memory-points"]) };
      memory.push(...(await inTurns([target], load, 1, warmupSeconds)));
    }
  }
  process.stdout.write(`${settings}\n`);
  const rows = [turns, memory].map((table) => table.map(median));
  for (const table of rows) if (table.length > 0) process.stdout.write(`${tableOf(table)}\n\n`);
  const compared = comparison(turns, peers);
  if (compared !== undefined) process.stdout.write(`${compared}\n\n`);
  for (const { name, missing } of wanted)
    if (missing !== undefined) process.stdout.write(`${name} left out: ${missing}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows.flat(), null, 2)}\n`);
}
