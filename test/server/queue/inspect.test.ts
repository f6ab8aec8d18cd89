// `inspectQueue` reads the folder of a queue while a running service removes files of it or the whole folder.

import { existsSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { inspectQueue } from "../../../server/queue/inspect.ts";
import { type QueueFiles, realFiles } from "../../../server/queue/log/files.ts";
import { open, put, text } from "./recording-queue.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Returns the real file interface of a queue, which in addition calls `done` after each file operation. */
function watched(done: () => void): QueueFiles {
  const then = async <T>(result: Promise<T>): Promise<T> => {
    const value = await result;
    done();
    return value;
  };
  return {
    ...realFiles,
    list: (folder) => then(realFiles.list(folder)),
    size: (file) => then(realFiles.size(file)),
    open: (file) => then(realFiles.open(file)),
  };
}

async function twoSegments(): Promise<string> {
  const folder = temporaryFolder();
  const { queue } = await open(folder);
  for (const letter of "abcdef") await put(queue, text(letter));
  await queue.close();
  return folder;
}

it("reports no loss and does not fail when the folder disappears at any moment", async () => {
  let operations = 0;
  const whole = await inspectQueue(
    watched(() => operations++),
    await twoSegments(),
  );
  expect([whole.records, whole.lost]).toEqual([6, { records: 0, points: 0 }]);
  expect(operations).toBeGreaterThan(5);

  for (let last = 1; last <= operations; last++) {
    const folder = await twoSegments();
    let left = last;
    const files = watched(() => {
      if (--left === 0) rmSync(folder, { recursive: true });
    });
    const { lost } = await inspectQueue(files, folder);
    expect([last, existsSync(folder), lost]).toEqual([last, false, { records: 0, points: 0 }]);
  }
});
