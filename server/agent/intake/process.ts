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
import type { FromIntake, InnerAddress, IntakeAnswer, IntakeQuestion, IntakeSetup, ToIntake } from "./protocol.ts";

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
  if (message.kind === "connection") {
    send({ kind: "taken" });
    // Node passes no socket when the client disconnected before the socket arrived.
    return socket === undefined ? send({ kind: "closed" }) : httpServers.take(socket);
  }
  send({ kind: "answer", id: message.id, ...(await answerTo(message)) });
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

async function answerTo(question: IntakeQuestion): Promise<IntakeAnswer> {
  switch (question.kind) {
    case "begin":
      return await begin(question.setup);
    case "state":
      intake?.setState(question.state);
      return {};
    case "status":
      return { status: await intake?.status() };
    case "close":
      return await close(question.isReload);
  }
}

async function begin(setup: IntakeSetup): Promise<IntakeAnswer> {
  inner = setup.inner;
  try {
    const sendLog = (level: LogLevel, text: string) => send({ kind: "log", level, message: text });
    intake = await startIntake(setup, httpServers, sendLog);
    return {};
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** Ends the work for an agent. Refuses requests when this process works for no agent. */
async function close(isReload: boolean): Promise<IntakeAnswer> {
  const working = intake;
  if (working === undefined) {
    httpServers.refuse();
    await httpServers.close(closeMs);
    return {};
  }
  await working.close(isReload);
  intake = undefined;
  return { status: await working.status() };
}

function send(message: FromIntake): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {});
}
