// Tests how one open file is read while others write, truncate and rewrite it between two steps of the reader.

import { appendFileSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EventBody } from "../../../../../server/agent/inputs/tail/event-body.ts";
import { fingerprintBytes, noFingerprint } from "../../../../../server/agent/inputs/tail/fingerprint.ts";
import { sourceOf } from "../../../../../server/agent/inputs/tail/source.ts";
import { TailedFile } from "../../../../../server/agent/inputs/tail/tailed-file.ts";
import { tailFields } from "../../../../../server/config/settings/inputs-tail.ts";
import { createMetrics } from "../../../../../server/telemetry/metrics.ts";
import { numbered, textOf } from "../../../support/tailing.ts";

const settings = Object.fromEntries(Object.entries(tailFields).map(([key, field]) => [key, field.default]));
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } as never;

interface Opened {
  readonly at: string;
  readonly file: TailedFile;
  /** A function that is called before each read of the file. It gets the offset and the number of bytes of the read. */
  beforeRead: (offset: number, bytes: number) => void;
  /**
   * Reads the next batch of events. Returns the text of the events, or `restarted` when the file was truncated or
   * rewritten.
   */
  next(): Promise<string>;
}

async function opened(text: string): Promise<Opened> {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-tailed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = path.join(folder, "a.log");
  writeFileSync(at, text);
  const handle = await open(at);
  onTestFinished(() => handle.close());
  const source = sourceOf({ ...settings, source: "web" } as unknown as Parameters<typeof sourceOf>[0]);
  const place = { offset: 0, dropping: "" } as const;
  const agent = { log, metrics: createMetrics() };
  const read = handle.read.bind(handle) as (...args: unknown[]) => Promise<never>;
  handle.read = (async (...args: unknown[]) => {
    test.beforeRead(args[3] as number, args[2] as number);
    return await read(...args);
  }) as typeof handle.read;
  const file = new TailedFile({
    handle,
    key: "1:1",
    path: at,
    source,
    place,
    fingerprint: noFingerprint,
    agent,
    now: () => 0,
  });
  const window = new Uint8Array(1024 * 1024);
  const test: Opened = {
    at,
    file,
    beforeRead: () => {},
    next: async () => {
      await file.look();
      if (await file.hasRestarted()) return "restarted";
      const body = new EventBody();
      file.commit(await file.read(window, body, "no"));
      const messages = Buffer.from(body.body())
        .toString()
        .matchAll(/message="([^"]*)"/g);
      return Array.from(messages, ([, message]) => `${message}\n`).join("");
    },
  };
  return test;
}

it("computes the fingerprint of what it has read when the file grows during the read", async () => {
  const test = await opened("line 0\n");
  let isWritten = false;
  // The file has only one line when the reader computes the fingerprint of the file (the hash of its beginning). The
  // test appends the other lines just before the reader reads the content.
  test.beforeRead = (_, bytes) => {
    if (bytes > fingerprintBytes && !isWritten) {
      isWritten = true;
      appendFileSync(test.at, textOf(numbered(1, 300)));
    }
  };
  expect(await test.next()).toBe(textOf(numbered(0, 300)));
  expect(test.file.position.fingerprint.bytes).toBe(fingerprintBytes);
});

it.each([
  ["short", 3],
  ["long", 300],
])("reads a %s file again from its start when the file is rewritten between two steps", async (_, lines) => {
  const test = await opened(textOf(numbered(0, lines)));
  expect(await test.next()).toBe(textOf(numbered(0, lines)));
  const { offset: read } = test.file.position.place;
  const again = textOf(numbered(1000, 1000 + 2 * lines));
  let isWritten = false;
  test.beforeRead = (offset) => {
    if (offset === read && !isWritten) {
      isWritten = true;
      truncateSync(test.at);
      appendFileSync(test.at, again);
    }
  };
  expect(await test.next()).toBe("");
  expect(isWritten).toBe(true);
  expect(await test.next()).toBe("restarted");
  expect(await test.next()).toBe(again);
});

it("detects that a file was rewritten with its old size", async () => {
  const test = await opened("line 1\n");
  expect(await test.next()).toBe("line 1\n");
  expect(await test.file.look()).toBe(false);
  truncateSync(test.at);
  writeFileSync(test.at, "line 2\n");
  // The file system may store the same time for two writes that follow each other quickly. So the test itself sets the
  // time of the second write.
  utimesSync(test.at, 1, 1);
  expect(await test.file.look()).toBe(true);
  expect(await test.next()).toBe("restarted");
  expect(await test.next()).toBe("line 2\n");
});
