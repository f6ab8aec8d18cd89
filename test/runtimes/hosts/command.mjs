// Runs the test program (program.mjs) as a command of Node, Deno or Bun.

import { runToHex } from "../program.mjs";

console.log(await runToHex());
