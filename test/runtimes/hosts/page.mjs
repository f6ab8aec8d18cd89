// Runs the test program (program.mjs) in the main thread of a browser page and in a web worker, and shows the two
// answers in two elements.

import { runToHex } from "../program.mjs";

function show(name, answer) {
  const place = document.createElement("pre");
  place.id = name;
  place.textContent = answer;
  document.body.append(place);
}

const worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => show("worker", data);
worker.onerror = ({ message }) => show("worker", `failed: ${message}`);
runToHex().then(
  (answer) => show("main", answer),
  (error) => show("main", `failed: ${error.stack}`),
);
