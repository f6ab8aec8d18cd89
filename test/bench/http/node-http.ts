// A minimal server on node:http, which accepts every body and drops it. Runs as a process of its own; the first line of
// its output is its port.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.end());
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
