// The declaration of an input: a protocol through which clients send points to the agent, or a source (such as files)
// from which the agent itself reads points. Each folder beside this file exports one input; inputs.ts lists all inputs.

import type { FileHandle } from "node:fs/promises";
import type { Agent } from "../agent.ts";
import type { Converter } from "../ingest/converter.ts";
import type { Route } from "../serving/route.ts";

/** The parts of the agent that an input needs to read points from a source. */
export type FetchingAgent = Pick<Agent, "config" | "ingest" | "now" | "log" | "metrics" | "tags"> & ServingAgent;

/** The parts of the agent that an input needs to accept requests at its own port. */
export type ServingAgent = Pick<Agent, "admission" | "budget" | "inputs">;

/**
 * A resource, such as a socket, that an input keeps open during a reload of the configuration. The agent that starts
 * with the new configuration takes over the resource.
 */
export interface KeptPart {
  /**
   * Closes the resource. Called when the agent that starts with the new configuration does not take over the resource.
   */
  close(): Promise<void>;
}

/**
 * The places where an input may keep its state while the agent is stopped or reloads its configuration, and a function
 * that ends the agent.
 */
export interface InputHost {
  /** The data folder of the agent. An input that keeps state creates its own folder there. */
  readonly dataDir: string;
  /**
   * Files that stay open when the configuration is reloaded, so that the same input of the new configuration can take
   * them over. The input chooses the key under which each file is kept.
   */
  readonly keptFiles: Map<string, FileHandle>;
  /**
   * Sockets and other resources that stay open when the configuration is reloaded, so that the same input of the new
   * configuration can take them over. The input chooses the key under which each resource is kept.
   */
  readonly keptParts: Map<string, KeptPart>;
  /**
   * Shuts the agent down after it has sent the points that were read. Called by an input whose data has an end, such as
   * standard input.
   */
  readonly end: () => void;
}

/** A running input that reads points from a source. */
export interface OpenInput {
  /**
   * Stops reading. Resolves when the input has passed on its last points and has saved the position up to which
   * its data is stored.
   */
  close(isReload: boolean): Promise<void>;
}

/** An input: code through which points come to the agent, from clients or from a source. */
export interface Input {
  /** Name by which logs and documentation call the input. */
  readonly name: string;
  /** The HTTP routes of this input. */
  readonly routes: readonly Route[];
  /** Converts bodies of this input to points; absent when the bodies are encoded points already. */
  readonly converter?: Converter;
  /**
   * Starts to read points from a source; absent for an input that only receives points over HTTP. Returns undefined
   * when the configuration does not use the input. Throws when the input cannot start.
   */
  readonly open?: (agent: FetchingAgent, host: InputHost) => Promise<OpenInput | undefined>;
}
