// The web worker of the page: runs the test program (program.mjs) and posts its answer.

import { runToHex } from "../program.mjs";

runToHex().then(
  (answer) => postMessage(answer),
  (error) => postMessage(`failed: ${error.stack}`),
);
