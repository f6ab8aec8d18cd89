// A page that is opened from the disk, as in Electron with `loadFile`: it counts the requests of each client in a log.
// Pages under `file://` may load neither modules nor files, so `vite.config.mjs` makes one classic script of everything,
// the WebAssembly module included.

import { createMillrace, type Millrace } from "millrace";

const file = document.querySelector<HTMLInputElement>("#file")!;
const counts = document.querySelector("#counts")!;

createMillrace().then((mill) => {
  file.addEventListener("change", () => {
    const log = file.files?.[0];
    if (log !== undefined) void count(mill, log).then((text) => (counts.textContent = text), show);
  });
  file.disabled = false;
}, show);

async function count(mill: Millrace, log: File): Promise<string> {
  const requests = new Map<unknown, number>();
  const access = mill.script(`grok(_, "^%{IP:client} ")`);
  const results = log.stream().pipeThrough(mill.lines(access));
  for (const reader = results.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    const { client = "no client" } = value.fields;
    requests.set(client, (requests.get(client) ?? 0) + 1);
  }
  access.free();
  const sorted = [...requests].sort(([, a], [, b]) => b - a);
  return sorted.map(([client, times]) => `${String(times).padStart(8)}  ${String(client)}`).join("\n");
}

function show(error: unknown): void {
  counts.textContent = String(error);
}
