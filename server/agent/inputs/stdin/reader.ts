// Reads a stream such as standard input to its end, and makes a log of each line or multi-line event. Reads only
// as fast as the queue accepts logs. When the configuration is reloaded, keeps the bytes that are not stored
// yet. When the stream has ended and all logs are in the queue, ends the agent.

import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../../../config/schema.ts";
import { tailFields } from "../../../config/settings/inputs-tail.ts";
import { within } from "../../../time/within.ts";
import { createDeliver, type Origin } from "../delivery/deliver.ts";
import type { FetchingAgent, InputHost, KeptPart, OpenInput } from "../input.ts";
import { EventBody } from "../tail/event-body.ts";
import { type Source, sourceOf } from "../tail/source.ts";
import { type Place, splitEvents } from "../tail/split-events.ts";

/** When the body of a write has this length in bytes, no more logs are added to it. */
const fullBody = 1024 * 1024;
const closeMs = 10_000;

/**
 * The bytes that were read from the stream and are not stored yet. They are kept when the configuration is reloaded.
 */
class Unstored implements KeptPart {
  private memory = new Uint8Array(256 * 1024);
  private length = 0;
  place: Place = { offset: 0, dropping: "" };
  hasEnded = false;

  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.length);
  }

  add(chunk: Uint8Array): void {
    if (this.length + chunk.length > this.memory.length) {
      const larger = new Uint8Array(Math.max(2 * this.memory.length, this.length + chunk.length));
      larger.set(this.bytes);
      this.memory = larger;
    }
    this.memory.set(chunk, this.length);
    this.length += chunk.length;
  }

  /** Removes the bytes before the position `place`, because they are stored. */
  moveTo(place: Place): void {
    const stored = place.offset - this.place.offset;
    this.memory.copyWithin(0, stored, this.length);
    this.length -= stored;
    this.place = place;
  }

  async close(): Promise<void> {}
}

/** Begins to read the given stream. */
export function openStdin(
  agent: FetchingAgent,
  { keptParts, end }: Pick<InputHost, "keptParts" | "end">,
  stream: Readable,
): OpenInput {
  const unstored = (keptParts.get("stdin") as Unstored | undefined) ?? new Unstored();
  keptParts.delete("stdin");
  const closing = new AbortController();
  const aborted = new AbortController();
  const reading = new StdinReader(agent, { stream, unstored, closing, aborted });
  // After a read error, the stream counts as ended.
  const onError = (error: Error) => {
    agent.log.error(`stdin: reading failed: ${error.message}`);
    unstored.hasEnded = true;
    reading.changed();
  };
  const onEnd = () => {
    unstored.hasEnded = true;
    reading.changed();
  };
  stream.on("error", onError).on("end", onEnd).on("readable", reading.changed);
  if (stream.readableEnded) unstored.hasEnded = true;
  const running = reading.run().then(
    (isDone) => {
      if (!isDone) return;
      agent.log.info("stdin: the input has ended, and all of it is in the queue; the agent ends");
      end();
    },
    (error: Error) => agent.log.error("stdin: reading stopped", error),
  );
  return {
    close: async (isReload) => {
      closing.abort();
      reading.changed();
      if (
        (await within(
          running.then(() => true),
          closeMs,
        )) === undefined
      ) {
        aborted.abort();
        await within(running, closeMs);
      }
      stream.off("error", onError).off("end", onEnd).off("readable", reading.changed);
      if (isReload) keptParts.set("stdin", unstored);
      else if (unstored.bytes.length > 0)
        agent.log.warn(`stdin: ${unstored.bytes.length} bytes were read and not stored`);
    },
  };
}

interface Reading {
  readonly stream: Readable;
  readonly unstored: Unstored;
  readonly closing: AbortController;
  readonly aborted: AbortController;
}

class StdinReader {
  private readonly agent: FetchingAgent;
  private readonly source: Source;
  private readonly reading: Reading;
  private readonly origin: Origin;
  private readonly body = new EventBody();
  private hasChanged = false;
  private wake = (): void => {};
  private hasLoggedCut = false;
  private readonly deliver: ReturnType<typeof createDeliver>;

  constructor(agent: FetchingAgent, reading: Reading) {
    const { ingest, now, log, metrics, config } = agent;
    this.agent = agent;
    this.reading = reading;
    this.source = sourceIn(config);
    const { source } = this.source.settings;
    this.origin = { source, tags: this.source.tags, place: "standard input" };
    this.deliver = createDeliver({
      input: "stdin",
      ingest,
      now,
      log,
      onWait: () => metrics.inputWaits.inc({ input: "stdin", source }),
      onSkip: () => metrics.inputSkipped.inc({ input: "stdin", source }),
      closing: reading.closing.signal,
      aborted: reading.aborted.signal,
    });
  }

  /** Wakes the reader: the stream has new bytes or has ended, or the input closes. */
  readonly changed = (): void => {
    this.hasChanged = true;
    this.wake();
  };

  /**
   * Reads the stream and stores its events. Resolves with true when the stream has ended, and with false when the input
   * closes.
   */
  async run(): Promise<boolean> {
    const { stream, unstored, closing } = this.reading;
    let isQuiet = false;
    for (;;) {
      const { hasEnded } = unstored;
      if (!(await this.store(hasEnded ? "all" : isQuiet ? "lines" : "no"))) return false;
      if (closing.signal.aborted) return false;
      if (hasEnded) return true;
      // The stream may have ended while the events were stored. Its last event is then complete, and the next round of
      // this loop stores it.
      if (unstored.hasEnded) continue;
      this.hasChanged = false;
      const chunk = stream.read() as Buffer | null;
      if (chunk !== null) {
        unstored.add(chunk);
        isQuiet = false;
        continue;
      }
      if (stream.readableEnded) unstored.hasEnded = true;
      else isQuiet = await this.waitsInVain();
    }
  }

  /**
   * Waits for the next bytes. Returns true when none arrived for so long that an unfinished multi-line event counts as
   * complete.
   */
  private async waitsInVain(): Promise<boolean> {
    const { source } = this;
    const changed = new Promise<void>((resolve) => {
      this.wake = resolve;
      if (this.hasChanged) resolve();
    });
    if (source.beginsEvent === undefined || this.reading.unstored.bytes.length === 0) {
      await changed;
      return false;
    }
    const ended = new AbortController();
    const quiet = wait(source.multilineMs, true, { signal: ended.signal }).catch(() => false);
    const isQuiet = await Promise.race([changed.then(() => false), quiet]);
    ended.abort();
    return isQuiet;
  }

  /** Stores the complete events. Returns false when the input closes before all of them are stored. */
  private async store(isComplete: "no" | "lines" | "all"): Promise<boolean> {
    const { unstored } = this.reading;
    const { metrics } = this.agent;
    const { source } = this.source.settings;
    for (;;) {
      const { end, isStopped, cut } = this.split(isComplete);
      if (this.body.events > 0 && !(await this.deliver(this.origin, this.body))) return false;
      const stored = end.offset - unstored.place.offset;
      if (stored > 0 || end.dropping !== unstored.place.dropping) unstored.moveTo(end);
      if (stored > 0) metrics.inputBytes.inc({ input: "stdin", source }, stored);
      if (cut > 0) this.noteCut(cut);
      if (!isStopped) return true;
    }
  }

  private split(isComplete: "no" | "lines" | "all") {
    const { source, body } = this;
    const { bytes, place } = this.reading.unstored;
    let [isStopped, cut] = [false, 0];
    body.begin(source.head);
    const end = splitEvents(bytes, place, {
      encoding: source.encoding,
      mostBytes: source.settings.max_line_bytes,
      beginsEvent: source.beginsEvent,
      isComplete,
      take: (from, to, isCut) => {
        body.add(source.encoding.utf8(bytes.subarray(from, to)));
        if (isCut) cut++;
        isStopped = body.byteLength >= fullBody;
        return !isStopped;
      },
    });
    return { end, isStopped, cut };
  }

  private noteCut(events: number): void {
    const { metrics, log } = this.agent;
    const { source, max_line_bytes: most } = this.source.settings;
    metrics.inputCut.inc({ input: "stdin", source }, events);
    if (this.hasLoggedCut) return;
    this.hasLoggedCut = true;
    log.warn(`stdin: an event of more than ${most} bytes (max_line_bytes) is cut; further ones are counted`);
  }
}

/**
 * Returns the settings of this input in the format of the input `tail`, since both use the same code to split lines
 * into events.
 */
function sourceIn(config: Config): Source {
  return sourceOf({
    files: [],
    exclude: [],
    from: "start",
    poll: tailFields.poll.default,
    format: tailFields.format.default,
    source: config["inputs.stdin.source"],
    tags: config["inputs.stdin.tags"],
    multiline_start: config["inputs.stdin.multiline_start"],
    multiline_timeout: config["inputs.stdin.multiline_timeout"],
    max_line_bytes: config["inputs.stdin.max_line_bytes"],
    encoding: config["inputs.stdin.encoding"],
  });
}
