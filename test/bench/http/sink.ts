// The receiver that stands in for the gateway in the benchmark: a process of its own that accepts everything and
// stores nothing. The first line of its output is its port. This receiver writes and parses HTTP by hand, like
// the load generator, because it runs on the same machine as the measured server and would otherwise take
// processor time from it. (A real gateway runs on another machine.)

import { type AddressInfo, createServer } from "node:net";
import process from "node:process";

const headEnd = "\r\n\r\n";
const answer = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");

const server = createServer({ noDelay: true }, (socket) => {
  let head = "";
  /**
   * Number of bytes of the request's body that have not arrived yet; undefined while the head of the request is read.
   */
  let rest: number | undefined;
  socket.on("data", (chunk) => {
    for (let at = 0; at < chunk.length || rest === 0; ) {
      if (rest === undefined) {
        const known = head.length;
        head += chunk.toString("latin1", at, at + 1024);
        const end = head.indexOf(headEnd);
        at += (end < 0 ? head.length : end + headEnd.length) - known;
        if (end < 0) continue;
        rest = Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
        head = "";
        continue;
      }
      const taken = Math.min(rest, chunk.length - at);
      rest -= taken;
      at += taken;
      if (rest > 0) continue;
      socket.write(answer);
      rest = undefined;
    }
  });
  // The sender may close the connection at any moment. This is no error of the benchmark.
  socket.on("error", () => {});
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
