// A log file of any size into points, in bounded memory:
//
//   node node-stream.mjs access.log points.lp
//
// `pipeline` carries the back-pressure: while the disk (or who reads standard output) is slow, no more of the file is read.
// At any moment there is one block of lines in memory: as text, as points, as line protocol.

import { createReadStream, createWriteStream } from "node:fs";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { correct, createMillrace, Key, Point, plErrorText } from "millrace";

const [from, to] = process.argv.slice(2);
if (from === undefined) throw new Error("usage: node node-stream.mjs LOG [OUTPUT]");

const category = "logging";
const message = new Key("message");
/** Characters; a line that is longer is cut into several, so that no file can fill the memory. */
const longestLine = 1 << 20;

const mill = await createMillrace();
const { scripts, errors } = mill.compile(
  {
    "access.p": String.raw`
      if grok(_, '%{IPORHOST:client} %{NOTSPACE} %{NOTSPACE:user} \\[%{HTTPDATE:time}\\] "%{WORD:method} %{NOTSPACE:path} [^"]*" %{INT:status_code:int} (?:%{INT:bytes:int}|-)') { drop_key(message) }
      group_between(status_code, [100, 399], "ok", status)
      group_between(status_code, [400, 499], "warning", status)
      group_between(status_code, [500, 599], "error", status)
      default_time(time)
    `,
  },
  { category },
);
const script = scripts.get("access.p");
if (script === undefined) throw new Error(plErrorText(errors.get("access.p")));

/** Blocks of whole lines out of chunks that end anywhere. */
async function* wholeLines(chunks) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop();
    if (rest.length > longestLine) {
      lines.push(rest);
      rest = "";
    }
    yield lines;
  }
  yield [rest + decoder.decode()];
}

/** One block as line protocol. It takes a few points at a time, so they never lie all in memory. */
async function* lineProtocol(blocks) {
  for await (const lines of blocks) {
    const encoded = mill.encodePoints(points(lines), "lp");
    if (encoded.length > 0) yield Buffer.concat([encoded, Buffer.from("\n")]);
  }
}

function* points(lines) {
  for (const line of lines) {
    if (line === "") continue;
    const point = new Point("nginx", BigInt(Date.now()) * 1_000_000n);
    point.setField(message, line);
    const { dropped, created, error } = mill.run(script, point, { category });
    if (error !== null) console.error(plErrorText(error));
    if (!dropped) {
      correct(point, category);
      yield point;
    }
    for (const each of created) if (!each.dropped) yield each.point;
  }
}

const output = to === undefined ? process.stdout : createWriteStream(to);
await pipeline(createReadStream(from), wholeLines, lineProtocol, output, { end: to !== undefined });
