// Node, Deno and Bun: the program as a command.

import { runToHex } from "../program.mjs";

console.log(await runToHex());
