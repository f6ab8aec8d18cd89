// Starts and controls the intake processes (further processes that accept writes). Gives them connections, sends them
// changes of settings, and asks for their status. Restarts a process that dies. No points of answered writes are lost
// then, since they are in the queue of the process.

import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Log } from "../../telemetry/log.ts";
import { within } from "../../time/within.ts";
import type { FromIntake, IntakeSetup, IntakeState, IntakeStatus, ToIntake } from "./protocol.ts";

export interface Intakes {
  /**
   * Gives a new connection, from which nothing was read, to the intake process with the fewest connections. Does so
   * only when that process has fewer connections than the main process. `own`: number of connections of the main
   * process. Returns whether the connection was given away.
   */
  take(socket: Socket, own: number): boolean;
  /** Sends the current settings to all intake processes. Resolves when all of them apply these settings. */
  broadcast(): Promise<void>;
  /** Asks all intake processes for their status. Returns the status of each process that answers. */
  status(): Promise<readonly IntakeStatus[]>;
  close(): Promise<void>;
  /**
   * Closes everything in the intake processes except their connections. The processes then wait for the next agent,
   * which starts after a reload of the configuration.
   */
  pause(): Promise<void>;
}

/** Intake processes that wait for an agent. Requests on their connections wait, too. */
export type PausedIntakes = Running[];

export interface IntakesOptions {
  /**
   * Intake processes that a previous agent paused. They are used before new ones are started. A later pause puts
   * processes back into this list.
   */
  readonly paused: PausedIntakes;
  /** Folders for the queues of the intake processes (further processes that accept writes), one for each process. */
  readonly folders: readonly string[];
  readonly setup: Omit<IntakeSetup, "folder">;
  readonly state: () => IntakeState;
  readonly log: Log;
  readonly onCrash: () => void;
  /**
   * Called with the last status of an intake process that closes, and with a status that arrived after the agent had
   * stopped waiting for it. The function must add the counts in the status to the agent's metrics.
   */
  readonly onLastStatus: (status: IntakeStatus) => void;
  /** Called when all intake processes are closed or paused, also when one of them did not start. */
  readonly onEnd: () => void;
}

export const noIntakes: Intakes = {
  take: () => false,
  broadcast: async () => {},
  status: async () => [],
  close: async () => {},
  pause: async () => {},
};

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const script = fileURLToPath(new URL(`./process.${extension}`, import.meta.url));
const answerMs = 2000;
const closeMs = 20_000;
const againMs = 1000;

type Asking = { kind: "state"; state: IntakeState } | { kind: "status" } | { kind: "pause" } | { kind: "close" };

/** Functions of the agent that handle the messages of an intake process (a further process that accepts writes). */
interface IntakeListener {
  readonly log: Log;
  readonly onLastStatus: (status: IntakeStatus) => void;
  onEnd(reason: string): void;
}

interface Running {
  /** Starts to process writes in the intake process. When this function rejects, it may be called again. */
  begin(setup: IntakeSetup, listener: IntakeListener): Promise<void>;
  /** Stops passing messages of the intake process to the agent, until `begin` is called again. */
  detach(): void;
  readonly hasEnded: boolean;
  /** Number of open connections that the main process has given to this intake process. */
  readonly connections: number;
  give(socket: Socket): void;
  ask(asked: Asking, ms: number): Promise<IntakeStatus | undefined>;
  readonly ended: Promise<void>;
  kill(): void;
}

/**
 * Starts the intake processes. Resolves when all of them accept connections; rejects when one of them does not start.
 */
export async function startIntakes(options: IntakesOptions): Promise<Intakes> {
  const intakes = new IntakeProcesses(options);
  await intakes.startAll();
  return intakes;
}

/**
 * The intake processes of one agent (further processes that accept writes). There is one process for each
 * folder in `options.folders`; the folder contains the queue of the process. The public methods are
 * explained in the interface `Intakes`.
 */
class IntakeProcesses implements Intakes {
  private readonly options: IntakesOptions;
  private readonly running: (Running | undefined)[];
  private isClosing = false;

  constructor(options: IntakesOptions) {
    this.options = options;
    this.running = options.folders.map(() => undefined);
  }

  /** Starts all processes. When one of them does not start, pauses the others and rejects. */
  async startAll(): Promise<void> {
    const { folders, paused } = this.options;
    const starts = await Promise.allSettled(folders.map((_, at) => this.start(at)));
    const failed = starts.find(({ status }) => status === "rejected");
    if (failed !== undefined) {
      await this.pause();
      throw (failed as PromiseRejectedResult).reason;
    }
    await endPaused(paused);
  }

  take(socket: Socket, own: number): boolean {
    if (this.isClosing) return false;
    let least: Running | undefined;
    for (const each of this.alive()) if (each.connections < (least?.connections ?? own)) least = each;
    least?.give(socket);
    return least !== undefined;
  }

  async broadcast(): Promise<void> {
    const { state } = this.options;
    await Promise.all(this.alive().map((each) => each.ask({ kind: "state", state: state() }, answerMs)));
  }

  async status(): Promise<readonly IntakeStatus[]> {
    const statuses = await Promise.all(this.alive().map((each) => each.ask({ kind: "status" }, answerMs)));
    return statuses.filter((status) => status !== undefined);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all(
      this.alive().map(async (each) => {
        const status = await each.ask({ kind: "close" }, closeMs);
        if (status !== undefined) this.options.onLastStatus(status);
        await end(each);
      }),
    );
    this.options.onEnd();
  }

  async pause(): Promise<void> {
    this.isClosing = true;
    const { paused, onLastStatus, onEnd } = this.options;
    await Promise.all(
      this.running.map(async (each, at) => {
        const status = await each?.ask({ kind: "pause" }, closeMs);
        if (each === undefined) return;
        this.running[at] = undefined;
        if (status === undefined) return await end(each);
        onLastStatus(status);
        each.detach();
        paused.push(each);
      }),
    );
    onEnd();
  }

  private alive(): Running[] {
    return this.running.filter((each) => each !== undefined);
  }

  /** Starts the intake process with the index `at`, or takes over a paused process in its place. */
  private async start(at: number): Promise<void> {
    const { paused, folders, setup, state, log, onLastStatus } = this.options;
    const intake = takeIdle(paused) ?? forkOne();
    const onEnd = (reason: string) => this.ended(at, intake, reason);
    try {
      await intake.begin({ ...setup, folder: folders[at]! }, { log, onLastStatus, onEnd });
    } catch (error) {
      intake.detach();
      paused.push(intake);
      throw error;
    }
    // The settings are sent to the intake process before any request. From now on, the process also gets every change
    // of the settings.
    void intake.ask({ kind: "state", state: state() }, answerMs);
    this.running[at] = intake;
    if (this.isClosing) intake.kill();
  }

  private ended(at: number, intake: Running, reason: string): void {
    if (this.running[at] !== intake) return;
    this.running[at] = undefined;
    if (this.isClosing) return;
    this.options.onCrash();
    this.options.log.error(`intake process ${at + 2} died and is started again: ${reason}`);
    void this.restart(at);
  }

  private async restart(at: number): Promise<void> {
    while (!this.isClosing) {
      try {
        return await this.start(at);
      } catch (error) {
        this.options.log.error(`intake process ${at + 2} does not start: ${(error as Error).message}`);
        await new Promise((resolve) => setTimeout(resolve, againMs).unref());
      }
    }
  }
}

/** Removes and returns a paused process that still runs; undefined when there is none. */
function takeIdle(paused: PausedIntakes): Running | undefined {
  for (let each = paused.shift(); each !== undefined; each = paused.shift()) if (!each.hasEnded) return each;
  return undefined;
}

/** Ends paused intake processes that no agent needs. Requests that wait in these processes are refused. */
export async function endPaused(paused: PausedIntakes): Promise<void> {
  await Promise.all(
    paused.splice(0).map(async (each) => {
      if (!each.hasEnded) await each.ask({ kind: "close" }, closeMs);
      await end(each);
    }),
  );
}

async function end(each: Running): Promise<void> {
  each.kill();
  await each.ended;
}

function forkOne(): Running {
  const child = fork(script, { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const asked = new Map<number, (status: IntakeStatus | undefined) => void>();
  let count = 0;
  let connections = 0;
  // Connections that were sent to the intake process but not confirmed by it, in the order of sending. The main
  // process keeps its copy of each connection open until the confirmation. When the intake process dies before it
  // has received a connection, Node does not close that connection, so the main process does.
  const onTheWay: Socket[] = [];
  /** The functions that handle the process's messages; undefined while the process is paused. */
  let listener: IntakeListener | undefined;
  let begun = { resolve: () => {}, reject: (_error: Error) => {} };
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = (reason: string) => {
      hasEnded = true;
      for (const socket of onTheWay) socket.destroy();
      for (const answer of asked.values()) answer(undefined);
      asked.clear();
      begun.reject(new Error(reason));
      listener?.onEnd(reason);
      resolve();
    };
    child.once("exit", (code, signal) => end(signal === null ? `exit code ${code}` : signal));
    child.once("error", (error) => end(error.message));
  });
  const kill = () => child.kill("SIGKILL");
  child.on("message", (message: FromIntake) => {
    if (message.kind === "taken") onTheWay.shift()?.destroy();
    else if (message.kind === "closed") connections--;
    else if (message.kind === "log") listener?.log[message.level](message.message);
    else if (message.kind === "ready") begun.resolve();
    else if (message.kind === "failed") begun.reject(new Error(message.reason));
    else {
      const answer = asked.get(message.id);
      if (answer !== undefined) answer(message.status);
      else if (message.status !== undefined) listener?.onLastStatus(message.status);
    }
  });

  return {
    begin: (setup, next) => {
      listener = next;
      return new Promise((resolve, reject) => {
        begun = { resolve, reject };
        send(child, { kind: "begin", setup });
      });
    },
    detach: () => {
      listener = undefined;
    },
    get hasEnded() {
      return hasEnded;
    },
    get connections() {
      return connections;
    },
    give: (socket) => {
      connections++;
      onTheWay.push(socket);
      send(child, { kind: "connection" }, socket);
    },
    ask: async (message, ms) => {
      const id = ++count;
      const answered = new Promise<IntakeStatus | undefined>((resolve) => asked.set(id, resolve));
      send(child, { ...message, id });
      const status = await within(answered, ms);
      asked.delete(id);
      return status;
    },
    ended,
    kill,
  };
}

/**
 * Sends a message to the intake process. Does nothing when the process has ended. (Other code handles the end of the
 * process.)
 */
function send(child: ChildProcess, message: ToIntake, socket?: Socket): void {
  if (child.connected) child.send(message, socket, { keepOpen: true }, () => {});
}
