// Requests that a client sends over one connection before it has answers to those before. Node hands over all that it reads;
// here only so many are worked on at a time, the next ones wait as they came, and while any does nothing more is read.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Of one connection, besides the one that is answered next: enough for a group of writes to share what they wait for. */
const mostAtOnce = 64;

export function boundPipelining(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, RequestListener>();
  return (raw, response) => {
    // A response has the connection while no other stands before it.
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

  // Node reads on after each request that is complete.
  socket.on("resume", () => {
    if (waiting.length > 0) socket.pause();
  });
  socket.once("close", () => {
    waiting = [];
    // Node tells this to the response that has the connection, and to no other.
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
