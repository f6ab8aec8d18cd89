// Receives syslog messages over UDP: one datagram is one message (RFC 5426). Drops and counts messages that arrive
// while the queue is full. Also counts the messages that the operating system drops because the agent reads too slowly.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { endianness } from "node:os";
import { type Sink, senderOf } from "./sink.ts";

/**
 * Size in bytes of the socket's receive buffer, in which the operating system keeps datagrams while this thread is
 * busy.
 */
const receiveBytes = 8 * 1024 * 1024;
/** Largest number of bytes of datagrams that are kept while the configuration is reloaded. */
const mostHeld = 4 * 1024 * 1024;

export class Datagrams {
  private readonly socket: Socket;
  private sink: Sink | undefined;
  private mostBytes = 0;
  private held: { readonly bytes: Uint8Array; readonly sender: string }[] = [];
  private heldBytes = 0;
  private heldDropped = 0;
  private kernelDrops: number | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("message", (bytes, { address }) => this.receive(bytes, address));
    // An error of a UDP socket concerns a single datagram, so the socket stays open. Without this listener, the error
    // would end the process.
    socket.on("error", () => {});
  }

  /** Opens the UDP socket. Rejects when the address cannot be used. */
  static async open({ host, port }: { readonly host: string; readonly port: number }): Promise<Datagrams> {
    const socket = createSocket({ type: host.includes(":") ? "udp6" : "udp4", recvBufferSize: receiveBytes });
    socket.bind({ address: host, port, exclusive: true });
    await once(socket, "listening");
    return new Datagrams(socket);
  }

  get port(): number {
    return this.socket.address().port;
  }

  readonly connections = 0;

  use(sink: Sink, { max_message_bytes: mostBytes }: { readonly max_message_bytes: number }): void {
    this.sink = sink;
    this.mostBytes = mostBytes;
    for (const { bytes, sender } of this.held.splice(0)) this.receive(bytes, sender);
    if (this.heldDropped > 0) sink.lost("dropped-full", this.heldDropped);
    this.heldBytes = 0;
    this.heldDropped = 0;
  }

  /**
   * Stops passing on datagrams. Datagrams that arrive later are kept, up to `mostHeld` bytes, until the next call
   * of `use`.
   */
  release(): void {
    this.sink = undefined;
  }

  /**
   * Does nothing, because a UDP sender cannot be made to wait, so there is no reading to resume. Datagrams that arrive
   * while too many messages wait to be stored are dropped.
   */
  resume(): void {}

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(resolve));
  }

  /** Counts the datagrams that the operating system has dropped since the last call. */
  async countDrops(): Promise<void> {
    const drops = await kernelDrops(this.socket.address());
    if (drops === undefined) return;
    if (this.kernelDrops !== undefined && drops > this.kernelDrops)
      this.sink?.lost("dropped-kernel", drops - this.kernelDrops);
    this.kernelDrops = drops;
  }

  private receive(bytes: Uint8Array, address: string): void {
    const { sink, mostBytes } = this;
    if (sink === undefined) {
      if (this.heldBytes + bytes.length > mostHeld) this.heldDropped++;
      else {
        this.held.push({ bytes: new Uint8Array(bytes), sender: address });
        this.heldBytes += bytes.length;
      }
    } else if (sink.isFull) sink.lost("dropped-full", 1);
    else {
      if (bytes.length > mostBytes) sink.lost("cut", 1);
      sink.take(bytes, 0, Math.min(bytes.length, mostBytes), senderOf(address));
    }
  }
}

/**
 * Returns the number of datagrams for the socket that the operating system has dropped; undefined when the system does
 * not report this number.
 */
async function kernelDrops(at: { readonly address: string; readonly port: number; readonly family: string }) {
  if (process.platform !== "linux") return undefined;
  const isSix = at.family === "IPv6";
  const text = await readFile(isSix ? "/proc/net/udp6" : "/proc/net/udp", "latin1").catch(() => "");
  return dropsIn(text, isSix ? undefined : addressHex(at.address), at.port);
}

/** Returns an IPv4 address as the file /proc/net/udp writes it. */
function addressHex(address: string): string {
  const bytes = address.split(".").map((each) => Number(each).toString(16).padStart(2, "0").toUpperCase());
  return (endianness() === "LE" ? bytes.reverse() : bytes).join("");
}

/**
 * Returns the number of dropped datagrams for an address and port, from `text`, the content of /proc/net/udp. When
 * `address` is undefined, adds the numbers of all addresses with this port. Returns undefined when no socket matches.
 */
export function dropsIn(text: string, address: string | undefined, port: number): number | undefined {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  let drops: number | undefined;
  for (const line of text.split("\n").slice(1)) {
    const cells = line.trim().split(/\s+/);
    const [host, hex] = (cells[1] ?? "").split(":");
    if (hex !== wanted || (address !== undefined && host !== address)) continue;
    const count = Number(cells.at(-1));
    if (Number.isSafeInteger(count)) drops = (drops ?? 0) + count;
  }
  return drops;
}
