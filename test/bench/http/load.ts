// The load generator, a process of its own. Each of its connections sends a body, waits for the answer, and sends the
// next body. It writes and parses HTTP by hand, so that it uses little processor time compared with the measured
// server.

import { connect, type Socket } from "node:net";
import process from "node:process";
import { makeBodies } from "./bodies.ts";
import type { Load, Measured } from "./protocol.ts";

const load = JSON.parse(process.argv[2]) as Load;
const bodies = makeBodies(load.pointsPerBody);
const requests = bodies.map((body) => {
  const host = `Host: ${load.host}:${load.port}\r\n${load.headers ?? ""}`;
  if (load.method === "GET") return Buffer.from(`GET ${load.path} HTTP/1.1\r\n${host}\r\n`);
  const head = `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`POST ${load.path} HTTP/1.1\r\n${host}${head}\r\n`), body]);
});

const latencies: number[] = [];
let accepted = 0;
let refused = 0;
let bytes = 0;
const began = performance.now();
const cpuBefore = process.cpuUsage();
const isOver = () =>
  (load.seconds > 0 && performance.now() - began >= load.seconds * 1000) ||
  (load.points > 0 && accepted * load.pointsPerBody >= load.points);

await Promise.all(Array.from({ length: load.connections }, (_, at) => client(at)));
const seconds = (performance.now() - began) / 1000;
const cpu = process.cpuUsage(cpuBefore);
latencies.sort((a, b) => a - b);
const quantile = (part: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0;
const measured: Measured = {
  seconds,
  requests: latencies.length,
  accepted,
  refused,
  points: accepted * load.pointsPerBody,
  bytes,
  p50: quantile(0.5),
  p99: quantile(0.99),
  loadCpuSeconds: (cpu.user + cpu.system) / 1e6,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);

function client(first: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let at = first;
    let sentAt = 0;
    let head = "";
    /**
     * Number of bytes of the answer's body that have not arrived yet; undefined while the head of the answer is read.
     */
    let rest: number | undefined;
    // All answers are received into one buffer. A stream would make a buffer and several events for each answer.
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback: (length: number, into: Uint8Array) => {
        take((into as Buffer).toString("latin1", 0, length));
        return true;
      },
    };
    const socket: Socket = connect({ host: load.host, port: load.port, noDelay: true, onread }, send);
    socket.on("error", reject);

    function finish(): void {
      socket.destroy();
      resolve();
    }

    function send(): void {
      // Each connection sends at least one body, even when the duration of the load is already over.
      if (at > first && isOver()) finish();
      else {
        sentAt = performance.now();
        socket.write(requests[at % requests.length]);
      }
    }

    function take(text: string): void {
      if (rest === undefined) {
        head += text;
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1];
        if (length === undefined && !head.startsWith("HTTP/1.1 204")) {
          socket.destroy(new Error(`an answer without length: ${head}`));
          return;
        }
        rest = Number(length ?? 0) - (head.length - end - 4);
      } else rest -= text.length;
      if (rest > 0) return;
      latencies.push(performance.now() - sentAt);
      if (head.startsWith("HTTP/1.1 2")) {
        accepted++;
        bytes += bodies[at % bodies.length].length;
      } else refused++;
      at += load.connections;
      head = "";
      rest = undefined;
      send();
    }
  });
}
