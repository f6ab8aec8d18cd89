// The listener through which the main process gets requests from its intake processes (further processes that accept
// writes). It is a socket in a folder that only the operating-system user of the agent can enter. Each connection
// begins with a line that holds a secret and the client's address.

import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server as HttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { isSameToken } from "../../http/guards/token.ts";
import type { InnerAddress } from "./protocol.ts";

export interface InnerListener {
  readonly inner: InnerAddress;
  close(): void;
}

const longestGreeting = 256;
const greetingMs = 5000;

/**
 * Opens the listener for requests that intake processes pass on. Passes its connections to `server`, as if they came
 * from the clients whose addresses the intake processes sent.
 */
export async function openInnerListener(server: HttpServer, isTls: boolean): Promise<InnerListener> {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-"));
  const socketPath =
    process.platform === "win32" ? `\\\\.\\pipe\\millrace-${randomUUID()}` : path.join(folder, "inner");
  const secret = randomBytes(32).toString("hex");
  const open = new Set<Socket>();
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    greet(socket, secret, () => {
      // The client is connected to the intake process by TLS. So this connection, which passes the client's requests
      // on, counts as encrypted, too.
      if (isTls) Object.defineProperty(socket, "encrypted", { value: true });
      server.emit(isTls ? "secureConnection" : "connection", socket);
      socket.resume();
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(socketPath, resolve);
  });
  return {
    inner: { path: socketPath, folder, secret },
    close: () => {
      for (const socket of open) socket.destroy();
      listener.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Reads the first line of a connection, and calls `welcome` when the line holds the secret. Closes the connection when
 * it does not. Bytes that came with the line belong to the first request, so they are put back to be read again.
 */
function greet(socket: Socket, secret: string, welcome: () => void): void {
  let text = "";
  const timer = setTimeout(() => socket.destroy(), greetingMs);
  socket.once("close", () => clearTimeout(timer));
  socket.on("error", () => socket.destroy());
  const onData = (chunk: Buffer): void => {
    const end = chunk.indexOf("\n");
    text += chunk.toString("latin1", 0, end === -1 ? chunk.length : end);
    if (end === -1) {
      if (text.length > longestGreeting) socket.destroy();
      return;
    }
    clearTimeout(timer);
    socket.off("data", onData);
    socket.pause();
    socket.unshift(chunk.subarray(end + 1));
    const [presented = "", address = "", port = ""] = text.split(" ");
    if (!isSameToken(presented, secret)) {
      socket.destroy();
      return;
    }
    Object.defineProperties(socket, {
      remoteAddress: { value: address === "" ? undefined : address },
      remotePort: { value: Number(port) },
    });
    welcome();
  };
  socket.on("data", onData);
}
