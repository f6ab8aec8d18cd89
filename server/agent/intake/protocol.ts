// What the main process of an agent and its intake processes say to each other. An intake process is given
// connections and takes plain writes whole, from the socket to a queue of its own; everything else it hands on.

import type { CategoryName } from "../../../lib/point/category.ts";
import type { Config } from "../../config/schema.ts";
import type { LogLevel } from "../../telemetry/log.ts";
import type { TransferredMetrics } from "../../telemetry/metrics-transfer.ts";
import type { ExtraTag } from "../ingest/write-request.ts";
import type { QueueStatus } from "../queue-gauges.ts";

/** Where requests are handed on to the main process. */
export interface Inner {
  /** Of a socket that only this user reaches. */
  readonly path: string;
  /** That it is in, removed with it. */
  readonly folder: string;
  /** Said first on each connection. */
  readonly secret: string;
}

/** What stays as it is while the process runs. */
export interface IntakeSetup {
  readonly config: Config;
  readonly hostname: string;
  /** The host name of the listener, for the access rules. */
  readonly listenHost: string;
  /** Folder of its queues. */
  readonly folder: string;
  readonly inner: Inner;
  readonly isDebug: boolean;
}

/** What is sent anew when it changes. */
export interface IntakeState {
  /** By whether election tags and host tags are asked for, as in GlobalTags. */
  readonly tags: Readonly<Record<"neither" | "host" | "election" | "both", readonly ExtraTag[]>>;
  readonly shardKeys: readonly string[] | undefined;
  /** Categories whose points filters look at, or that need more than the process has: their writes are handed on. */
  readonly handedOn: readonly CategoryName[];
  /** Categories that have scripts: writes that may be for one of them are handed on. */
  readonly scripted: readonly CategoryName[];
  /** To be added to the clock of this machine, nanoseconds. */
  readonly clockOffset: bigint;
}

/** What a process holds, and what it has counted since it was asked last. */
export interface IntakeStatus {
  readonly moved: TransferredMetrics;
  readonly queues: readonly QueueStatus[];
  /** Why it takes no points now. */
  readonly problems: readonly string[];
  readonly inflightBytes: number;
  readonly cpuMicroseconds: number;
  readonly openFiles: number;
}

/**
 * `begin` is answered by `ready`, and followed by the first `state`. The socket comes with `connection`. After `rest`, and when it is
 * `failed` to begin, the process has nothing but its connections, until the next `begin`.
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
  /** The next connection that it was given has come: the main process may let it go. */
  | { readonly kind: "taken" }
  /** A connection that it was given. */
  | { readonly kind: "closed" }
  | { readonly kind: "log"; readonly level: LogLevel; readonly message: string }
  /** To each message with an id. */
  | { readonly kind: "answer"; readonly id: number; readonly status: IntakeStatus | undefined };
