// A worker that doubles numbers, and dies on the words that tests send.
import { parentPort } from "node:worker_threads";

parentPort.on("message", ({ job }) => {
  if (job === "exit") process.exit(3);
  if (job === "throw") throw new Error("worker failed");
  if (job === "hang") for (;;);
  parentPort.postMessage({ kind: "answer", answer: job * 2 });
});
