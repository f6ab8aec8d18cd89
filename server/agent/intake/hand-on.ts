// Hands requests on to the main process, over a connection for each client so that the main process sees the client's address,
// and its answers back.

import {
  Agent,
  type ClientRequestArgs,
  type IncomingMessage,
  request as makeRequest,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { errorBody } from "../../http/errors.ts";
import type { Inner } from "./protocol.ts";

/** They are said of one connection, not of what goes over it. */
const ofConnection = ["connection", "keep-alive", "proxy-connection", "upgrade", "expect"];
const notOfRequests = new Set(ofConnection);
/** How the answer is framed depends on the client. */
const notOfAnswers = new Set([...ofConnection, "transfer-encoding"]);

export function createHandOn(inner: Inner): RequestListener {
  const agents = new WeakMap<Socket, Agent>();
  const agentOf = (client: Socket): Agent => {
    let agent = agents.get(client);
    if (agent === undefined) {
      agents.set(client, (agent = new ConnectionOf(client, inner)));
      client.once("close", () => agents.get(client)?.destroy());
    }
    return agent;
  };

  return (raw, response) => {
    const request = makeRequest({
      method: raw.method!,
      path: raw.url!,
      headers: headersOf(raw),
      agent: agentOf(raw.socket),
      setHost: false,
    });
    request.on("response", (answer) => {
      if (answer.headers.connection === "close") response.shouldKeepAlive = false;
      response.writeHead(answer.statusCode!, answer.statusMessage!, without(answer.rawHeaders, notOfAnswers));
      pipeline(answer, response, () => {});
    });
    request.on("error", () => fail(response));
    response.on("close", () => {
      if (!response.writableFinished) request.destroy();
    });
    raw.pipe(request);
  };
}

/** Node's type does not know that the socket may come later, through the callback. */
type CreateConnection = (options: ClientRequestArgs, done: (error: Error | null, stream: Duplex) => void) => Duplex;

class ConnectionOf extends Agent {
  override createConnection: CreateConnection;

  constructor(client: Socket, { path, secret }: Inner) {
    super({ keepAlive: true });
    this.createConnection = (_options, done) => {
      const socket = connect(path);
      const failed = (error: Error) => done(error, socket);
      socket.once("error", failed);
      socket.write(`${secret} ${client.remoteAddress ?? ""} ${client.remotePort ?? 0}\n`);
      // The main process says so when it has read the line.
      socket.once("readable", () => {
        socket.off("error", failed);
        socket.read();
        done(null, socket);
      });
      return undefined as unknown as Duplex;
    };
  }
}

function headersOf({ headers, rawHeaders }: IncomingMessage): string[] {
  const passed = without(rawHeaders, notOfRequests);
  // HTTP/1.0 may do without; what it is handed on in may not.
  return headers.host === undefined ? [...passed, "Host", ""] : passed;
}

/** Names, each with its value behind it. */
function without(headers: readonly string[], names: ReadonlySet<string>): string[] {
  return headers.filter((_, at) => !names.has(headers[at & ~1].toLowerCase()));
}

function fail(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = errorBody("agent.internalServerError", "the main process of the agent does not answer");
  response.writeHead(500, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
