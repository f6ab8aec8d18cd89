// Runs the input `host`: reads measured values of the machine at an interval, and passes the points to the
// agent, which stores them. Points that cannot be stored because the queue is full are dropped and counted; the
// next reading has newer values.

import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { shownText } from "../../../../lib/text/index.ts";
import { durationMs } from "../../../config/go-duration.ts";
import { within } from "../../../time/within.ts";
import { writeLabel } from "../../ingest/input-counts.ts";
import type { FetchingAgent, OpenInput } from "../input.ts";
import { ownLines } from "../receive-body.ts";
import {
  addHostObject,
  addProcessCounts,
  addProcessObjects,
  addProcessUse,
  busiest,
  type Machine,
} from "./host-objects.ts";
import { createPointWriter, type PointWriter } from "./point-writer.ts";
import { parseMeminfo, parseStat } from "./proc-files.ts";
import { HostReader } from "./read-host.ts";
import { ProcessReader, pageBytes, userNames } from "./read-processes.ts";

/**
 * Milliseconds between the first and the second reading. No points are stored after the first reading: it only
 * provides the values with which the second reading is compared.
 */
const firstMs = 1000;
const closeMs = 10_000;

/** Starts reading the machine at the configured interval. Throws when the folder of /proc cannot be read. */
export function openHost(agent: FetchingAgent): OpenInput {
  const closing = new AbortController();
  const running = new HostInput(agent).run(closing.signal);
  return {
    close: async () => {
      closing.abort();
      await within(running, closeMs);
    },
  };
}

class HostInput {
  private readonly agent: FetchingAgent;
  private readonly proc: string | undefined;
  private readonly host: HostReader;
  private readonly processes: ProcessReader | undefined;
  private readonly machine: Machine;
  private readonly logged = new Set<string>();

  constructor(agent: FetchingAgent) {
    const { config } = agent;
    this.agent = agent;
    this.proc = process.platform === "linux" ? config["inputs.host.proc"] : undefined;
    this.host = new HostReader({ proc: this.proc, perCpu: config["inputs.host.per_cpu"] });
    this.processes = this.proc === undefined ? undefined : new ProcessReader(this.proc);
    this.machine = machineOf(agent, this.proc);
  }

  /** Reads the figures of the machine at intervals until the input is closed. Never rejects. */
  async run(closing: AbortSignal): Promise<void> {
    const { config } = this.agent;
    const everyMs = durationMs(config["inputs.host.interval"], 10_000);
    const objectMs = durationMs(config["inputs.host.object_interval"], 60_000);
    let objectsDueAt = 0;
    // No points are stored after the first reading. It only provides the values with which the next reading is
    // compared, because some figures are differences between two readings.
    await this.read(createPointWriter(0n), undefined);
    for (let pauseMs = Math.min(firstMs, everyMs); ; ) {
      await wait(pauseMs, undefined, { signal: closing }).catch(() => {});
      if (closing.aborted) return;
      const began = performance.now();
      const time = this.agent.now();
      const metrics = createPointWriter(time);
      const hasObjects = began >= objectsDueAt;
      const objects = createPointWriter(time);
      await this.read(metrics, hasObjects ? objects : undefined);
      if (hasObjects) objectsDueAt = began + objectMs - everyMs / 2;
      await this.store("metric", metrics);
      await this.store("object", objects);
      pauseMs = Math.max(0, began + everyMs - performance.now());
    }
  }

  private async read(metrics: PointWriter, objects: PointWriter | undefined): Promise<void> {
    for (const { name, read } of this.host.parts) await this.timed(name, () => read(metrics));
    const reader = this.processes;
    if (reader !== undefined) {
      await this.timed("processes", async () => {
        const { config } = this.agent;
        const processes = await reader.read(config["inputs.host.max_processes"]);
        const shown = busiest(processes, config["inputs.host.processes"]);
        addProcessCounts(metrics, processes);
        addProcessUse(metrics, shown, this.machine);
        if (objects === undefined) return;
        const users = userNames("/etc/passwd");
        addProcessObjects(objects, shown, reader, { machine: this.machine, users, now: Date.now() / 1000 });
      });
    }
    if (objects !== undefined)
      await this.timed("object", () => addHostObject(objects, this.machine, this.host.figures));
  }

  /**
   * Runs `read`, which reads one part of the machine (such as its disks), and records how long this took. When
   * `read` fails, the error is counted and logged, and the other parts of the machine are still read.
   */
  private async timed(part: string, read: () => Promise<void> | void): Promise<void> {
    const { metrics } = this.agent;
    const began = performance.now();
    try {
      await read();
    } catch (error) {
      this.fail(part, error as Error);
    }
    metrics.hostSeconds.set({ part }, (performance.now() - began) / 1000);
  }

  private fail(part: string, { message }: Error): void {
    const { metrics, log } = this.agent;
    metrics.hostFailed.inc({ part });
    if (this.logged.has(part)) return;
    this.logged.add(part);
    log.warn(`host: ${part}: ${shownText(message)}; further failures are counted`);
  }

  private async store(category: "metric" | "object", points: PointWriter): Promise<void> {
    if (points.points === 0) return;
    const { ingest, now, config } = this.agent;
    const body = points.body();
    await this.timed("store", async () => {
      await ingest(
        ownLines({
          body,
          category,
          now: now(),
          earlyTags: Object.entries(config["inputs.host.tags"]),
          label: writeLabel("host"),
        }),
        { signal: new AbortController().signal, keep: () => true },
      );
    });
  }
}

/**
 * Returns the properties of the machine that do not change while it runs. Throws when the folder of /proc cannot be
 * read.
 */
function machineOf({ config, tags }: FetchingAgent, proc: string | undefined): Machine {
  const text = (name: string) => (proc === undefined ? "" : readFileSync(path.join(proc, name), "latin1"));
  const now = Date.now() / 1000;
  return {
    hostname: tags.host.host ?? config["environments.ENV_HOSTNAME"],
    address: firstAddress(),
    bootTime: parseStat(text("stat")).bootTime ?? now - os.uptime(),
    pageBytes: pageBytes(),
    memoryBytes: parseMeminfo(text("meminfo")).get("MemTotal") ?? os.totalmem(),
  };
}

/** Returns the first IPv4 address that other machines can reach; an empty text when there is none. */
function firstAddress(): string {
  for (const addresses of Object.values(os.networkInterfaces())) {
    const found = addresses?.find((each) => !each.internal && each.family === "IPv4");
    if (found !== undefined) return found.address;
  }
  return "";
}
