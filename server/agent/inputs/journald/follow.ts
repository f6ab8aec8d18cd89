// Follows the journal of systemd. Runs the program journalctl, makes points of the entries that it prints, and
// saves the cursor (the position in the journal) when the points are in the queue. When journalctl ends, runs it
// again. Reads only as fast as the queue accepts points; meanwhile journalctl waits because its output pipe is
// full.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { shownText } from "../../../../lib/text/index.ts";
import { backoffMs } from "../../../time/backoff.ts";
import { within } from "../../../time/within.ts";
import { createDeliver, type Origin } from "../delivery/deliver.ts";
import { keyBytes, LineBody } from "../delivery/line-body.ts";
import type { FetchingAgent, InputHost, OpenInput } from "../input.ts";
import { type Cursor, isCursor, openCursor } from "./cursor.ts";
import { ExportReader } from "./export-reader.ts";
import { argumentsOf, followFrom } from "./options.ts";
import { alwaysWanted, writeEntry } from "./write-entry.ts";

/** Length in bytes of the collected entries at which they are stored before more entries are read. */
const fullBody = 1024 * 1024;
const closeMs = 10_000;
/** Shortest and longest pause between two runs of journalctl, in milliseconds. */
const pauses = { firstMs: 1000, longestMs: 60_000 };
/** A run of journalctl that lasted longer than this many milliseconds does not count as a failure. */
const goodRunMs = 10_000;
/** Largest number of bytes that are kept of an error message of journalctl. */
const mostSaid = 1024;

/**
 * Begins to follow the journal. Rejects when the file with the saved cursor (the position in the journal) cannot
 * be read.
 */
export async function openJournald(agent: FetchingAgent, { dataDir }: Pick<InputHost, "dataDir">): Promise<OpenInput> {
  const cursor = await openCursor(path.join(dataDir, "journald"), agent.log);
  const closing = new AbortController();
  const aborted = new AbortController();
  const follower = new Follower(agent, cursor, closing.signal, aborted.signal);
  const running = follower.run().catch((error: Error) => agent.log.error("journald: reading stopped", error));
  return {
    close: async () => {
      closing.abort();
      follower.stop();
      if (
        (await within(
          running.then(() => true),
          closeMs,
        )) === undefined
      ) {
        aborted.abort();
        await within(running, closeMs);
      }
    },
  };
}

/** The outcome of one run of the program journalctl. */
interface Run {
  readonly code: number | string | null;
  /** The text that journalctl wrote to standard error, truncated. */
  readonly said: string;
}

class Follower {
  private readonly agent: FetchingAgent;
  private readonly cursor: Cursor;
  private readonly closing: AbortSignal;
  private readonly deliver: ReturnType<typeof createDeliver>;
  private readonly origin: Origin;
  private readonly measurement: Uint8Array;
  private readonly body = new LineBody();
  /** Cursor (position in the journal) of the last entry among those that were collected but are not stored yet. */
  private lastCursor = "";
  private child: ChildProcess | undefined;
  private hasLoggedCut = false;

  constructor(agent: FetchingAgent, cursor: Cursor, closing: AbortSignal, aborted: AbortSignal) {
    const { config, metrics, ingest, now, log } = agent;
    const source = config["inputs.journald.source"];
    this.agent = agent;
    this.cursor = cursor;
    this.closing = closing;
    this.origin = { source, tags: Object.entries(config["inputs.journald.tags"]), place: "journal" };
    this.measurement = keyBytes(source);
    this.deliver = createDeliver({
      input: "journald",
      ingest,
      now,
      log,
      onWait: () => metrics.inputWaits.inc({ input: "journald", source }),
      onSkip: () => metrics.inputSkipped.inc({ input: "journald", source }),
      closing,
      aborted,
    });
  }

  stop(): void {
    this.child?.kill();
  }

  async run(): Promise<void> {
    const { config, log } = this.agent;
    for (let failures = 0; !this.closing.aborted; ) {
      if (this.cursor.value === "" && config["inputs.journald.from"] === "end") await this.findEnd();
      if (this.closing.aborted) return;
      const began = performance.now();
      const { code, said } = await this.runOnce(["--follow", ...followFrom(this.cursor.value)]);
      if (this.closing.aborted) return;
      failures = performance.now() - began > goodRunMs ? 1 : failures + 1;
      const pauseMs = backoffMs(pauses, failures);
      const reason = code === "ENOENT" ? "journalctl is not installed" : `journalctl ended (${code}) ${said}`.trimEnd();
      log.warn(`journald: ${shownText(reason)}; it is run again in ${Math.round(pauseMs / 1000)} s`);
      if (/cursor/i.test(said) && this.cursor.value !== "") {
        log.warn("journald: the cursor cannot be used; reading begins as inputs.journald.from says");
        await this.cursor.forget();
      }
      await wait(pauseMs, undefined, { signal: this.closing }).catch(() => {});
    }
  }

  /**
   * Saves the cursor (position) of the newest entry in the journal, where reading will begin. With this cursor, a
   * restarted agent finds all later entries, even if it was killed before it stored any of them.
   */
  private async findEnd(): Promise<void> {
    let last = "";
    const reader = new ExportReader({
      wanted: new Set(["__CURSOR"]),
      mostBytes: mostSaid,
      take: (entry) => {
        last = cursorOf(entry);
      },
    });
    await this.runOnce(["--lines=1"], async (stdout) => {
      for await (const chunk of stdout) reader.read(chunk as Uint8Array);
    });
    if (last !== "") await this.cursor.save(last);
  }

  /** Runs journalctl once. Resolves when it has ended and its entries are stored. */
  private async runOnce(more: readonly string[], read = (stdout: Readable) => this.store(stdout)): Promise<Run> {
    const { config } = this.agent;
    const child = spawn("journalctl", [...argumentsOf(config), ...more], { stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (said.length < mostSaid) said += chunk.toString("utf8", 0, mostSaid - said.length);
    });
    let code: number | string | null = null;
    const ended = new Promise<void>((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        code = error.code ?? error.message;
        resolve();
      });
      child.once("close", (status) => {
        code ??= status;
        resolve();
      });
    });
    try {
      await read(child.stdout);
    } catch (error) {
      if (!this.closing.aborted) said ||= (error as Error).message;
      child.kill();
    }
    child.stdout.resume();
    await ended;
    return { code, said: said.trim() };
  }

  /** Stores the journal's entries while journalctl still writes further ones. */
  private async store(stdout: Readable): Promise<void> {
    const { config, metrics } = this.agent;
    const source = config["inputs.journald.source"];
    const further = config["inputs.journald.fields"];
    // Entries of an earlier run that were not stored are read again, because the saved cursor lies before them.
    this.body.clear();
    const reader = new ExportReader({
      wanted: new Set([...alwaysWanted, ...further]),
      mostBytes: config["inputs.journald.max_line_bytes"],
      take: (entry, isCut) => {
        this.lastCursor = cursorOf(entry);
        writeEntry(this.body, this.measurement, entry, further);
        if (isCut) this.noteCut();
      },
    });
    let bytes = 0;
    for (;;) {
      const chunk = stdout.read() as Buffer | null;
      if (chunk !== null) {
        bytes += chunk.length;
        reader.read(chunk);
        if (this.body.byteLength < fullBody && stdout.readableLength > 0) continue;
      }
      if (this.body.events > 0) {
        if (!(await this.deliver(this.origin, this.body))) return;
        metrics.inputBytes.inc({ input: "journald", source }, bytes);
        bytes = 0;
        this.body.clear();
        if (this.lastCursor !== "") await this.cursor.save(this.lastCursor);
      }
      if (chunk !== null) continue;
      if (stdout.readableEnded || stdout.destroyed) return;
      await changeOf(stdout);
    }
  }

  private noteCut(): void {
    const { metrics, log, config } = this.agent;
    metrics.inputCut.inc({ input: "journald", source: this.origin.source });
    if (this.hasLoggedCut) return;
    this.hasLoggedCut = true;
    const most = config["inputs.journald.max_line_bytes"];
    log.warn(`journald: a field of more than ${most} bytes (max_line_bytes) is cut; further ones are counted`);
  }
}

/** Resolves when a stream has more data to read, or has ended. */
async function changeOf(stream: Readable): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  await Promise.race(["readable", "end", "close"].map((event) => once(stream, event, { signal })));
  done.abort();
}

function cursorOf(entry: ReadonlyMap<string, Uint8Array>): string {
  const cursor = Buffer.from(entry.get("__CURSOR") ?? []).toString("latin1");
  return isCursor(cursor) ? cursor : "";
}
