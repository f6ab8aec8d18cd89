// Limits pipelined requests: requests that a client sends on one connection before it has the answers to earlier ones.
// Node hands over every request that it reads. This listener works on a limited number at a time, keeps the next ones
// in order, and stops reading from the connection while any request waits.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Most requests of one connection at a time, besides the one that is answered next: enough for a group of writes to be
 * handled together.
 */
const mostAtOnce = 64;

export function boundPipelining(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, RequestListener>();
  return (raw, response) => {
    // A response has the socket when no earlier response is still open.
    if (response.socket !== null) {
      listener(raw, response);
      return;
    }
    let line = lines.get(raw.socket);
    if (line === undefined) lines.set(raw.socket, (line = lineOf(raw.socket, listener)));
    line(raw, response);
  };
}

function lineOf(socket: Socket, listener: RequestListener): RequestListener {
  const underWay = new Set<ServerResponse>();
  let waiting: [IncomingMessage, ServerResponse][] = [];

  const begin = (raw: IncomingMessage, response: ServerResponse) => {
    underWay.add(response);
    response.once("close", () => {
      underWay.delete(response);
      const next = waiting.shift();
      if (next === undefined) return;
      if (waiting.length === 0) socket.resume();
      begin(...next);
    });
    listener(raw, response);
  };

  // Node resumes the socket after each complete request.
  socket.on("resume", () => {
    if (waiting.length > 0) socket.pause();
  });
  socket.once("close", () => {
    waiting = [];
    // Node emits "close" only on the response that has the socket.
    for (const response of underWay) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit("close");
    }
  });

  return (raw, response) => {
    if (underWay.size < mostAtOnce && waiting.length === 0) return begin(raw, response);
    waiting.push([raw, response]);
    socket.pause();
  };
}
