// Limits pipelined requests, which a client sends on one connection before it has the answers to its earlier requests.
// Node passes on every request that it reads. The listener of this file handles a limited number at a time, keeps
// further requests in order, and stops reading from the connection while any request waits.

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Largest number of requests of one connection that are handled while an earlier request of this connection is still
 * unanswered. The number is large enough for a group of writes to be handled together.
 */
const mostAtOnce = 64;

export function boundPipelining(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, RequestListener>();
  return (raw, response) => {
    // Node gives the socket to a response when all earlier responses on the connection are finished. So a response with
    // a socket belongs to the only request in progress on the connection.
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

  // Node resumes reading from the socket after each complete request. While requests wait, this listener pauses the
  // reading again.
  socket.on("resume", () => {
    if (waiting.length > 0) socket.pause();
  });
  socket.once("close", () => {
    waiting = [];
    // Node emits "close" only on the response that has the socket. This loop emits "close" on all other responses, so
    // that their handlers notice that the connection is closed.
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
