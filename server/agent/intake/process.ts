// An intake process, from its first message to its last. It ends when the main process closes it, and at once when that is
// gone: what it has answered is on disk.

import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import process from "node:process";
import { letHeapsGrow } from "../../http/heap.ts";
import type { LogLevel } from "../../telemetry/log.ts";
import { createHttpServers } from "../serving/http-servers.ts";
import { type Intake, startIntake } from "./intake.ts";
import type { FromIntake, Inner, ToIntake } from "./protocol.ts";

const closeMs = 10_000;

letHeapsGrow();

// What a terminal sends to the whole group is the main process's to obey.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", orphaned);

const httpServers = createHttpServers(() => say({ kind: "closed" }));
/** Undefined while there is no agent that it works for. */
let intake: Intake | undefined;
let inner: Inner | undefined;

process.on("message", async (message: ToIntake, socket?: Socket) => {
  if (message.kind === "begin") return await begin(message);
  if (message.kind === "connection") {
    say({ kind: "taken" });
    // Its client may have left on the way.
    return socket === undefined ? say({ kind: "closed" }) : httpServers.take(socket);
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
  say({ kind: "answer", id: message.id, status }, () => {
    if (message.kind === "close") process.exit(0);
  });
});

// It may have gone before anybody listened to that.
if (!process.connected) orphaned();

/** The main process is gone, and may have left without removing what it had made for this one. */
function orphaned(): never {
  if (inner !== undefined) rmSync(inner.folder, { recursive: true, force: true });
  process.exit(1);
}

async function begin({ setup }: ToIntake & { kind: "begin" }): Promise<void> {
  inner = setup.inner;
  try {
    const tell = (level: LogLevel, text: string) => say({ kind: "log", level, message: text });
    intake = await startIntake(setup, httpServers, tell);
    say({ kind: "ready" });
  } catch (error) {
    say({ kind: "failed", reason: (error as Error).message });
  }
}

function say(message: FromIntake, then: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, undefined, then);
}
