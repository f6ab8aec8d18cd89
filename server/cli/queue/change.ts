// `millrace queue replay | drop`: puts refused batches back into the queues of an agent or gateway, or deletes a
// queue's content. The agent or gateway must not run. When it has several queue folders, each folder is changed
// in turn.

import { existsSync } from "node:fs";
import path from "node:path";
import { deadLetterFolder, letterMeta, storeDeadLetter } from "../../queue/delivery/dead-letters.ts";
import { inspectQueue } from "../../queue/inspect.ts";
import { realFiles } from "../../queue/log/files.ts";
import { type DiskQueue, openQueue } from "../../queue/queue.ts";
import { print, printErrorLine, printLine } from "../terminal/print.ts";
import type { Place } from "./places.ts";
import { countsText, type RecordCounts, sumOfCounts } from "./record-counts.ts";

const segmentBytes = 16 * 1024 * 1024;

/** Puts dead letters (batches that a target has refused) back into the queues they came from. Returns the exit code. */
export async function replay({ service, folders }: Place, only: string | undefined): Promise<number> {
  const all: RecordCounts[] = [];
  for (const folder of folders) all.push(await replayIn(folder, only));
  print(`${countsText(sumOfCounts(all))} are back in the queue; the ${service} sends them when it starts\n`);
  return 0;
}

/** Deletes everything in the queue `name` of each folder. Returns the exit code. */
export async function drop({ folders }: Place, name: string): Promise<number> {
  const all: RecordCounts[] = [];
  for (const folder of folders) {
    if (existsSync(path.join(folder, name))) all.push(await dropIn(folder, name));
  }
  printLine(`${countsText(sumOfCounts(all))} of ${name} dropped`);
  return 0;
}

async function replayIn(folder: string, only: string | undefined): Promise<RecordCounts> {
  const dead = await open(folder, deadLetterFolder, ["kept"]);
  const queues = new Map<string, DiskQueue>();
  const [consumer] = dead.consumers;
  let points = 0;
  let requests = 0;
  // Dead letters of other categories are stored again at the end of the same queue. So the loop stops after the number
  // of dead letters that the queue holds now.
  let left = consumer.backlog.records;
  for (let record = await consumer.next(); record !== undefined && left > 0; record = await consumer.next()) {
    left--;
    const { category, reason, meta } = letterMeta(record.meta);
    const original = { body: record.body, meta: Buffer.from(meta), points: record.points };
    if (only !== undefined && category !== only) await storeDeadLetter(dead, category, reason, original);
    else {
      let target = queues.get(category);
      if (target === undefined) queues.set(category, (target = await openBacklog(folder, category)));
      await target.put(original);
      points += record.points;
      if (record.points === 0) requests++;
    }
    // A dead letter (a batch that its target has refused) is removed only after it was put back into its queue. A crash
    // between these two steps duplicates the dead letter but loses nothing.
    await consumer.acknowledge(record.end);
  }
  for (const each of queues.values()) await each.close();
  await dead.close();
  return { points, requests };
}

async function dropIn(folder: string, name: string): Promise<RecordCounts> {
  const target = name === deadLetterFolder ? await open(folder, name, ["kept"]) : await openBacklog(folder, name);
  let points = 0;
  let requests = 0;
  for (const consumer of target.consumers) {
    points = Math.max(points, consumer.backlog.points);
    let without = 0;
    for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
      if (record.points === 0) without++;
      await consumer.acknowledge(record.end);
    }
    requests = Math.max(requests, without);
  }
  await target.close();
  return { points, requests };
}

/** Opens the queue of a category with the same consumers (readers) that the queue already has. */
async function openBacklog(folder: string, category: string): Promise<DiskQueue> {
  const { consumers } = await inspectQueue(realFiles, path.join(folder, category));
  return await open(folder, category, consumers.length > 0 ? consumers : ["failover"]);
}

function open(folder: string, name: string, consumers: readonly string[]): Promise<DiskQueue> {
  const own = path.join(folder, name);
  return openQueue({
    folder: own,
    files: realFiles,
    consumers,
    maxBytes: Number.MAX_SAFE_INTEGER,
    segmentBytes,
    sync: "group",
    full: "refuse",
    now: Date.now,
    events: {
      dropped: () => {},
      damaged: (file, offset, bytes) =>
        printErrorLine(`${own}/${file}: ${bytes} bytes at ${offset} are damaged, skipped`),
      lost: (file, { records, points, bytes }) =>
        printErrorLine(
          `${own}/${file} lacks ${records} records (${points} points, ${bytes} bytes) that were written to it`,
        ),
      torn: (file, bytes) => printErrorLine(`${own}/${file} ended within a record, ${bytes} bytes cut off`),
      failed: (file, error) => printErrorLine(`${own}/${file}: ${error.message}`),
      unwritable: (error) => printErrorLine(`${own} cannot be written: ${error.message}`),
      writable: () => {},
    },
  });
}
