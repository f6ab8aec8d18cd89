// A gateway for tests that records the uploads it accepts and behaves as the test says.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { ownLoopback } from "./child.ts";

export interface Upload {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  /** The body of the upload, decompressed. */
  readonly body: Buffer;
  readonly lines: readonly string[];
}

export interface RecordingGateway {
  readonly url: string;
  /** The uploads that were answered with 2xx, in order. */
  readonly taken: Upload[];
  /** Every request whose body has arrived completely, also those that were refused. */
  readonly seen: Upload[];
  /** The body with which the gateway answers requests for filters. When it is undefined, the gateway answers 404. */
  pull: string | undefined;
  /**
   * The answer of the gateway to requests for scripts: the body, or a status without a body. When this is undefined,
   * the gateway answers 404.
   */
  scripts: string | number | undefined;
  /** The requests for scripts that the gateway received. */
  readonly scriptPulls: Pick<Upload, "url" | "headers">[];
  /** The requests for filters that the gateway received. */
  readonly pulls: Pick<Upload, "url" | "headers">[];
  /**
   * Sets how the gateway answers from now on: always with the given status, or with a function that handles each
   * request.
   */
  behave(how: number | ((request: IncomingMessage, response: ServerResponse) => void)): void;
  lines(): string[];
  close(): Promise<void>;
  /** Makes the gateway listen at the same address again, after `close` has stopped it. */
  reopen(): Promise<void>;
  /**
   * Waits until the gateway has no open connection. If the sender has ended before this call, the gateway has then
   * accepted or refused every request of the sender.
   */
  quiet(): Promise<void>;
}

export async function uploadOf(request: IncomingMessage): Promise<Upload> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
  return { url: request.url!, headers: request.headers, body, lines: body.toString().split("\n") };
}

/** Starts the gateway. With a key and certificate for 127.0.0.1 it speaks HTTPS. */
export async function startGateway(tls?: { readonly key: Buffer; readonly cert: Buffer }): Promise<RecordingGateway> {
  const taken: Upload[] = [];
  const seen: Upload[] = [];
  let how: Parameters<RecordingGateway["behave"]>[0] = 200;
  let underWay = 0;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    underWay++;
    try {
      if (request.url!.startsWith("/v1/agent/pull?") && request.url!.includes("remote_pipelines=true")) {
        const { scripts = 404 } = gateway;
        gateway.scriptPulls.push({ url: request.url!, headers: request.headers });
        if (typeof scripts === "number") return response.writeHead(scripts).end();
        return response.writeHead(200).end(scripts);
      }
      if (request.url!.startsWith("/v1/agent/pull?")) {
        gateway.pulls.push({ url: request.url!, headers: request.headers });
        return response.writeHead(gateway.pull === undefined ? 404 : 200).end(gateway.pull);
      }
      // Agents request the time now and then. Such requests are answered but not recorded.
      if (request.url!.startsWith("/v1/ntp")) return response.writeHead(typeof how === "number" ? how : 404).end();
      if (typeof how === "function") return how(request, response);
      const upload = await uploadOf(request);
      seen.push(upload);
      if (how < 300) taken.push(upload);
      response.writeHead(how).end(how < 300 ? "" : "not today");
    } catch {
      response.destroy();
    } finally {
      underWay--;
    }
  };
  const server = tls === undefined ? createServer(take) : createSecureServer({ key: tls.key, cert: tls.cert }, take);
  const host = tls === undefined ? ownLoopback() : "127.0.0.1";
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, host, resolve));
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const gateway: RecordingGateway = {
    url: `${tls === undefined ? "http" : "https"}://${host}:${port}`,
    taken,
    seen,
    scripts: undefined,
    scriptPulls: [],
    pull: undefined,
    pulls: [],
    behave: (next) => {
      how = next;
    },
    lines: () => taken.flatMap(({ lines }) => lines),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: () => listen(port),
    quiet: () => expect.poll(async () => (await connections()) + underWay).toBe(0),
  };
  return gateway;
}
