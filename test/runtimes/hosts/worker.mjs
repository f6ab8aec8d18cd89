// A worker of the page.

import { runToHex } from "../program.mjs";

runToHex().then(
  (answer) => postMessage(answer),
  (error) => postMessage(`failed: ${error.stack}`),
);
