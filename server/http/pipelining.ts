// Limits pipelined requests, that is, requests that a client sends on one connection before its earlier requests
// are answered. Node passes on every request that it reads. This listener handles only a limited number at the
// same time. It queues all further requests in order, and stops reading from the connection while any request
// waits.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Maximum number of requests of one connection that are handled while an earlier request of the same connection
 * is not yet answered. It is large enough that a group of write requests can be handled together.
 */
const mostAtOnce = 64;

export function boundPipelining(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, RequestListener>();
  return (raw, response) => {
    // Node assigns the socket to a response only when all earlier responses on the connection are finished. So if
    // the response already has the socket, no earlier request on this connection is still in progress.
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

  // After each complete request, Node resumes reading from the socket. If requests are waiting at that time, this
  // listener pauses the socket again.
  socket.on("resume", () => {
    if (waiting.length > 0) socket.pause();
  });
  socket.once("close", () => {
    waiting = [];
    // When a connection closes, Node emits "close" only on the response that has the socket. This loop emits "close"
    // on all other responses, so that their handlers learn that the connection is closed.
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
