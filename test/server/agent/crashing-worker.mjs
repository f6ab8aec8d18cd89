// A worker thread for tests. It doubles each number that it gets, and crashes or hangs for certain jobs. For multiples
// of 100 it answers only when the job `go` arrives.
import { parentPort } from "node:worker_threads";

let heard = 0;
let held = [];
parentPort.postMessage({ kind: "started" });

parentPort.on("message", ({ id, job }) => {
  heard++;
  if (job === "exit") process.exit(3);
  if (job === "throw") throw new Error("worker failed");
  if (job === "hang") for (;;);
  const answer = (value) => parentPort.postMessage({ kind: "answer", id, answer: value });
  if (job === "heard") return answer(heard);
  if (job === "go") {
    answer(0);
    for (const each of held) each();
    held = [];
  } else if (job % 100 === 0) {
    parentPort.postMessage({ kind: "waiting", id });
    held.push(() => answer(job * 2));
  } else answer(job * 2);
});
