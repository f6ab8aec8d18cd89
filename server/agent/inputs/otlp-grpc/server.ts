// The HTTP/2 server of OTLP over gRPC: its address, TLS, and the limits on connections and requests.

import {
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { durationMs } from "../../../config/go-duration.ts";
import { parseListenAddress } from "../../../config/listen-address.ts";
import { readTlsFiles, whenFree } from "../../../http/listen.ts";
import type { FetchingAgent, OpenInput } from "../input.ts";
import { answerCall, sendError } from "./call.ts";
import { GrpcError, grpcStatus } from "./status.ts";

/** Largest allowed size in bytes of the headers of a request. */
const maxHeaderBytes = 16 * 1024;
/** Number of invalid frames after which Node closes a connection. */
const mostInvalidFrames = 100;
/** Largest number of requests that may be in progress, over all connections. */
const mostUnderWay = 1000;
const tooManyRequests = new GrpcError(grpcStatus.unavailable, `more than ${mostUnderWay} requests at once`);
/** Time in milliseconds after which a connection without a request is closed. */
const idleMs = 10 * 60_000;
/** Time in milliseconds that requests in progress get to finish when the input is closed. */
const closingMs = 10_000;

/**
 * Opens the server for OTLP over gRPC. While the port is in use, keeps trying. Throws when the server cannot be
 * opened for another reason.
 */
export async function openServer(agent: FetchingAgent): Promise<OpenInput> {
  const { config, log } = agent;
  const server = createServerOf(agent);
  server.maxConnections = config["inputs.otlp_grpc.max_connections"];
  const timeoutMs = durationMs(config["http_api.timeout"], 30_000);
  const closing = new AbortController();
  const sessions = new Set<ServerHttp2Session>();
  let underWay = 0;
  server.on("session", (session) => {
    sessions.add(session);
    session.setTimeout(idleMs, () => session.close());
    session.on("error", () => {}).on("close", () => sessions.delete(session));
  });
  // The event `sessionError` means that a client does not speak HTTP/2. Node itself closes the client's connection, so
  // this listener does nothing.
  server.on("sessionError", () => {});
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    if (underWay >= mostUnderWay) return sendError(stream, tooManyRequests);
    underWay++;
    const limit = limitedTime(stream, timeoutMs, closing.signal);
    void answerCall(agent, stream, headers, limit.signal).finally(() => {
      limit.end();
      underWay--;
    });
  });
  const address = parseListenAddress(config["inputs.otlp_grpc.listen"]);
  const stopped = new AbortController();
  const attempt = async () => {
    // The input may be closed while it waits for the port to become free. In this case the server must not begin to
    // listen.
    stopped.signal.throwIfAborted();
    return await listenAt(server, address);
  };
  const listening = whenFree(address, attempt, log, stopped.signal);
  // The agent starts even if the port is in use: `whenFree` logs the problem and keeps trying in the background.
  await Promise.race([listening, new Promise((resolve) => setTimeout(resolve, startMs).unref())]);
  listening.then(
    (at) => log.info(`OTLP over gRPC is taken at ${at}`),
    (error: unknown) => {
      if (!stopped.signal.aborted) log.error("otlp over gRPC", error);
    },
  );
  return {
    close: async () => {
      stopped.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.close();
      for (const end = performance.now() + closingMs; underWay > 0 && performance.now() < end; ) await pause(5);
      closing.abort();
      for (const session of sessions) session.destroy();
      if (server.listening) await closed;
    },
  };
}

/** Milliseconds for which the start of the agent waits for the port to become free. */
const startMs = 500;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function createServerOf({ config }: FetchingAgent): Http2Server {
  const options = {
    settings: {
      maxConcurrentStreams: config["inputs.otlp_grpc.max_streams"],
      maxHeaderListSize: maxHeaderBytes,
      enablePush: false,
    },
    maxSessionInvalidFrames: mostInvalidFrames,
  };
  const tls = readTlsFiles(config["inputs.otlp_grpc.tls_cert"], config["inputs.otlp_grpc.tls_key"]);
  return tls === undefined ? createServer(options) : createSecureServer({ ...options, ...tls });
}

/** Makes the server listen at the address. Resolves with the address as text, such as `127.0.0.1:4317`. */
function listenAt(server: Http2Server, address: ReturnType<typeof parseListenAddress>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      const bound = server.address();
      resolve(typeof bound === "string" || bound === null ? String(bound) : `${bound.address}:${bound.port}`);
    });
  });
}

/** Returns a signal that aborts when the request takes too long, the client disconnects, or the input closes. */
function limitedTime(stream: ServerHttp2Stream, ms: number, closing: AbortSignal) {
  const abort = new AbortController();
  const end = () => abort.abort();
  const timer = setTimeout(() => {
    end();
    sendError(stream, new GrpcError(grpcStatus.deadlineExceeded, "the request takes too long"));
  }, ms);
  stream.on("aborted", end);
  closing.addEventListener("abort", end);
  return {
    signal: abort.signal,
    end: () => {
      clearTimeout(timer);
      closing.removeEventListener("abort", end);
    },
  };
}
