// A queue on a disk that is full or fails: the queue reports this once, tries small probe writes until the disk works
// again, and leaves no probe file.

import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Position } from "../../../server/queue/log/cursor.ts";
import { type QueueFiles, realFiles } from "../../../server/queue/log/files.ts";
import { segmentName } from "../../../server/queue/log/segment-files.ts";
import { probeMs } from "../../../server/queue/outage.ts";
import { QueueFailed } from "../../../server/queue/queue.ts";
import { openSpool } from "../../../server/queue/spool.ts";
import { faultyFiles } from "./faulty-files.ts";
import { drain, hasSpare, open, put, text } from "./recording-queue.ts";
import { temporaryFolder } from "./temporary-folder.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const segmentsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".seg"));

/**
 * Makes a disk with limited space for segment files and for the probe file. `probes` records the size of each probe
 * write.
 */
function smallDisk(): { readonly files: QueueFiles; readonly disk: { free: number }; readonly probes: number[] } {
  const disk = { free: Number.POSITIVE_INFINITY };
  const probes: number[] = [];
  const opened = async (name: string) => {
    const file = await realFiles.openOrMake(name);
    const isProbe = name.endsWith("probe");
    return {
      ...file,
      write: async (parts: readonly Uint8Array[], at: number) => {
        const bytes = parts.reduce((sum, { length }) => sum + length, 0);
        if (isProbe) probes.push(bytes);
        if (bytes > disk.free) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
        await file.write(parts, at);
      },
    };
  };
  return { disk, probes, files: { ...realFiles, openOrMake: opened } };
}

describe("a queue that cannot be written", () => {
  it.each([
    ["write", "ENOSPC"],
    ["sync", "EIO"],
    ["open", "ENOSPC"],
    ["syncFolder", "EIO"],
  ] as const)("says so once, refuses, and works again without a put: %s %s", async (operation, code) => {
    const folder = temporaryFolder();
    const files = faultyFiles();
    const { queue, events } = await open(folder, { files });
    expect(queue.failure).toBeUndefined();
    files.fail(operation, code, { partly: 7 });
    for (let at = 0; at < 5; at++) {
      await expect(put(queue, text("x"))).rejects.toThrow(new QueueFailed(`the queue could not be written: ${code}`));
    }
    expect(queue.failure).toBe(code);
    expect(segmentsIn(folder)).toEqual([]);
    for (let probes = 0; probes < 3; probes++) await vi.advanceTimersByTimeAsync(probeMs);
    expect(queue.failure).toBe(code);
    expect(events.writable).toEqual([`${code}: injected`]);

    files.heal();
    const healed = async () => {
      await vi.advanceTimersByTimeAsync(probeMs);
      return queue.failure;
    };
    await expect.poll(healed).toBeUndefined();
    expect(events.writable).toEqual([`${code}: injected`, "again"]);
    expect(readdirSync(folder).filter((name) => name === "probe")).toEqual([]);
    await put(queue, "goes on");
    expect(await drain(queue)).toEqual(["goes on"]);
    await queue.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is probed with as many bytes as the largest refused write", async () => {
    const { files, disk, probes } = smallDisk();
    const { queue, events } = await open(temporaryFolder(), { files });
    disk.free = 100;
    await expect(put(queue, "x".repeat(300))).rejects.toThrow("ENOSPC");
    await expect(put(queue, text("y"))).rejects.toThrow("ENOSPC");
    // The next write is small and succeeds. But the queue must still probe with the size of the largest write that the
    // disk has refused.
    await put(queue, "small");
    disk.free = 200;
    await vi.advanceTimersByTimeAsync(probeMs);
    await expect.poll(() => probes).toEqual([336]);
    expect(queue.failure).toBe("ENOSPC");
    disk.free = 400;
    const healed = async () => {
      await vi.advanceTimersByTimeAsync(probeMs);
      return events.writable;
    };
    await expect.poll(healed).toEqual(["ENOSPC: no space left", "again"]);
    expect(await drain(queue)).toEqual(["small"]);
    await queue.close();
  });

  it("removes its spare, also one that it keeps while it cannot be written", async () => {
    const folder = temporaryFolder();
    const files = faultyFiles();
    const { queue } = await open(folder, { files });
    for (const letter of "abcde") await put(queue, text(letter));
    const [consumer] = queue.consumers;
    const ends: Position[] = [];
    for (let at = 0; at < 5; at++) ends.push((await consumer!.next())!.end);
    await consumer!.acknowledge(ends[1]!);
    expect(hasSpare(folder)).toBe(true);
    files.fail("write", "ENOSPC");
    await expect(put(queue, "x")).rejects.toThrow("ENOSPC");
    await expect.poll(() => hasSpare(folder)).toBe(false);
    await consumer!.acknowledge(ends[3]!);
    expect(hasSpare(folder)).toBe(true);
    await vi.advanceTimersByTimeAsync(probeMs);
    await expect.poll(() => hasSpare(folder)).toBe(false);
    expect([queue.failure, queue.spare.bytes]).toEqual(["ENOSPC", 0]);
    await queue.close();
  });

  it("is not probed after close, and the probe file of a killed process is removed", async () => {
    const folder = temporaryFolder();
    const files = faultyFiles();
    const { queue } = await open(folder, { files });
    files.fail("write", "ENOSPC");
    await expect(put(queue, "x")).rejects.toThrow("ENOSPC");
    await queue.close();
    expect(vi.getTimerCount()).toBe(0);
    writeFileSync(path.join(folder, "probe"), "left");
    const again = await open(folder);
    expect(readdirSync(folder)).not.toContain("probe");
    await again.queue.close();
  });
});

it("the queue keeps no removed file open, because its disk space would not become free", async () => {
  const folder = temporaryFolder();
  const held = new Map<string, number>();
  const counting = (how: "open" | "openOrMake") => async (name: string) => {
    const file = await realFiles[how](name);
    const { ino } = statSync(name);
    const key = `${path.basename(name)} ${ino}`;
    held.set(key, (held.get(key) ?? 0) + 1);
    return {
      ...file,
      close: async () => {
        held.set(key, held.get(key)! - 1);
        await file.close();
      },
    };
  };
  const heldSegments = () => [...held].flatMap(([key, count]) => (count > 0 && key.includes(".seg") ? [key] : []));
  const files: QueueFiles = { ...realFiles, open: counting("open"), openOrMake: counting("openOrMake") };
  const before = await open(folder, { files });
  for (const letter of "ab") await put(before.queue, text(letter));
  await before.queue.close();

  // The disk refuses writes, but reading still works. So the queue must return the records that an earlier queue has
  // stored in the same folder.
  const faulty = faultyFiles();
  const { queue } = await open(folder, {
    files: {
      ...files,
      openOrMake: async (name) => {
        if (name.endsWith(".seg")) await (await faulty.openOrMake(name)).close();
        return await files.openOrMake(name);
      },
    },
  });
  faulty.fail("open", "ENOSPC");
  await expect(put(queue, "refused")).rejects.toThrow("ENOSPC");
  expect(await drain(queue)).toEqual([text("a"), text("b")]);
  expect(segmentsIn(folder)).toEqual([]);
  expect(heldSegments()).toEqual([]);
  await queue.close();

  const dropping = await open(folder, { files, full: "drop-oldest", maxBytes: 700 });
  for (const letter of "cdef") await put(dropping.queue, text(letter));
  await dropping.queue.consumers[0]!.next();
  for (const letter of "ghijkl") await put(dropping.queue, text(letter));
  const names = segmentsIn(folder);
  for (const key of heldSegments()) expect(names).toContain(key.split(" ")[0]);
  await dropping.queue.close();
});

describe("a spool", () => {
  const nothing = () => {};
  const openRecording = async (folder: string, gate: Promise<void> = Promise.resolve()) => {
    const events: string[] = [];
    const spool = await openSpool({
      folder,
      consumers: ["target"],
      isName: (name) => name.length === 1,
      queueBytes: 1600,
      sync: "os",
      full: "refuse",
      maxBytes: 0,
      enoughPoints: 1,
      maxAgeMs: 0,
      firstDelayMs: 1,
      longestDelayMs: 1,
      inFlight: 1,
      idPrefix: "t",
      send: async () => {
        await gate;
        return { kind: "taken" };
      },
      events: {
        found: nothing,
        buried: nothing,
        retry: nothing,
        queue: (name) => ({
          ...{ dropped: nothing, damaged: nothing, lost: nothing, torn: nothing, failed: nothing },
          unwritable: () => events.push(`${name} fails`),
          writable: () => events.push(`${name} works`),
        }),
      },
    });
    return { spool, events };
  };
  const recordOf = (text: string) => ({ body: Buffer.from(text), meta: Buffer.alloc(0), points: 1 });

  it("opens a queue later that a put could not open, and reports the failure once", async () => {
    const folder = temporaryFolder();
    const { spool, events } = await openRecording(folder);
    // A file already has the name of the folder that the queue "a" needs. So the spool cannot open this queue.
    writeFileSync(path.join(folder, "a"), "");
    for (let at = 0; at < 3; at++) {
      await expect(spool.put("a", recordOf("x"))).rejects.toThrow("the queue could not be opened: EEXIST");
    }
    expect([...spool.unwritable()]).toEqual([["a", "EEXIST"]]);
    await vi.advanceTimersByTimeAsync(probeMs);
    rmSync(path.join(folder, "a"));
    const healed = async () => {
      await vi.advanceTimersByTimeAsync(probeMs);
      return spool.unwritable().size;
    };
    await expect.poll(healed).toBe(0);
    expect(events).toEqual(["a fails", "a works"]);
    await spool.put("a", recordOf("x"));
    await spool.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    // A folder has the name of the next segment file of queue b, so this file cannot be created.
    ["written", (folder: string) => mkdirSync(path.join(folder, "b", segmentName(2))), "EISDIR"],
    ["opened", (folder: string) => writeFileSync(path.join(folder, "c"), ""), "EEXIST"],
  ] as const)("removes the spares of all queues when one queue cannot be %s", async (_, obstruct, code) => {
    const folder = temporaryFolder();
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { spool } = await openRecording(folder, gate);
    for (let at = 0; at < 2; at++) await spool.put("a", recordOf("x".repeat(300)));
    await spool.put("b", recordOf("x"));
    goOn();
    await expect.poll(() => hasSpare(path.join(folder, "a"))).toBe(true);
    await expect.poll(() => spool.queues.get("b")!.consumers[0].isDone).toBe(true);
    const { bytes } = spool;
    obstruct(folder);
    await expect(spool.put(code === "EEXIST" ? "c" : "b", recordOf("x".repeat(390)))).rejects.toThrow(code);
    await vi.advanceTimersByTimeAsync(code === "EEXIST" ? probeMs : 0);
    await expect.poll(() => hasSpare(path.join(folder, "a"))).toBe(false);
    expect(spool.bytes).toBeLessThan(bytes);
    await spool.close();
  });
});
