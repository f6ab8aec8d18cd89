// The declaration of an input: a protocol through which the agent receives points, or a kind of source from which it
// fetches them itself. Each folder beside this file exports one input; inputs.ts lists them all.

import type { FileHandle } from "node:fs/promises";
import type { Agent } from "../agent.ts";
import type { Converter } from "../ingest/converter.ts";
import type { Route } from "../serving/route.ts";

/** The parts of the agent that an input needs which fetches points itself. */
export type FetchingAgent = Pick<Agent, "config" | "ingest" | "now" | "log" | "metrics">;

/** A resource that an input leaves to the agent of the next configuration. */
export interface KeptPart {
  /** Closes the resource, when no later agent takes it. */
  close(): Promise<void>;
}

/** The places where an input may keep state between runs and over reloads. */
export interface InputHost {
  /** The data folder of the agent. An input keeps its state in a folder of its own there. */
  readonly dataDir: string;
  /** Open files that an input leaves to the agent of the next configuration when it is closed for a reload, by a key. */
  readonly keptFiles: Map<string, FileHandle>;
  /** Sockets and the like that an input leaves to the agent of the next configuration, by a key. */
  readonly keptParts: Map<string, KeptPart>;
  /** Ends the agent in order, for an input whose data has an end. */
  readonly end: () => void;
}

/** An input that fetches points. */
export interface OpenInput {
  /** Stops fetching. Resolves when no more points will be given to ingest, and what was stored is remembered. */
  close(isReload: boolean): Promise<void>;
}

/** A way in which points come to the agent. */
export interface Input {
  /** Name of the input in logs and in the documentation. */
  readonly name: string;
  /** The HTTP routes of this input. */
  readonly routes: readonly Route[];
  /** Converts bodies of this input to points; absent when the bodies are encoded points already. */
  readonly converter?: Converter;
  /**
   * Starts to fetch points, for an input that does so itself. Returns undefined when the configuration does not ask for
   * it. Throws when the input cannot start.
   */
  readonly open?: (agent: FetchingAgent, host: InputHost) => Promise<OpenInput | undefined>;
}
