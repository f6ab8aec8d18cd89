// The listeners (addresses) of an agent while its configuration changes.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createListeners, type ListenerKind, type Listeners } from "../../../../server/agent/serving/listeners.ts";
import { type Config, defaults } from "../../../../server/config/schema.ts";
import { createLog } from "../../../../server/telemetry/log.ts";
import { ownLoopback } from "../../support/child.ts";

const log = createLog("error", () => {});
const configOf = (listen: string, further = ""): Config => ({
  ...(defaults() as Config),
  "http_api.listen": listen,
  "http_api.listen_socket": further,
});

/**
 * Makes listeners that close each connection as soon as they have accepted it. For each accepted connection, in order,
 * `came` has the kind of the listener that accepted it.
 */
function listenersOfTest(): Listeners & { readonly came: ListenerKind[] } {
  const came: ListenerKind[] = [];
  const listeners = createListeners((socket, entrance) => {
    came.push(entrance);
    socket.destroy();
  });
  onTestFinished(() => listeners.close());
  return { ...listeners, came };
}

/** Tries to connect. Returns `open`, or the error code. */
function look(to: { host: string; port: number } | { path: string }): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(to, () => {
      socket.destroy();
      resolve("open");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
}

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-listeners-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("opens new listeners, keeps the unchanged ones, and closes the removed ones", async () => {
  const folder = folderOfTest();
  const [first, second] = ["first", "second"].map((name) => path.join(folder, name));
  const listeners = listenersOfTest();
  const main = `${ownLoopback()}:0`;
  await listeners.open(configOf(main, first), log);
  const url = listeners.urlOf(configOf(main), false);
  await listeners.open(configOf(main, second), log);
  expect(listeners.urlOf(configOf(main), false)).toBe(url);
  expect(await Promise.all([look({ path: first }), look({ path: second })])).toEqual(["open", "open"]);
  listeners.keepOnly(configOf(main, second));
  expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
  const { hostname: host, port } = new URL(url);
  expect(await look({ host, port: Number(port) })).toBe("open");
  await expect.poll(() => listeners.came).toEqual(["further", "further", "tcp"]);
});

it("moves its port from one address to all addresses", async () => {
  const listeners = listenersOfTest();
  const host = ownLoopback();
  await listeners.open(configOf(`${host}:0`), log);
  const { port } = new URL(listeners.urlOf(configOf(`${host}:0`), false));
  listeners.close();
  const [one, all] = [`${host}:${port}`, `0.0.0.0:${port}`].map((listen) => configOf(listen));
  await listeners.open(one, log);
  await listeners.open(all, log, AbortSignal.abort());
  listeners.keepOnly(all);
  expect(listeners.urlOf(all, true)).toBe(`https://127.0.0.1:${port}`);
  expect(await look({ host: "127.0.0.1", port: Number(port) })).toBe("open");
});

it("keeps its old listeners when the port is in use on the new address", async () => {
  const [own, others] = [ownLoopback(), ownLoopback()];
  const other = createServer().listen(0, others);
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as AddressInfo;
  const listeners = listenersOfTest();
  const further = path.join(folderOfTest(), "further");
  await listeners.open(configOf(`${own}:${port}`), log);
  const moved = listeners.open(configOf(`${others}:${port}`, further), log, AbortSignal.abort());
  await expect(moved).rejects.toThrow("EADDRINUSE");
  expect(existsSync(further)).toBe(false);
  expect(await look({ host: own, port })).toBe("open");
});

it("keeps the file of a socket that becomes another kind of listener, also when the change fails", async () => {
  const listeners = listenersOfTest();
  const folder = folderOfTest();
  const file = path.join(folder, "agent.sock");
  const [unix, further] = [configOf(file), configOf(`${ownLoopback()}:0`, file)];
  await listeners.open(unix, log);
  await listeners.open(further, log, AbortSignal.abort());
  listeners.keepOnly(further);
  expect(await look({ path: file })).toBe("open");
  await expect(listeners.open(configOf(file, folder), log, AbortSignal.abort())).rejects.toThrow("is no socket");
  expect(await look({ path: file })).toBe("open");
  await expect.poll(() => listeners.came).toEqual(["further", "further"]);
});
