// The declaration of an input: a protocol through which the agent receives points, or a kind of source from which it
// fetches them itself. Each folder beside this file exports one input; inputs.ts lists them all.

import type { FileHandle } from "node:fs/promises";
import type { Agent } from "../agent.ts";
import type { Converter } from "../ingest/converter.ts";
import type { Route } from "../serving/route.ts";

/** The parts of the agent that are needed by an input that fetches points itself. */
export type FetchingAgent = Pick<Agent, "config" | "ingest" | "now" | "log" | "metrics"> & ServingAgent;

/** The parts of the agent that are needed by an input that takes requests at a port of its own. */
export type ServingAgent = Pick<Agent, "admission" | "budget" | "inputs">;

/** A resource that an input leaves to the agent of the next configuration. */
export interface KeptPart {
  /** Closes the resource, when no later agent takes it. */
  close(): Promise<void>;
}

/** The places where an input may keep its state while the agent is stopped or reloads its configuration. */
export interface InputHost {
  /** The data folder of the agent. An input that keeps state has its own folder in it. */
  readonly dataDir: string;
  /**
   * Files that an input leaves open when the configuration is reloaded, for the agent of the new configuration; by a
   * key.
   */
  readonly keptFiles: Map<string, FileHandle>;
  /** Sockets and the like that an input leaves to the agent of the next configuration, by a key. */
  readonly keptParts: Map<string, KeptPart>;
  /** Ends the agent in order, for an input whose data has an end. */
  readonly end: () => void;
}

/** A running input that fetches points. */
export interface OpenInput {
  /**
   * Stops fetching. Resolves when the input gives no more points to ingest, and has saved which data is already stored.
   */
  close(isReload: boolean): Promise<void>;
}

/** An input: a way in which points come to the agent. */
export interface Input {
  /** Name of the input in logs and in the documentation. */
  readonly name: string;
  /** The HTTP routes of this input. */
  readonly routes: readonly Route[];
  /** Converts bodies of this input to points; absent when the bodies are encoded points already. */
  readonly converter?: Converter;
  /**
   * Starts to fetch points; absent for an input that only receives them. Returns undefined when the configuration does
   * not use the input. Throws when the input cannot start.
   */
  readonly open?: (agent: FetchingAgent, host: InputHost) => Promise<OpenInput | undefined>;
}
