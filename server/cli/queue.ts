// `millrace queue ls | replay | drop`: what waits to be sent, and what gateways refused.

import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { categories } from "../../lib/point/category.ts";
import { formatDuration } from "../config/go-duration.ts";
import { defaults } from "../config/schema.ts";
import { bury, type DeadLetter, deadLetters, letterMeta, removeThrough } from "../queue/dead-letters.ts";
import { realFiles } from "../queue/files.ts";
import { type Inspected, inspectQueue } from "../queue/inspect.ts";
import { FolderInUse, lockFolder } from "../queue/lock.ts";
import { type DiskQueue, openQueue } from "../queue/queue.ts";
import { tableText } from "./table.ts";
import { queueUsage } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

const deadFolder = "dead-letters";
const shownLetters = 20;
const segmentBytes = 16 * 1024 * 1024;

/** Gives the exit code. */
export async function queue(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      "data-dir": { type: "string", default: defaults().data_dir },
      category: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(queueUsage);
    return 0;
  }
  const { category } = values;
  if (category !== undefined && !(categories as readonly string[]).includes(category)) {
    throw new UsageError(`unknown category ${category}; one of ${categories.join(", ")}`);
  }
  const folder = path.join(values["data-dir"], "queue");
  if (!existsSync(folder)) throw new UsageError(`there is no queue in ${values["data-dir"]}; name it with --data-dir`);
  const [verb, what, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(queueUsage);
  switch (verb) {
    case "ls":
      return await list(folder);
    case "replay":
      return await locked(values["data-dir"], () => replay(folder, category));
    case "drop":
      if (what !== deadFolder && !(categories as readonly string[]).includes(what ?? "")) {
        throw new UsageError(`name what to drop: ${deadFolder}, or a category (its points that wait to be sent)`);
      }
      return await locked(values["data-dir"], () => drop(folder, what!));
    default:
      throw new UsageError(queueUsage);
  }
}

async function locked(dataDir: string, work: () => Promise<number>): Promise<number> {
  let unlock: () => void;
  try {
    unlock = lockFolder(dataDir);
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

async function list(folder: string): Promise<number> {
  const rows = [["QUEUE", "RECORDS", "POINTS", "BYTES ON DISK", "OLDEST"]];
  for (const category of categories) {
    if (existsSync(path.join(folder, category)))
      rows.push(row(category, await inspectQueue(realFiles, path.join(folder, category))));
  }
  const letters: string[] = [];
  const dead = await inspectQueue(realFiles, path.join(folder, deadFolder), (record) => {
    if (letters.length >= shownLetters) return;
    const { category, reason } = letterMeta(record.meta);
    letters.push(
      `  ${new Date(record.time).toISOString()}  ${category}  ${record.points} points  ${reason.replace(/\s+/g, " ")}`,
    );
  });
  rows.push(row(deadFolder, dead));
  process.stdout.write(`${tableText(rows).join("\n")}\n`);
  if (letters.length > 0) process.stdout.write(`\nRefused, oldest first:\n${letters.join("\n")}\n`);
  if (dead.records > letters.length) process.stdout.write(`  ... and ${dead.records - letters.length} more\n`);
  return 0;
}

function row(name: string, { records, points, bytes, oldest }: Inspected): string[] {
  const age =
    oldest === 0 ? "-" : formatDuration(BigInt(Math.max(0, Math.round((Date.now() - oldest) / 1000))) * 1_000_000_000n);
  return [name, String(records), String(points), String(bytes), age];
}

/** Puts dead letters back into the queues they came from. */
async function replay(folder: string, only: string | undefined): Promise<number> {
  const dead = await open(folder, deadFolder, ["kept"]);
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
  process.stdout.write(`${points} points are back in the queue; the agent sends them when it starts\n`);
  return 0;
}

async function drop(folder: string, name: string): Promise<number> {
  const target = name === deadFolder ? await open(folder, name, ["kept"]) : await openBacklog(folder, name);
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
