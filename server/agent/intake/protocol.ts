// The messages between the main process of an agent and its intake processes. An intake process gets connections and
// handles plain writes completely, from the socket to its own queue. It passes all other requests to the main process.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Config } from "../../config/schema.ts";
import type { LogLevel } from "../../telemetry/log.ts";
import type { TransferredMetrics } from "../../telemetry/metrics-transfer.ts";
import type { ExtraTag } from "../ingest/write-request.ts";
import type { QueueStatus } from "../queue-gauges.ts";

/** The listener of the main process for requests from intake processes. */
export interface Inner {
  /** Path of a socket that only this user can reach. */
  readonly path: string;
  /** The folder of the socket. It is removed with the socket. */
  readonly folder: string;
  /** The secret that begins each connection. */
  readonly secret: string;
}

/** Settings that stay the same while the process runs. */
export interface IntakeSetup {
  readonly config: Config;
  readonly hostname: string;
  /** The host name of the listener, for the access rules. */
  readonly listenHost: string;
  /** Folder of the process's queues. */
  readonly folder: string;
  readonly inner: Inner;
  readonly isDebug: boolean;
}

/** Settings that are sent again when they change. */
export interface IntakeState {
  /** Global tags by whether a write asks for election tags and host tags, as in GlobalTags. */
  readonly tags: Readonly<Record<"neither" | "host" | "election" | "both", readonly ExtraTag[]>>;
  readonly shardKeys: readonly string[] | undefined;
  /**
   * Categories whose writes are passed to the main process, because they have filters or need more than this process
   * has.
   */
  readonly handedOn: readonly CategoryName[];
  /** Categories that have scripts. Writes that may need one are passed to the main process. */
  readonly scripted: readonly CategoryName[];
  /** Nanoseconds to add to the clock of this machine. */
  readonly clockOffset: bigint;
}

/** The status of a process, with its counts since the previous status. */
export interface IntakeStatus {
  readonly moved: TransferredMetrics;
  readonly queues: readonly QueueStatus[];
  /** Reasons why the process accepts no points. */
  readonly problems: readonly string[];
  readonly inflightBytes: number;
  readonly cpuMicroseconds: number;
  readonly openFiles: number;
}

/**
 * Messages to an intake process. The process answers `begin` with `ready`; the first `state` follows. The socket comes
 * with `connection`. After `pause`, and after the answer `failed`, the process has only its connections, until the next
 * `begin`.
 */
export type ToIntake =
  | { readonly kind: "begin"; readonly setup: IntakeSetup }
  | { readonly kind: "state"; readonly id: number; readonly state: IntakeState }
  | { readonly kind: "connection" }
  | { readonly kind: "status"; readonly id: number }
  | { readonly kind: "pause"; readonly id: number }
  | { readonly kind: "close"; readonly id: number };

export type FromIntake =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string }
  /** The process has received its next connection, so the main process may release the socket. */
  | { readonly kind: "taken" }
  /** A connection of the process was closed. */
  | { readonly kind: "closed" }
  | { readonly kind: "log"; readonly level: LogLevel; readonly message: string }
  /** The answer to a message with an id. */
  | { readonly kind: "answer"; readonly id: number; readonly status: IntakeStatus | undefined };
