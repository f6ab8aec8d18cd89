// A page that hands a file to a worker: it shows how far the work is, can stop it, and stays quick whatever the file's size.
// `npx vite` serves this folder.

import { defaultWasm } from "millrace/wasm";
import type { Job, News } from "./worker.ts";

const file = document.querySelector<HTMLInputElement>("#file")!;
const stop = document.querySelector<HTMLButtonElement>("#stop")!;
const progress = document.querySelector("progress")!;
const state = document.querySelector("#state")!;

// Compiled once; every worker gets the compiled module.
const wasm = await defaultWasm();

file.addEventListener("change", () => {
  const log = file.files?.[0];
  if (log !== undefined) start(log);
});
file.disabled = false;

function start(log: File): void {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const end = (...text: (string | Node)[]): void => {
    worker.terminate();
    stop.disabled = true;
    file.disabled = false;
    state.replaceChildren(...text);
  };
  worker.onmessage = ({ data }: MessageEvent<News>) => {
    progress.value = log.size === 0 ? 1 : data.bytes / log.size;
    if (data.result === undefined) state.textContent = `${data.points} points ...`;
    else end(`${data.points} points: `, download(data.result));
  };
  worker.onerror = ({ message }) => end(`failed: ${message}`);
  stop.onclick = () => end("stopped");
  stop.disabled = false;
  file.disabled = true;
  worker.postMessage({ file: log, wasm } satisfies Job);
}

function download(result: Blob): HTMLAnchorElement {
  return Object.assign(document.createElement("a"), {
    href: URL.createObjectURL(result),
    download: "points.lp",
    textContent: "points.lp",
  });
}
