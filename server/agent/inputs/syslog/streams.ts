// Receives syslog messages over connections: TCP (RFC 6587), TLS (RFC 5425) and Unix sockets. While the queue is full,
// reads from no connection, so that senders wait. Connections stay open when the configuration is reloaded.

import { once } from "node:events";
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { durationMs } from "../../../config/go-duration.ts";
import type { InputAddress } from "../../../config/input-address.ts";
import type { SyslogSettings } from "../../../config/settings/inputs-syslog.ts";
import { FrameError, FrameReader, type Framing } from "./frames.ts";
import { type Closing, type Sink, senderOf } from "./sink.ts";

/**
 * Permissions of a Unix socket: all users may send. To let only some users send, restrict the permissions of the folder
 * that contains the socket.
 */
const socketMode = 0o722;
/** Milliseconds that the TLS handshake with a sender may take. */
const handshakeMs = 10_000;

/** The settings of an address to listen on, and of the connections that it accepts. */
export type StreamSettings = Pick<
  SyslogSettings,
  | "framing"
  | "max_message_bytes"
  | "max_connections"
  | "max_unfinished_bytes"
  | "idle_timeout"
  | "tls_cert"
  | "tls_key"
  | "tls_client_ca"
>;

interface Connection {
  readonly socket: Socket;
  readonly sender: string;
  readonly reader: FrameReader;
}

export class Streams {
  private readonly server: Server | TlsServer;
  private readonly path: string | undefined;
  private readonly open = new Set<Connection>();
  private sink: Sink | undefined;
  private settings: StreamSettings;
  /** Number of bytes that the unfinished messages of all connections take. */
  private unfinished = 0;
  private isPaused = true;

  private constructor(server: Server | TlsServer, settings: StreamSettings, path: string | undefined) {
    this.server = server;
    this.settings = settings;
    this.path = path;
  }

  /** Opens a listener for syslog messages. Rejects when the address or a TLS file cannot be used. */
  static async open({ protocol, address }: InputAddress, settings: StreamSettings): Promise<Streams> {
    const server =
      protocol === "tls"
        ? createTlsServer({ ...tlsOptions(settings), handshakeTimeout: handshakeMs })
        : createServer({ pauseOnConnect: true });
    const streams = new Streams(server, settings, "path" in address ? address.path : undefined);
    server.on(protocol === "tls" ? "secureConnection" : "connection", (socket: Socket) => streams.take(socket));
    server.on("drop", (data) => streams.sink?.closed("limit", senderOf(data?.remoteAddress), "max_connections"));
    if (protocol === "tls") {
      server.on("tlsClientError", (error: Error, socket: Socket) =>
        streams.sink?.closed("tls", senderOf(socket.remoteAddress), error.message),
      );
    }
    server.maxConnections = settings.max_connections;
    if ("path" in address) await prepareSocket(address.path);
    server.listen("path" in address ? address : { ...address, exclusive: true });
    await once(server, "listening");
    if ("path" in address) chmodSync(address.path, socketMode);
    // The server emits the event `error` when it cannot accept a connection because the client has already
    // disconnected. Without this listener, such an error would end the process.
    server.on("error", () => {});
    return streams;
  }

  get port(): number {
    const at = this.server.address();
    return typeof at === "string" || at === null ? 0 : (at as AddressInfo).port;
  }

  get connections(): number {
    return this.open.size;
  }

  /**
   * Passes messages to `sink` from now on and applies the given settings, also on connections that are already open.
   */
  use(sink: Sink, settings: StreamSettings): void {
    this.sink = sink;
    this.settings = settings;
    this.server.maxConnections = settings.max_connections;
    if ("setSecureContext" in this.server) this.server.setSecureContext(tlsOptions(settings));
    for (const { socket } of this.open) socket.setTimeout(durationMs(settings.idle_timeout, 3_600_000));
    this.resume();
  }

  /** Stops reading from all connections until `resume` or `use` is called. */
  private pause(): void {
    this.isPaused = true;
    for (const { socket } of this.open) socket.pause();
  }

  resume(): void {
    if (this.sink === undefined || this.sink.isFull) return;
    this.isPaused = false;
    for (const { socket } of this.open) socket.resume();
  }

  /** Stops reading from all connections, so that senders wait, until the next call of `use`. */
  release(): void {
    this.pause();
    this.sink = undefined;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const { socket } of this.open) socket.destroy();
    await closed;
    if (this.path !== undefined) rmSync(this.path, { force: true });
  }

  private take(socket: Socket): void {
    const sender = senderOf(socket.remoteAddress);
    const streams = this;
    const reader = new FrameReader({
      get framing() {
        return streams.settings.framing as Framing;
      },
      get mostBytes() {
        return streams.settings.max_message_bytes;
      },
      take: (bytes, from, to, isCut) => {
        if (isCut) streams.sink?.lost("cut", 1);
        streams.sink?.take(bytes, from, to, sender);
      },
      hold: (bytes) => streams.hold(bytes),
    });
    const connection: Connection = { socket, sender, reader };
    this.open.add(connection);
    socket.setTimeout(durationMs(this.settings.idle_timeout, 3_600_000));
    socket.on("data", (chunk) => this.read(connection, chunk));
    socket.on("end", () => reader.end());
    socket.on("timeout", () => {
      // While the agent does not read, the sender may be unable to send, so the connection does not count as idle.
      if (!this.isPaused) this.end(connection, "idle", "idle_timeout");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      reader.discard();
      this.open.delete(connection);
    });
    if (this.isPaused) socket.pause();
    else socket.resume();
  }

  private read(connection: Connection, chunk: Buffer): void {
    try {
      connection.reader.read(chunk);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.end(connection, error.reason, error.message);
    }
    if (this.sink?.isFull === true) this.pause();
  }

  private end({ socket, sender }: Connection, reason: Closing, detail: string): void {
    this.sink?.closed(reason, sender, detail);
    socket.destroy();
  }

  private hold(bytes: number): boolean {
    if (bytes > 0 && this.unfinished + bytes > this.settings.max_unfinished_bytes) return false;
    this.unfinished += bytes;
    return true;
  }
}

function tlsOptions({ tls_cert: cert, tls_key: key, tls_client_ca: ca }: StreamSettings) {
  return {
    cert: readFileSync(cert),
    key: readFileSync(key),
    ...(ca === "" ? {} : { ca: readFileSync(ca), requestCert: true, rejectUnauthorized: true }),
  };
}

/**
 * Creates the folder for the file of a Unix socket. Removes the file of an earlier socket that a killed agent
 * has left behind.
 */
async function prepareSocket(at: string): Promise<void> {
  mkdirSync(path.dirname(at), { recursive: true });
  if (lstatSync(at, { throwIfNoEntry: false })?.isSocket() === true && (await isLeft(at))) rmSync(at);
}

/**
 * Returns whether the file of a Unix socket can be removed, because no process listens at the socket any more. When
 * another program still uses the socket, the file must stay.
 */
function isLeft(at: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: at });
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED"));
  });
}
