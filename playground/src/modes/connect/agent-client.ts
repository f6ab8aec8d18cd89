// The requests of the page to the agent that serves it. The answers are described in docs/reference/agent.md.

import type { CategoryName } from "../../../../lib/index.ts";
import { t } from "../../text/translate.ts";
import type { EntryText } from "../../worker/protocol.ts";

export interface ScriptPlace {
  readonly file: string;
  readonly ln: number;
  readonly col: number;
}

export interface ScriptFault {
  readonly error: string;
  readonly places?: readonly ScriptPlace[];
}

/** A script of the agent. `in_force` says which version of the script the agent runs. */
export interface AgentScript {
  readonly category: CategoryName;
  readonly name: string;
  readonly origin: "gateway" | "local" | "ready";
  readonly content: string;
  readonly in_force: "this" | "older" | "none" | "gateway" | "soon";
  readonly errors: readonly ScriptFault[];
  readonly previous?: "version" | "no file";
  readonly points: number;
  readonly dropped: number;
  readonly failed: number;
}

export interface AgentState {
  readonly version: string;
  readonly host: string;
  readonly may_save: boolean;
  readonly live_points: boolean;
  /** Origins (scheme, host and port) of further agents that the page may connect to. */
  readonly agents: readonly string[];
  readonly scripts: readonly AgentScript[];
}

export interface SaveAnswer {
  readonly saved: boolean;
  readonly errors: readonly (ScriptFault & { readonly category: CategoryName; readonly name: string })[];
}

/** A point of the agent as plain data; `time` in nanoseconds since 1970. */
export interface LivePointText {
  readonly name: string;
  readonly time: string;
  readonly entries: readonly EntryText[];
  readonly left_out?: number;
}

export interface LivePoint {
  readonly number: number;
  /** Time in milliseconds since 1970 at which the agent took the sample. */
  readonly at: number;
  readonly category: CategoryName;
  /**
   * File name of the script; empty when no script ran, or when the agent chose the script of each point by the point's
   * name.
   */
  readonly script: string;
  readonly dropped: boolean;
  /** Number of points that the script created while it ran on this point. */
  readonly created: number;
  readonly error?: string;
  readonly before: LivePointText;
  readonly after: LivePointText | null;
}

export interface LiveAnswer {
  readonly last: number;
  readonly missed: number;
  readonly points: readonly LivePoint[];
}

export interface ChangedScript {
  readonly category: CategoryName;
  readonly name: string;
  readonly content: string;
  /**
   * The text of the agent's file as the page shows it; null when the agent has no such file. When the agent's file has
   * another text at the time of the save, the agent refuses to replace it.
   */
  readonly present: string | null;
}

/** Thrown when the agent refuses a request or cannot be reached. The message is for the user. */
export class AgentError extends Error {}

const scriptsPath = "/v1/pipeline/scripts";
/** Origin (scheme, host and port) of the agent that gets the requests; empty for the agent that serves the page. */
let origin = "";

/**
 * Sends all further requests to the agent with this origin (scheme, host and port); empty for the agent that serves the
 * page.
 */
export function useAgent(next: string): void {
  origin = next;
}

export function fetchState(): Promise<AgentState> {
  return ask<AgentState>(scriptsPath);
}

export function checkScript(script: ChangedScript): Promise<SaveAnswer> {
  return ask<SaveAnswer>(scriptsPath, { ...script, check_only: true });
}

export function saveScript(script: ChangedScript): Promise<SaveAnswer> {
  return ask<SaveAnswer>(scriptsPath, script);
}

export function goBack(script: Omit<ChangedScript, "content">): Promise<SaveAnswer> {
  return ask<SaveAnswer>(`${scriptsPath}/back`, script);
}

/**
 * Requests the live points whose numbers are larger than `after`. The agent answers when it has such points, or after
 * about ten seconds.
 */
export function fetchLive(after: number, category: string, signal: AbortSignal): Promise<LiveAnswer> {
  return ask<LiveAnswer>("/v1/pipeline/live", { after, category, seconds: 20, wait_ms: 10_000 }, signal);
}

/** Runs scripts on the agent over points in PBJSON. Returns the answer as text, since its integers may exceed 2^53. */
export async function debugOnAgent(
  category: CategoryName,
  scripts: readonly { readonly name: string; readonly text: string }[],
  points: string,
  signal: AbortSignal,
): Promise<string> {
  const named = Object.fromEntries(scripts.map(({ name, text }) => [name, base64(text)]));
  return await send(
    "/v1/pipeline/debug",
    {
      category,
      script_name: scripts[0]!.name,
      pipeline: { [category]: named },
      data: [base64(points)],
      data_type: "application/pbjson",
    },
    signal,
  );
}

async function ask<Answer>(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  return (JSON.parse(await send(path, body, signal)) as { content: Answer }).content;
}

/**
 * Sends a request. Returns the text of a successful answer, which is JSON. Throws AgentError when the agent refuses the
 * request or cannot be reached.
 */
async function send(path: string, body: unknown, signal?: AbortSignal): Promise<string> {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  let response: Response;
  let text: string;
  try {
    response = await fetch(origin + path, {
      ...options,
      cache: "no-store",
      ...(signal === undefined ? {} : { signal }),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    if (origin === "") throw new AgentError(t("The agent does not answer. Is it still running?"));
    throw new AgentError(
      t("{origin} does not answer, or does not allow this page: see {setting}.", {
        origin,
        setting: "http_api.allowed_cors_origins",
      }),
    );
  }
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.ok && isJson) return text;
  if (!isJson) throw new AgentError(t("This page does not come from an agent that shows its scripts."));
  const { message, error_code: code } = JSON.parse(text) as { message?: string; error_code?: string };
  throw new AgentError(message ?? code ?? t("The agent answers {status}.", { status: response.status }));
}

function base64(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
