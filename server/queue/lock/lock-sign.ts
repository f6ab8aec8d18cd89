// How the holder of a lock shows that it lives to processes that cannot see it, those of other containers that have the folder too: it
// listens on a socket beside the lock. However it ends, the system stops answering there at once.

import { closeSync, constants, openSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";

export interface Sign {
  takeDown(): void;
}

/** Of a path of a socket, in bytes, what every system takes. */
const longestPath = 100;

/** Undefined where there are no such sockets: not every system has them, nor every kind of file system. */
export function putUpSign(folder: string, name: string): Promise<Sign | undefined> {
  const file = path.join(folder, name);
  const server = createServer((socket) => socket.destroy()).unref();
  return withShortPath(
    folder,
    name,
    (short) =>
      new Promise<Sign | undefined>((resolve) => {
        server.on("error", () => resolve(undefined));
        server.listen({ path: short }, () =>
          resolve({
            takeDown: () => {
              server.close();
              rmSync(file, { force: true });
            },
          }),
        );
      }),
    undefined,
  );
}

/** Whether there is one whose process lives. */
export function hasSign(folder: string, name: string): Promise<boolean> {
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
        // Anything else, such as a queue of callers that is full, is no word from the dead.
        socket.once("error", ({ code }: NodeJS.ErrnoException) =>
          resolve(code !== "ECONNREFUSED" && code !== "ENOENT" && code !== "ENOTSOCK"),
        );
      }),
    false,
  );
}

/** `otherwise`: where no path of a socket in the folder is short enough. */
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
