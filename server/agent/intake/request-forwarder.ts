// Passes requests from an intake process (a further process that accepts writes) to the main process, and the answers
// back to the clients. Each client has its own connection to the main process, so that the main process knows the
// client's address.

import {
  Agent,
  type IncomingMessage,
  request as makeRequest,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { connect, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { answerNotReady } from "../serving/not-ready.ts";
import type { InnerAddress } from "./protocol.ts";

/** Headers that concern a single connection. They are not passed on with the request or the answer. */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "upgrade", "expect"]);
/**
 * Headers of answers that are not passed on to the client. Transfer-Encoding is one of them, since the client
 * may use HTTP 1.0, which has no chunked encoding.
 */
const ofAnswers = new Set([...ofConnection, "transfer-encoding"]);

export interface RequestForwarder {
  readonly listener: RequestListener;
  /**
   * Number of requests that were passed on to the main process and are still in progress (the response to the client is
   * not closed).
   */
  readonly underWay: number;
}

export function createRequestForwarder(inner: InnerAddress): RequestForwarder {
  let underWay = 0;
  const agents = new WeakMap<Socket, Agent>();
  const agentOf = (client: Socket): Agent => {
    const known = agents.get(client);
    if (known !== undefined) return known;
    const agent = new Agent({ keepAlive: true });
    agent.createConnection = () => {
      const socket = connect(inner.path);
      socket.write(`${inner.secret} ${client.remoteAddress ?? ""} ${client.remotePort ?? 0}\n`);
      return socket;
    };
    agents.set(client, agent);
    client.once("close", () => agent.destroy());
    return agent;
  };

  const listener: RequestListener = (raw, response) => {
    underWay++;
    const request = makeRequest({
      method: raw.method!,
      path: raw.url!,
      headers: requestHeaders(raw),
      agent: agentOf(raw.socket),
      setHost: false,
    });
    request.on("response", (answer) => {
      if (answer.headers.connection === "close") response.shouldKeepAlive = false;
      response.writeHead(answer.statusCode!, answer.statusMessage!, passedOn(answer.rawHeaders, ofAnswers));
      pipeline(answer, response, () => {});
    });
    request.on("error", () => {
      raw.unpipe(request).resume();
      fail(response);
    });
    response.on("close", () => {
      underWay--;
      if (!response.writableFinished) request.destroy();
    });
    raw.pipe(request);
  };

  return {
    listener,
    get underWay() {
      return underWay;
    },
  };
}

/**
 * Returns the request headers for the main process. Adds an empty header `Host` when there is none: HTTP 1.0 allows a
 * request without it, but the request to the main process uses HTTP 1.1.
 */
function requestHeaders({ headers, rawHeaders }: IncomingMessage): string[] {
  const passed = passedOn(rawHeaders, ofConnection);
  return headers.host === undefined ? ["Host", "", ...passed] : passed;
}

function passedOn(headers: readonly string[], left: ReadonlySet<string>): string[] {
  const passed: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (!left.has(headers[at].toLowerCase())) passed.push(headers[at], headers[at + 1]);
  }
  return passed;
}

function fail(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  answerNotReady(response, "the main process of the agent does not answer");
}
