// The entry point of an intake process (a further process that accepts writes). The process ends when the main process
// closes it, and at once when the main process is gone. No points are lost then, because the points of answered writes
// are on disk.

import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import process from "node:process";
import { collectWhenIdle, keepHeapsSmall, limitYoungGeneration } from "../../http/heap.ts";
import type { LogLevel } from "../../telemetry/log.ts";
import { createHttpServers } from "../serving/http-servers.ts";
import { threadUtilization } from "../spare-time.ts";
import { type Intake, startIntake } from "./intake.ts";
import type { FromIntake, InnerAddress, ToIntake } from "./protocol.ts";

const closeMs = 10_000;

keepHeapsSmall();
limitYoungGeneration();
collectWhenIdle(threadUtilization());

// A terminal sends SIGINT, SIGTERM and SIGHUP to all processes of the group. Only the main process reacts to them, and
// then closes this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", orphaned);

const httpServers = createHttpServers(() => send({ kind: "closed" }));
/**
 * The object that processes the writes of this process; undefined while the process is paused and works for no agent.
 */
let intake: Intake | undefined;
let inner: InnerAddress | undefined;

process.on("message", async (message: ToIntake, socket?: Socket) => {
  if (message.kind === "begin") return await begin(message);
  if (message.kind === "connection") {
    send({ kind: "taken" });
    // Node passes no socket when the client disconnected before the socket arrived.
    return socket === undefined ? send({ kind: "closed" }) : httpServers.take(socket);
  }
  const working = intake;
  switch (message.kind) {
    case "state":
      working?.setState(message.state);
      break;
    case "pause":
      intake = undefined;
      await working?.pause();
      break;
    case "close":
      if (working === undefined) {
        httpServers.refuse();
        await httpServers.close(closeMs);
      }
      await working?.close();
      break;
  }
  const status = message.kind === "state" ? undefined : await working?.status();
  send({ kind: "answer", id: message.id, status }, () => {
    if (message.kind === "close") process.exit(0);
  });
});

// The event "disconnect" never comes when the main process has ended before the listener for this event was
// added. So the connection to the main process is checked here once.
if (!process.connected) orphaned();

/**
 * Ends this process because the main process is gone. Also removes the folder of the socket to the main process, which
 * the main process may not have removed.
 */
function orphaned(): never {
  if (inner !== undefined) rmSync(inner.folder, { recursive: true, force: true });
  process.exit(1);
}

async function begin({ setup }: ToIntake & { kind: "begin" }): Promise<void> {
  inner = setup.inner;
  try {
    const sendLog = (level: LogLevel, text: string) => send({ kind: "log", level, message: text });
    intake = await startIntake(setup, httpServers, sendLog);
    send({ kind: "ready" });
  } catch (error) {
    send({ kind: "failed", reason: (error as Error).message });
  }
}

function send(message: FromIntake, then: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, undefined, then);
}
