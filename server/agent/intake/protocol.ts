// The messages between the main process of an agent and its intake processes (further processes that accept writes). An
// intake process gets connections. It handles plain writes (which need no script and no filter) completely, from the
// socket to its own queue, and passes all other requests to the main process.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Config } from "../../config/schema.ts";
import type { LogLevel } from "../../telemetry/log.ts";
import type { TransferredMetrics } from "../../telemetry/metrics-transfer.ts";
import type { ExtraTag } from "../ingest/write-request.ts";
import type { QueueStatus } from "../queue-gauges.ts";

/** The address and secret of the listener through which the main process gets requests from intake processes. */
export interface InnerAddress {
  /** Path of the Unix socket, which only the operating-system user of the agent can reach. */
  readonly path: string;
  /** Folder that contains the socket. The folder is removed together with the socket. */
  readonly folder: string;
  /** The secret that each connection to the socket must begin with. */
  readonly secret: string;
}

/** Settings that stay the same while an intake process (a further process that accepts writes) works for an agent. */
export interface IntakeSetup {
  readonly config: Config;
  readonly hostname: string;
  /** Host name of the agent's listener, which the access rules need. */
  readonly listenHost: string;
  /** Folder for the queues of the intake process (a further process that accepts writes). */
  readonly folder: string;
  readonly inner: InnerAddress;
  readonly isDebug: boolean;
}

/** Settings that the main process sends again whenever they change. */
export interface IntakeState {
  /**
   * The global tags that a write's points get, for each of the four cases: the write asks for the host tags, for the
   * election tags, for both or for neither of these two sets of global tags.
   */
  readonly tags: Readonly<Record<"neither" | "host" | "election" | "both", readonly ExtraTag[]>>;
  readonly shardKeys: readonly string[] | undefined;
  /**
   * Categories whose writes the intake process passes to the main process, because they have filters or need components
   * that the intake process does not have.
   */
  readonly handedOn: readonly CategoryName[];
  /** Categories that have scripts. The intake process passes writes that may need a script to the main process. */
  readonly scripted: readonly CategoryName[];
  /**
   * Nanoseconds to add to the clock of this machine to get the time that the agent uses. The agent uses the gateway's
   * time when the clocks of both machines differ much.
   */
  readonly clockOffset: bigint;
}

/**
 * The status of an intake process (a further process that accepts writes). Its metrics are the changes since the
 * previous status.
 */
export interface IntakeStatus {
  readonly moved: TransferredMetrics;
  readonly queues: readonly QueueStatus[];
  /** Reasons why the intake process accepts no points at the moment. */
  readonly problems: readonly string[];
  readonly inflightBytes: number;
  readonly cpuMicroseconds: number;
  readonly openFiles: number;
}

/**
 * Messages to an intake process that it answers. `begin` starts the work for an agent; the first `state` is sent after
 * the answer to it. `close` ends the work. After a `close` with `isReload`, or when `begin` failed, the process keeps
 * only its connections and waits for the next `begin`.
 */
export type IntakeQuestion =
  | { readonly kind: "begin"; readonly setup: IntakeSetup }
  | { readonly kind: "state"; readonly state: IntakeState }
  | { readonly kind: "status" }
  | { readonly kind: "close"; readonly isReload: boolean };

/** The answer of an intake process (a further process that accepts writes) to a question. */
export interface IntakeAnswer {
  /** The answer to `status` and `close`; absent when the process works for no agent. */
  readonly status?: IntakeStatus;
  /** Reason why the intake process could not do what it was asked. */
  readonly failure?: string;
}

/** Messages to an intake process. `connection` carries a socket. */
export type ToIntake = { readonly kind: "connection" } | (IntakeQuestion & { readonly id: number });

export type FromIntake =
  /**
   * Says that the intake process has received the oldest connection that it had not confirmed yet. The main
   * process may then release its copy of the socket.
   */
  | { readonly kind: "taken" }
  /** Says that one connection of the intake process was closed. */
  | { readonly kind: "closed" }
  | { readonly kind: "log"; readonly level: LogLevel; readonly message: string }
  | (IntakeAnswer & { readonly kind: "answer"; readonly id: number });
