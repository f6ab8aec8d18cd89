// Finds out whether the process that holds a lock is alive. This works also for processes that cannot see its
// process id, for example in other containers that share the folder. The process that holds the lock listens on
// a Unix socket beside the lock file. When it ends, the operating system immediately stops answering on the
// socket.

import { closeSync, constants, openSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";

export interface LockSocket {
  close(): void;
}

/** The longest path in bytes that every operating system accepts for a Unix socket. */
const longestPath = 100;

/**
 * Starts to listen on a socket beside the lock file. Resolves to undefined when the operating system or the file
 * system does not support Unix sockets.
 */
export function openLockSocket(folder: string, name: string): Promise<LockSocket | undefined> {
  const file = path.join(folder, name);
  const server = createServer((socket) => socket.destroy()).unref();
  return withShortPath(
    folder,
    name,
    (short) =>
      new Promise<LockSocket | undefined>((resolve) => {
        server.on("error", () => resolve(undefined));
        server.listen({ path: short }, () =>
          resolve({
            close: () => {
              server.close();
              rmSync(file, { force: true });
            },
          }),
        );
      }),
    undefined,
  );
}

/** Returns whether a live process listens on the socket beside the lock file. */
export function isLockSocketAlive(folder: string, name: string): Promise<boolean> {
  return withShortPath(
    folder,
    name,
    (short) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ path: short });
        socket.once("connect", () => {
          socket.destroy();
          resolve(true);
        });
        // Some errors, such as ECONNREFUSED, say that no process listens on the socket. Only these errors prove that
        // the holder of the lock has ended. Any other error, such as a full queue of connections, proves nothing.
        socket.once("error", ({ code }: NodeJS.ErrnoException) =>
          resolve(code !== "ECONNREFUSED" && code !== "ENOENT" && code !== "ENOTSOCK"),
        );
      }),
    false,
  );
}

/**
 * Calls `work` with a path of the socket that is short enough for the operating system. Returns `otherwise`
 * without calling `work` when there is no such path.
 */
async function withShortPath<T>(
  folder: string,
  name: string,
  work: (path: string) => Promise<T>,
  otherwise: T,
): Promise<T> {
  if (process.platform === "win32") return otherwise;
  const plain = path.join(folder, name);
  if (Buffer.byteLength(plain) <= longestPath) return await work(plain);
  if (process.platform !== "linux") return otherwise;
  const directory = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await work(`/proc/self/fd/${directory}/${name}`);
  } finally {
    closeSync(directory);
  }
}
