// Makes large writes of unique lines, which the agent passes on unchanged, and counts which lines arrived.

import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Random } from "../../properties/random.ts";
import { openClient } from "./processes.ts";
import type { Upload } from "./recording-gateway.ts";
import type { AgentProcess } from "./running-agent.ts";

export const categories = ["network", "tracing", "security"] as const;
type Category = (typeof categories)[number];

export interface Write {
  readonly category: Category;
  readonly lines: readonly string[];
  readonly body: Buffer;
}

let lastSerial = 0;

/**
 * Returns a line with a new serial number. Its text is derived from the number, so that the tests find a line in which
 * a byte has changed.
 */
function lineOf(category: Category, random: Random): string {
  const serial = ++lastSerial;
  const digest = createHash("md5").update(`${category} ${serial}`).digest("hex");
  const text = digest.repeat(1 + random.below(60));
  return `large,host=web01,sum=${digest} serial=${serial}i,text="${text}" 1700000000000000000`;
}

export function serialOf(line: string): number {
  return Number(/ serial=(\d+)i,/.exec(line)?.[1]);
}

/** Returns a write of 100 to 900 KB. Most writes have less than 450 KB, so several of them fit into one upload. */
export function writeOf(random: Random, category: Category): Write {
  return ofBytes(100_000 + random.below(random.below(800_000)), random, category);
}

/**
 * Returns a write of 20 to 60 KB. The agent does not compress a write of this size in memory, but only when it uploads
 * the write.
 */
function middlingWriteOf(random: Random, category: Category): Write {
  return ofBytes(20_000 + random.below(40_000), random, category);
}

function ofBytes(wanted: number, random: Random, category: Category): Write {
  const lines: string[] = [];
  for (let bytes = 0; bytes < wanted; bytes += lines.at(-1)!.length + 1) lines.push(lineOf(category, random));
  return { category, lines, body: Buffer.from(lines.join("\n")) };
}

/**
 * Returns the writes of each client. All writes together have about `bytes` bytes. Each client writes one category;
 * writes of the category `security` are smaller.
 */
export function writesOf(random: Random, clients: number, bytes: number): Write[][] {
  return Array.from({ length: clients }, (_, at) => {
    const category = categories[at % categories.length]!;
    const make = category === "security" ? middlingWriteOf : writeOf;
    const writes: Write[] = [];
    for (let left = bytes / clients; left > 0; left -= writes.at(-1)!.body.length) {
      writes.push(make(random, category));
    }
    return writes;
  });
}

/** Sends the writes one after the other over one connection. The agent must answer each with 200. */
export async function writeInTurn(agent: AgentProcess, writes: readonly Write[]): Promise<void> {
  const client = openClient(agent.url);
  try {
    for (const { category, body } of writes) {
      const head = `POST /v1/write/${category} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
      expect(await client.ask(Buffer.concat([Buffer.from(head), body]))).toMatch(/^HTTP\/1\.1 200 /);
    }
  } finally {
    client.close();
  }
}

/** Counts how often each line arrived. Uploads with the same id must have equal bodies. */
export class Tally {
  private readonly uploads: readonly Upload[];
  private counted = 0;
  private readonly times = new Map<string, number>();
  private readonly bodies = new Map<string, string>();
  private readonly changed: string[] = [];
  private carried = 0;

  constructor(uploads: readonly Upload[]) {
    this.uploads = uploads;
  }

  private count(): void {
    for (; this.counted < this.uploads.length; this.counted++) {
      const { url, headers, body, lines } = this.uploads[this.counted]!;
      const id = String(headers["x-pkg-id"]);
      const digest = createHash("md5").update(body).digest("hex");
      if (!this.bodies.has(id)) this.carried += Number(headers["x-points"]);
      else if (this.bodies.get(id) !== digest) this.changed.push(id);
      this.bodies.set(id, digest);
      const category = url.split(/[/?]/)[3];
      for (const line of lines) this.times.set(`${category} ${line}`, (this.times.get(`${category} ${line}`) ?? 0) + 1);
    }
  }

  /** The total number of points that the headers of the uploads state. Uploads with the same id count once. */
  get points(): number {
    this.count();
    return this.carried;
  }

  /**
   * Compares the arrived lines with the lines that were written. Returns the number of lost lines, some lines that were
   * never written, the ids of uploads that were repeated with a different body, and the number of repeated lines.
   */
  against(writes: readonly Write[]) {
    this.count();
    const sent = new Set(writes.flatMap(({ category, lines }) => lines.map((line) => `${category} ${line}`)));
    let lost = 0;
    for (const line of sent) if (!this.times.has(line)) lost++;
    const foreign = [...this.times.keys()].filter((line) => !sent.has(line)).map((line) => line.slice(0, 200));
    const again = [...this.times.values()].reduce((sum, times) => sum + times - 1, 0);
    return { lost, foreign: foreign.slice(0, 5), changed: this.changed, again };
  }
}
