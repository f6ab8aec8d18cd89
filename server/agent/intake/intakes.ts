// Starts and controls the intake processes (further processes that accept writes). Gives them connections, sends them
// changes of settings, and asks for their status. Restarts a process that dies. No points of answered writes are lost
// then, since they are in the queue of the process.

import { fork } from "node:child_process";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { categories } from "../../../lib/point/index.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { takeAll } from "../../telemetry/metrics-transfer.ts";
import { within } from "../../time/within.ts";
import type { Filters } from "../ingest/filters.ts";
import type { GlobalTags } from "../ingest/global-tags.ts";
import type { Sharding } from "../ingest/sharding.ts";
import { queueFolder } from "../outputs/configured-uploader.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import { intakeFolder } from "./folders.ts";
import { type InnerListener, openInnerListener } from "./inner-listener.ts";
import type {
  FromIntake,
  IntakeAnswer,
  IntakeQuestion,
  IntakeSetup,
  IntakeState,
  IntakeStatus,
  ToIntake,
} from "./protocol.ts";

export interface IntakesOptions {
  /** The configuration for one intake process. Each limit in it is the share of this one process. */
  readonly config: Config;
  /** Number of intake processes (further processes that accept writes), without the main process. */
  readonly count: number;
  /**
   * Intake processes that a previous agent paused. They are used before new ones are started. When the agent closes for
   * a reload, it puts its processes back into this list.
   */
  readonly paused: PausedIntakes;
  readonly hostname: string;
  readonly listenHost: string;
  /** HTTP server of the main process, which answers the requests that intake processes pass on. */
  readonly server: Server;
  readonly isTls: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
  // The remaining members give the settings that may change while the processes run.
  readonly tags: GlobalTags;
  readonly sharding: Sharding | undefined;
  readonly scripts: Scripts;
  readonly filters: Filters;
  readonly clockOffset: () => bigint;
}

/** Intake processes that wait for an agent. Requests on their connections wait, too. */
export type PausedIntakes = IntakeProcess[];

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const script = fileURLToPath(new URL(`./process.${extension}`, import.meta.url));
const answerMs = 2000;
const closeMs = 20_000;
const againMs = 1000;

/**
 * Starts the intake processes. Resolves when all of them accept connections; rejects when one of them does not start.
 */
export async function openIntakes(options: IntakesOptions): Promise<Intakes> {
  const intakes = new Intakes(options, await openInnerListener(options.server, options.isTls));
  await intakes.startAll();
  return intakes;
}

/** The intake processes of one agent (further processes that accept writes). Each has a folder for its queues. */
export class Intakes {
  private readonly options: IntakesOptions;
  private readonly innerListener: InnerListener;
  /** The processes that run, by number. The first number is 2, since the main process is number 1. */
  private readonly running = new Map<number, IntakeProcess>();
  private isClosing = false;

  constructor(options: IntakesOptions, innerListener: InnerListener) {
    this.options = options;
    this.innerListener = innerListener;
  }

  /** Starts all processes. When one of them does not start, pauses the others and rejects. */
  async startAll(): Promise<void> {
    const { count, paused } = this.options;
    const starts = await Promise.allSettled(Array.from({ length: count }, (_, at) => this.start(at + 2)));
    const failed = starts.find(({ status }) => status === "rejected");
    if (failed !== undefined) {
      await this.close(true);
      throw (failed as PromiseRejectedResult).reason;
    }
    await endPaused(paused);
  }

  /**
   * Gives a new connection, from which nothing was read, to the intake process with the fewest connections. Does so
   * only when that process has fewer connections than the main process. `own`: number of connections of the main
   * process. Returns whether the connection was given away.
   */
  take(socket: Socket, own: number): boolean {
    if (this.isClosing) return false;
    let least: IntakeProcess | undefined;
    for (const each of this.running.values()) if (each.connections < (least?.connections ?? own)) least = each;
    least?.give(socket);
    return least !== undefined;
  }

  /** Sends the current settings to all intake processes. Resolves when all of them apply these settings. */
  async broadcast(): Promise<void> {
    await this.askAll({ kind: "state", state: stateOf(this.options) });
  }

  /** Asks all intake processes for their status. Returns the status of each process that answers. */
  async status(): Promise<readonly IntakeStatus[]> {
    const answers = await this.askAll({ kind: "status" });
    return answers.map(({ status }) => status).filter((status) => status !== undefined);
  }

  /**
   * Ends the intake processes. With `isReload`, closes everything in them except their connections. The processes then
   * wait for the next agent, which starts after a reload of the configuration.
   */
  async close(isReload: boolean): Promise<void> {
    this.isClosing = true;
    await Promise.all(
      Array.from(this.running, async ([number, intake]) => {
        const { status } = await intake.ask({ kind: "close", isReload }, closeMs);
        this.running.delete(number);
        if (status !== undefined) this.addCounts(status);
        if (!isReload || status === undefined) return await intake.end();
        intake.detach();
        this.options.paused.push(intake);
      }),
    );
    this.innerListener.close();
  }

  private askAll(question: IntakeQuestion): Promise<IntakeAnswer[]> {
    return Promise.all(Array.from(this.running.values(), (each) => each.ask(question, answerMs)));
  }

  /** Adds the counts of an intake process to the metrics of the agent. */
  private addCounts({ moved }: IntakeStatus): void {
    takeAll(this.options.metrics.movable, moved);
  }

  /** Starts the intake process with this number, or takes over a paused process in its place. */
  private async start(number: number): Promise<void> {
    const { config, paused, hostname, listenHost, log } = this.options;
    const folder = intakeFolder(queueFolder(config), number);
    const setup = { config, hostname, listenHost, folder, inner: this.innerListener.inner, isDebug: log.isDebug };
    const intake = takeIdle(paused) ?? new IntakeProcess();
    try {
      await intake.begin(setup, {
        log,
        onLateStatus: (status) => this.addCounts(status),
        onEnd: (reason) => this.ended(number, intake, reason),
      });
    } catch (error) {
      intake.detach();
      paused.push(intake);
      throw error;
    }
    // The settings are sent to the intake process before any request. From now on, the process also gets every change
    // of the settings.
    void intake.ask({ kind: "state", state: stateOf(this.options) }, answerMs);
    this.running.set(number, intake);
    if (this.isClosing) void intake.end();
  }

  private ended(number: number, intake: IntakeProcess, reason: string): void {
    if (this.running.get(number) !== intake) return;
    this.running.delete(number);
    if (this.isClosing) return;
    this.options.metrics.workerCrashes.inc();
    this.options.log.error(`intake process ${number} died and is started again: ${reason}`);
    void this.restart(number);
  }

  private async restart(number: number): Promise<void> {
    while (!this.isClosing) {
      try {
        return await this.start(number);
      } catch (error) {
        this.options.log.error(`intake process ${number} does not start: ${(error as Error).message}`);
        await new Promise((resolve) => setTimeout(resolve, againMs).unref());
      }
    }
  }
}

function stateOf({ tags, sharding, scripts, filters, clockOffset }: IntakesOptions): IntakeState {
  return {
    tags: {
      neither: tags.forWrite(false, false),
      host: tags.forWrite(false, true),
      election: tags.forWrite(true, false),
      both: tags.forWrite(true, true),
    },
    shardKeys: sharding?.keys(),
    handedOn: categories.filter((category) => category === "rum" || (filters.sources[category]?.length ?? 0) > 0),
    scripted: categories.filter((category) => scripts.hasAny(category)),
    clockOffset: clockOffset(),
  };
}

/** Removes and returns a paused process that still runs; undefined when there is none. */
function takeIdle(paused: PausedIntakes): IntakeProcess | undefined {
  for (let each = paused.shift(); each !== undefined; each = paused.shift()) if (!each.hasEnded) return each;
  return undefined;
}

/** Ends paused intake processes that no agent needs. Requests that wait in these processes are refused. */
export async function endPaused(paused: PausedIntakes): Promise<void> {
  await Promise.all(
    paused.splice(0).map(async (each) => {
      if (!each.hasEnded) await each.ask({ kind: "close", isReload: false }, closeMs);
      await each.end();
    }),
  );
}

/** Functions of the agent that handle the messages of an intake process (a further process that accepts writes). */
interface IntakeListener {
  readonly log: Log;
  /** Called with a status that arrives after the agent has stopped waiting for it. */
  onLateStatus(status: IntakeStatus): void;
  onEnd(reason: string): void;
}

/** The main process's side of one intake process (a further process that accepts writes). Starts the process. */
class IntakeProcess {
  hasEnded = false;
  /** Number of open connections that the main process has given to this intake process. */
  connections = 0;
  private readonly child = fork(script, { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
  private readonly ended: Promise<void>;
  /** The functions that take the answers to questions, by the id of the question. */
  private readonly asked = new Map<number, (answer: IntakeAnswer) => void>();
  private lastId = 0;
  /**
   * Connections that were sent to the intake process but not confirmed by it, in the order of sending. The main process
   * keeps its copy of each connection open until the confirmation. When the intake process dies before it has received
   * a connection, Node does not close that connection, so the main process does.
   */
  private readonly onTheWay: Socket[] = [];
  /** The functions that handle the process's messages; undefined while the process is paused. */
  private listener: IntakeListener | undefined;

  constructor() {
    this.child.on("message", (message: FromIntake) => this.handle(message));
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.handleEnd(reason);
        resolve();
      };
      this.child.once("exit", (code, signal) => end(signal === null ? `exit code ${code}` : signal));
      this.child.once("error", (error) => end(error.message));
    });
  }

  /** Starts to process writes in the intake process. When this function rejects, it may be called again. */
  async begin(setup: IntakeSetup, listener: IntakeListener): Promise<void> {
    this.listener = listener;
    const { failure } = await this.ask({ kind: "begin", setup });
    if (failure !== undefined) throw new Error(failure);
  }

  /** Stops passing messages of the intake process to the agent, until `begin` is called again. */
  detach(): void {
    this.listener = undefined;
  }

  give(socket: Socket): void {
    this.connections++;
    this.onTheWay.push(socket);
    this.send({ kind: "connection" }, socket);
  }

  /**
   * Asks the intake process a question. The answer is empty when the process does not answer within `ms` milliseconds;
   * without `ms` there is no time limit. When the process ends, the answer is a failure.
   */
  async ask(question: IntakeQuestion, ms?: number): Promise<IntakeAnswer> {
    const id = ++this.lastId;
    const answered = new Promise<IntakeAnswer>((resolve) => this.asked.set(id, resolve));
    this.send({ ...question, id });
    const answer = ms === undefined ? await answered : await within(answered, ms);
    this.asked.delete(id);
    return answer ?? {};
  }

  /** Kills the process. Resolves when it has ended. */
  async end(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  private handle(message: FromIntake): void {
    if (message.kind === "taken") this.onTheWay.shift()?.destroy();
    else if (message.kind === "closed") this.connections--;
    else if (message.kind === "log") this.listener?.log[message.level](message.message);
    else {
      const answer = this.asked.get(message.id);
      if (answer !== undefined) answer(message);
      else if (message.status !== undefined) this.listener?.onLateStatus(message.status);
    }
  }

  private handleEnd(reason: string): void {
    this.hasEnded = true;
    for (const socket of this.onTheWay) socket.destroy();
    for (const answer of this.asked.values()) answer({ failure: reason });
    this.asked.clear();
    this.listener?.onEnd(reason);
  }

  /**
   * Sends a message to the intake process. Does nothing when the process has ended. (Other code handles the end of the
   * process.)
   */
  private send(message: ToIntake, socket?: Socket): void {
    if (this.child.connected) this.child.send(message, socket, { keepOpen: true }, () => {});
  }
}
