// The worker: reads the file block by block, runs the script over its lines, and keeps the points as line protocol.

import { correct, createMillrace, Key, Point, plErrorText } from "millrace";

export interface Job {
  readonly file: File;
  readonly wasm: WebAssembly.Module;
}

export interface News {
  /** Bytes of the file that have been read. */
  readonly bytes: number;
  readonly points: number;
  /** All points; comes with the last news. */
  readonly result?: Blob;
}

const category = "logging";
const message = new Key("message");
const access = String.raw`
if grok(_, '%{IPORHOST:client} %{NOTSPACE} %{NOTSPACE:user} \\[%{HTTPDATE:time}\\] "%{WORD:method} %{NOTSPACE:path} [^"]*" %{INT:status_code:int}') { drop_key(message) }
default_time(time)
`;

// A failure reaches the page as an error event of the worker.
addEventListener("message", ({ data }: MessageEvent<Job>) => void work(data).catch(reportError));

async function work({ file, wasm }: Job): Promise<void> {
  const mill = await createMillrace({ wasm });
  const { scripts, errors } = mill.compile({ "access.p": access }, { category });
  const script = scripts.get("access.p");
  if (script === undefined) throw new Error(plErrorText(errors.get("access.p")!));

  let bytes = 0;
  let count = 0;
  const parts: BlobPart[] = [];

  function* points(lines: readonly string[]): Generator<Point> {
    for (const line of lines) {
      const point = new Point("nginx", BigInt(Date.now()) * 1_000_000n);
      point.setField(message, line);
      const { dropped, error } = mill.run(script!, point, { category });
      if (error !== null) console.warn(plErrorText(error));
      if (dropped) continue;
      correct(point, category);
      count++;
      yield point;
    }
  }

  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of file.stream()) {
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    add(lines);
    postMessage({ bytes, points: count } satisfies News);
  }
  add([rest + decoder.decode()]);
  postMessage({ bytes, points: count, result: new Blob(parts, { type: "text/plain" }) } satisfies News);

  function add(lines: readonly string[]): void {
    const text = mill.encodePoints(points(lines.filter((line) => line !== "")), "lp");
    // A Blob need not lie in memory: the browser may put it on disk.
    if (text.length > 0) parts.push(new Blob([text, "\n"]));
  }
}
