// The busiest paths of an access log, with nothing but the grok part of the library (no WebAssembly, no scripts):
//
//   bun bun.ts access.log

import { Grok } from "millrace/grok";

const access = Grok.compile('"%{WORD:method} %{NOTSPACE:path} [^"]*" %{INT:status:int} (?:%{INT:bytes:int}|-)');

interface Path {
  requests: number;
  failed: number;
  bytes: number;
}

const paths = new Map<string, Path>();

function count(line: string): void {
  const found = access.match(line);
  if (found === null) return;
  // An int is a number as long as a number can hold it; a group that took no part gives 0.
  const [path, status, bytes] = [String(found.path), Number(found.status), Number(found.bytes)];
  const each = paths.get(path) ?? { requests: 0, failed: 0, bytes: 0 };
  each.requests++;
  if (status >= 500) each.failed++;
  each.bytes += bytes;
  paths.set(path, each);
}

let rest = "";
for await (const text of Bun.file(Bun.argv[2]!).stream().pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop()!;
  lines.forEach(count);
}
count(rest);

const busiest = [...paths].sort(([, a], [, b]) => b.requests - a.requests).slice(0, 10);
console.log("requests  failed     bytes  path");
for (const [path, { requests, failed, bytes }] of busiest) {
  console.log(`${String(requests).padStart(8)}${String(failed).padStart(8)}${String(bytes).padStart(10)}  ${path}`);
}
