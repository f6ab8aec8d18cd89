// Starts a platform in a process of its own with keys of two workspaces, and calls the Open API as a client does.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SeedFile } from "../../../../server/platform/seed.ts";
import { ended } from "../../support/child.ts";
import { millrace } from "../../support/millrace.ts";
import { program, type Sent, send } from "../../support/running-agent.ts";

export interface Envelope {
  readonly code: number;
  readonly content: unknown;
  readonly errorCode: string;
  readonly message: string;
  readonly pageInfo?: {
    readonly count: number;
    readonly pageIndex: number;
    readonly pageSize: number;
    readonly totalCount: number;
  };
  readonly success: boolean;
  readonly traceId: string;
}

export interface OpenApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Envelope;
  readonly text: string;
}

export interface RunningPlatform {
  readonly url: string;
  readonly dataDir: string;
  /** An API key of the workspace `one`. */
  readonly key: string;
  /** An API key of the workspace `two`. */
  readonly otherKey: string;
  /**
   * The write tokens of the workspaces that the function `startPlatform` made, by workspace name. Agents write with
   * such a token.
   */
  readonly tokens: ReadonlyMap<string, string>;
  log(): string;
  newKey(workspace: string, ...args: string[]): Promise<string>;
  /** Sends a request to the path `at` below /api/v1. Sends a body that is not a string as JSON. */
  call(at: string, asked?: Asked): Promise<OpenApiAnswer>;
  /** Stops the platform. Also removes its data folder, unless the argument is `keep`. */
  stop(keep?: "keep"): Promise<void>;
}

export interface Asked {
  readonly method?: string;
  /** The API key that the request sends; `null` sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface PlatformOptions {
  readonly config?: string;
  /**
   * A seed: workspaces and API keys that the platform starts with. The first two keys of the seed are the members `key`
   * and `otherKey` of the running platform.
   */
  readonly seed?: SeedFile;
  /** An existing data folder. Without this option the platform gets a new one. */
  readonly dataDir?: string;
}

export async function startPlatform(options: PlatformOptions = {}): Promise<RunningPlatform> {
  const { seed, dataDir = mkdtempSync(path.join(tmpdir(), "millrace-open-api-")) } = options;
  const configFile = path.join(dataDir, "platform.toml");
  writeFileSync(configFile, options.config ?? "");
  const args = ["platform", "--listen", "127.0.0.1:0", "--data-dir", dataDir, "--config", configFile];
  if (seed !== undefined) {
    const seedFile = path.join(dataDir, "seed.json");
    writeFileSync(seedFile, JSON.stringify(seed));
    args.push("--seed", seedFile);
  }
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
      const found = /platform listening on (\S+)\n/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("close", (code) => reject(new Error(`the platform ended with ${code}: ${log}`)));
  });
  const tokens = new Map<string, string>();
  const newKey = async (workspace: string, ...more: string[]) => {
    const made = await millrace([
      "key",
      "create",
      "--workspace",
      workspace,
      "--data-dir",
      dataDir,
      "--config",
      configFile,
      ...more,
    ]);
    if (made.code !== 0) throw new Error(made.err);
    const token = /\btkn_[0-9a-f]{32}\b/.exec(made.out)?.[0];
    if (token !== undefined) tokens.set(workspace, token);
    return made.out.trimEnd().split("\n").at(-1)!;
  };
  const key = seed === undefined ? await newKey("one") : seed.keys[0]!.sk;
  const otherKey = seed === undefined ? await newKey("two") : (seed.keys[1]?.sk ?? "");
  return {
    url,
    dataDir,
    key,
    otherKey,
    tokens,
    log: () => log,
    newKey,
    call: async (at, { method, key: used = key, headers = {}, body } = {}) => {
      const sent: Sent = {
        ...(method === undefined ? {} : { method }),
        headers: {
          ...(used === null ? {} : { "df-api-key": used }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
      };
      const answer = await send(`${url}${at.startsWith("/api") ? "" : "/api/v1"}${at}`, sent);
      return {
        status: answer.status,
        headers: answer.headers,
        text: answer.text,
        body: (answer.text === "" ? {} : JSON.parse(answer.text)) as Envelope,
      };
    },
    stop: async (keep) => {
      await ended(child, "SIGTERM");
      if (keep === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
