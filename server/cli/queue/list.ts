// `millrace queue ls`: prints a table of the queues, and the oldest dead letters (batches that a target has
// refused). An agent can have several processes with a queue of the same name; the table shows the sum of these
// queues in one row.

import path from "node:path";
import { shownText } from "../../../lib/text/index.ts";
import { formatDuration } from "../../config/go-duration.ts";
import { deadLetterFolder, letterMeta } from "../../queue/delivery/dead-letters.ts";
import { type Inspected, inspectQueue } from "../../queue/inspect.ts";
import { realFiles } from "../../queue/log/files.ts";
import { print, printLine } from "../terminal/print.ts";
import { tableText } from "../terminal/table.ts";
import { namesIn, type Place } from "./places.ts";
import { countsText } from "./record-counts.ts";

interface Refused {
  readonly time: number;
  readonly text: string;
}

const shownLetters = 20;

/** Runs the command and returns its exit code. */
export async function list(places: readonly Place[]): Promise<number> {
  for (const [at, place] of places.entries()) {
    const title = titleOf(place);
    if (title !== undefined) print(`${at > 0 ? "\n" : ""}${title}:\n`);
    await listPlace(place);
  }
  return 0;
}

/**
 * Returns the title of a table of queues. Returns no title for an agent in which only one process has queues,
 * because most agents are like this.
 */
function titleOf({ service, intakes }: Place): string | undefined {
  if (service === "gateway") return "Gateway, by target";
  return intakes.length === 0 ? undefined : "Agent, all of its processes together";
}

async function listPlace(place: Place): Promise<void> {
  const { folders } = place;
  const rows = [["QUEUE", "RECORDS", "POINTS", "BYTES ON DISK", "OLDEST"]];
  const losses: string[] = [];
  for (const name of await namesIn(place)) {
    const parts = folders.map((folder) => inspectQueue(realFiles, path.join(folder, name)));
    const total = sum(await Promise.all(parts));
    rows.push(row(name, total));
    const { records, points } = total.lost;
    if (records > 0 || points > 0) losses.push(`  ${name}  ${records} records  ${points} points`);
  }
  const letters: Refused[] = [];
  const parts: Inspected[] = [];
  for (const folder of folders) {
    const room = letters.length + shownLetters;
    const part = await inspectQueue(realFiles, path.join(folder, deadLetterFolder), ({ meta, time, points }) => {
      if (letters.length >= room) return;
      const { category, reason } = letterMeta(meta);
      const text = `${category}  ${countsText({ points, requests: points === 0 ? 1 : 0 })}  ${shownText(reason.replace(/\s+/g, " "))}`;
      letters.push({ time, text });
    });
    parts.push(part);
  }
  const dead = sum(parts);
  rows.push(row(deadLetterFolder, dead));
  print(`${tableText(rows).join("\n")}\n`);
  if (losses.length > 0) print("\nLost with files that were cut, damaged or deleted:\n");
  for (const loss of losses) printLine(loss);
  const shown = letters.sort((a, b) => a.time - b.time).slice(0, shownLetters);
  if (shown.length > 0) print("\nRefused, oldest first:\n");
  for (const { time, text } of shown) printLine(`  ${new Date(time).toISOString()}  ${text}`);
  if (dead.records > shown.length) print(`  ... and ${dead.records - shown.length} more\n`);
}

type Sum = Omit<Inspected, "consumers">;

function sum(parts: readonly Inspected[]): Sum {
  const total = (of: "records" | "points" | "bytes") => parts.reduce((all, part) => all + part[of], 0);
  const times = parts.map(({ oldest }) => oldest).filter((oldest) => oldest > 0);
  return {
    records: total("records"),
    points: total("points"),
    bytes: total("bytes"),
    oldest: times.length === 0 ? 0 : Math.min(...times),
    lost: {
      records: parts.reduce((all, { lost }) => all + lost.records, 0),
      points: parts.reduce((all, { lost }) => all + lost.points, 0),
    },
  };
}

function row(name: string, { records, points, bytes, oldest }: Sum): string[] {
  const age =
    oldest === 0 ? "-" : formatDuration(BigInt(Math.max(0, Math.round((Date.now() - oldest) / 1000))) * 1_000_000_000n);
  return [name, String(records), String(points), String(bytes), age];
}
