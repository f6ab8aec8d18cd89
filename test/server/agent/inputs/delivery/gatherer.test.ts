import { expect, it } from "vitest";
import { Gatherer } from "../../../../../server/agent/inputs/delivery/gatherer.ts";

interface Delivery {
  readonly lines: readonly string[];
  readonly answer: (isStored: boolean) => void;
}

/**
 * Starts a gatherer, which collects events and delivers them in batches. Each delivery waits until the test answers it.
 */
function started(mostBytes = 1e9) {
  const waiting: Delivery[] = [];
  let rooms = 0;
  const gatherer = new Gatherer({ onRoom: () => rooms++ });
  const start = () =>
    gatherer.start(
      (body, from, to) =>
        new Promise((answer) => {
          waiting.push({ lines: Buffer.from(body.body(from, to)).toString().trimEnd().split("\n"), answer });
        }),
      mostBytes,
    );
  start();
  const add = (line: string) => {
    gatherer.body.startLine();
    gatherer.body.putAscii(line);
    gatherer.body.endLine();
    gatherer.added();
  };
  const next = async () => {
    await expect.poll(() => waiting.length, { interval: 1 }).toBeGreaterThan(0);
    return waiting.shift()!;
  };
  return { gatherer, add, next, waiting, start, rooms: () => rooms };
}

it("delivers the lines of a few milliseconds together, and then the lines that arrived meanwhile", async () => {
  const { gatherer, add, next } = started();
  add("a");
  add("b");
  const first = await next();
  expect(first.lines).toEqual(["a", "b"]);
  for (const line of ["c", "d", "e"]) add(line);
  expect(gatherer.waiting).toBe(5);
  first.answer(true);
  const second = await next();
  expect(second.lines).toEqual(["c", "d", "e"]);
  second.answer(true);
  await gatherer.flush();
  expect(gatherer.waiting).toBe(0);
});

it("splits gathered lines into writes of 1 MiB", async () => {
  const { add, next, gatherer } = started();
  const line = "x".repeat(99_999);
  for (let at = 0; at < 25; at++) add(line);
  const sizes: number[] = [];
  while (sizes.reduce((sum, each) => sum + each, 0) < 25) {
    const { lines, answer } = await next();
    sizes.push(lines.length);
    answer(true);
    await new Promise(setImmediate);
  }
  expect(Math.max(...sizes)).toBe(10);
  await gatherer.flush();
});

it("is full above its limit, and signals when there is room again", async () => {
  const { gatherer, add, next, rooms } = started(10);
  add("123456789");
  expect([gatherer.isFull, rooms()]).toEqual([true, 0]);
  const { answer } = await next();
  expect(gatherer.isFull).toBe(true);
  answer(true);
  await gatherer.flush();
  expect([gatherer.isFull, rooms()]).toEqual([false, 1]);
});

it("keeps undelivered lines when it stops, and delivers them after the next start", async () => {
  const { gatherer, add, next, start } = started();
  add("a");
  const refused = await next();
  add("b");
  const stopped = gatherer.stop(5000);
  refused.answer(false);
  await stopped;
  expect(gatherer.waiting).toBe(2);
  add("c");
  start();
  const first = await next();
  expect(first.lines).toEqual(["a"]);
  first.answer(true);
  const second = await next();
  expect(second.lines).toEqual(["b", "c"]);
  second.answer(true);
  await gatherer.flush();
  expect(gatherer.waiting).toBe(0);
});

it("stops within the time limit although a delivery does not end", async () => {
  const { gatherer, add, next } = started();
  add("a");
  await next();
  await gatherer.stop(20);
  expect(gatherer.waiting).toBe(1);
});
