// `millrace queue ls | replay | drop`: what waits to be sent, and what was refused.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { categories } from "../../lib/point/category.ts";
import { opaquePaths } from "../agent/opaque.ts";
import { formatDuration } from "../config/go-duration.ts";
import { defaults } from "../config/schema.ts";
import {
  bury,
  type DeadLetter,
  deadLetterFolder,
  deadLetters,
  letterMeta,
  removeThrough,
} from "../queue/dead-letters.ts";
import { realFiles } from "../queue/files.ts";
import { type Inspected, inspectQueue } from "../queue/inspect.ts";
import { FolderInUse, lockFolder } from "../queue/lock.ts";
import { type DiskQueue, openQueue } from "../queue/queue.ts";
import { tableText } from "./table.ts";
import { queueUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

const shownLetters = 20;
const segmentBytes = 16 * 1024 * 1024;

/** The queues of an agent and of a gateway with the same data folder. */
interface Place {
  readonly service: "agent" | "gateway";
  /** Locked by the service while it runs. */
  readonly owned: string;
  readonly folder: string;
}

/** Gives the exit code. */
export async function queue(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      "data-dir": { type: "string", default: defaults().data_dir },
      category: { type: "string" },
      gateway: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(queueUsage);
    return 0;
  }
  const { category } = values;
  if (category !== undefined && !values.gateway && !agentQueues.includes(category)) {
    throw new UsageError(`unknown category ${category}; one of ${agentQueues.join(", ")}`);
  }
  const dataDir = values["data-dir"];
  const places = [
    { service: "agent", owned: dataDir, folder: path.join(dataDir, "queue") },
    { service: "gateway", owned: path.join(dataDir, "gateway"), folder: path.join(dataDir, "gateway", "queue") },
  ] satisfies Place[];
  const present = places.filter(({ folder }) => existsSync(folder));
  const [verb, what, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(queueUsage);
  if (present.length === 0) throw new UsageError(`there is no queue in ${dataDir}; name it with --data-dir`);
  if (verb === "ls") return await list(present);
  const wanted = values.gateway ? "gateway" : "agent";
  const place = present.find(({ service }) => service === wanted);
  if (place === undefined) {
    throw new UsageError(
      `there is no queue of ${wanted === "agent" ? "an agent; --gateway is for that of a gateway" : "a gateway"}`,
    );
  }
  const known = await namesIn(place);
  const isKnown = (name: string) => (place.service === "agent" ? agentQueues.includes(name) : known.includes(name));
  if (category !== undefined && !isKnown(category)) {
    throw new UsageError(`unknown queue ${category}; one of ${known.join(", ")}`);
  }
  switch (verb) {
    case "replay":
      return await locked(place, () => replay(place, category));
    case "drop":
      if (what !== deadLetterFolder && !isKnown(what ?? "")) {
        throw new UsageError(`name what to drop: ${deadLetterFolder}, or a queue (what waits in it to be sent)`);
      }
      return await locked(place, () => drop(place.folder, what!));
    default:
      throw new UsageError(queueUsage);
  }
}

/** Those of an agent. */
const agentQueues: readonly string[] = [...categories, ...Object.keys(opaquePaths)];

/** Of the queues that are there, without the dead letters. */
async function namesIn({ service, folder }: Place): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory() && entry.name !== deadLetterFolder)
    .map(({ name }) => name);
  if (service === "gateway") return names.sort();
  return agentQueues.filter((name) => names.includes(name));
}

async function locked({ owned }: Place, work: () => Promise<number>): Promise<number> {
  let unlock: () => void;
  try {
    unlock = lockFolder(owned);
  } catch (error) {
    if (error instanceof FolderInUse) throw new UsageError(error.message);
    throw error;
  }
  try {
    return await work();
  } finally {
    unlock();
  }
}

async function list(places: readonly Place[]): Promise<number> {
  for (const [at, place] of places.entries()) {
    // The agent's needs no title: most have only that.
    if (place.service === "gateway") process.stdout.write(`${at > 0 ? "\n" : ""}Gateway, by target:\n`);
    await listPlace(place);
  }
  return 0;
}

async function listPlace(place: Place): Promise<void> {
  const { folder } = place;
  const rows = [["QUEUE", "RECORDS", "POINTS", "BYTES ON DISK", "OLDEST"]];
  for (const name of await namesIn(place)) rows.push(row(name, await inspectQueue(realFiles, path.join(folder, name))));
  const letters: string[] = [];
  const dead = await inspectQueue(realFiles, path.join(folder, deadLetterFolder), (record) => {
    if (letters.length >= shownLetters) return;
    const { category, reason } = letterMeta(record.meta);
    letters.push(
      `  ${new Date(record.time).toISOString()}  ${category}  ${record.points} points  ${reason.replace(/\s+/g, " ")}`,
    );
  });
  rows.push(row(deadLetterFolder, dead));
  process.stdout.write(`${tableText(rows).join("\n")}\n`);
  if (letters.length > 0) process.stdout.write(`\nRefused, oldest first:\n${letters.join("\n")}\n`);
  if (dead.records > letters.length) process.stdout.write(`  ... and ${dead.records - letters.length} more\n`);
}

function row(name: string, { records, points, bytes, oldest }: Inspected): string[] {
  const age =
    oldest === 0 ? "-" : formatDuration(BigInt(Math.max(0, Math.round((Date.now() - oldest) / 1000))) * 1_000_000_000n);
  return [name, String(records), String(points), String(bytes), age];
}

/** Puts dead letters back into the queues they came from. */
async function replay({ service, folder }: Place, only: string | undefined): Promise<number> {
  const dead = await open(folder, deadLetterFolder, ["kept"]);
  const queues = new Map<string, DiskQueue>();
  const letters: DeadLetter[] = [];
  for await (const letter of deadLetters(dead)) letters.push(letter);
  let points = 0;
  for (const letter of letters) {
    const { category, meta, record } = letter;
    if (only !== undefined && category !== only)
      await bury(dead, category, letter.reason, { ...record, meta: Buffer.from(meta) });
    else {
      let target = queues.get(category);
      if (target === undefined) queues.set(category, (target = await openBacklog(folder, category)));
      await target.put({ body: record.body, meta: Buffer.from(meta), points: record.points });
      points += record.points;
    }
    // Only now: a crash in between repeats the letter, and loses nothing.
    await removeThrough(dead, letter);
  }
  for (const each of queues.values()) await each.close();
  await dead.close();
  process.stdout.write(`${points} points are back in the queue; the ${service} sends them when it starts\n`);
  return 0;
}

async function drop(folder: string, name: string): Promise<number> {
  const target = name === deadLetterFolder ? await open(folder, name, ["kept"]) : await openBacklog(folder, name);
  let points = 0;
  for (const consumer of target.consumers) {
    points = Math.max(points, consumer.backlog.points);
    for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
      await consumer.acknowledge(record.end);
    }
  }
  await target.close();
  process.stdout.write(`${points} points of ${name} dropped\n`);
  return 0;
}

/** The queue of a category with the consumers it has. */
async function openBacklog(folder: string, category: string): Promise<DiskQueue> {
  const { consumers } = await inspectQueue(realFiles, path.join(folder, category));
  return await open(folder, category, consumers.length > 0 ? consumers : ["failover"]);
}

function open(folder: string, name: string, consumers: readonly string[]): Promise<DiskQueue> {
  return openQueue({
    folder: path.join(folder, name),
    files: realFiles,
    consumers,
    maxBytes: Number.MAX_SAFE_INTEGER,
    segmentBytes,
    sync: "group",
    full: "refuse",
    now: Date.now,
    events: {
      dropped: () => {},
      damaged: (file, offset, bytes) => say(`${name}/${file}: ${bytes} bytes at ${offset} are damaged, skipped`),
      torn: (file, bytes) => say(`${name}/${file} ended within a record, ${bytes} bytes cut off`),
      failed: (file, error) => say(`${name}/${file}: ${error.message}`),
    },
  });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
