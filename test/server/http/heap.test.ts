import { setFlagsFromString } from "node:v8";
import { runInNewContext, runInThisContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { createIdleCollection, keepTickShape } from "../../../server/http/heap.ts";

const mb = 1024 * 1024;

/**
 * Calls the function that decides whether an idle process collects garbage, once for each element of `steps`. An
 * element has the time, the load and the memory of the process at a call. Returns the numbers (from 1) of the calls in
 * which the function collected garbage.
 */
function collectionsIn(steps: readonly { seconds: number; busy: number; megabytes: number }[], left: number): number[] {
  let step = { seconds: 0, busy: 0, megabytes: left };
  const collections: number[] = [];
  let at = 0;
  const check = createIdleCollection({
    now: () => step.seconds * 1000,
    utilization: () => step.busy,
    bytesInUse: () => step.megabytes * mb,
    collect: () => {
      collections.push(at);
      step = { ...step, megabytes: left };
    },
  });
  for (const next of steps) {
    at++;
    step = { ...next };
    check();
  }
  return collections;
}

it.each([
  ["an idle thread whose memory has grown", [{ seconds: 3, busy: 0.01, megabytes: 60 }], [1]],
  ["no busy thread", [{ seconds: 3, busy: 0.5, megabytes: 60 }], []],
  ["nothing where little garbage is", [{ seconds: 3, busy: 0, megabytes: 35 }], []],
  [
    "at most once a minute",
    [
      { seconds: 3, busy: 0, megabytes: 60 },
      { seconds: 6, busy: 0, megabytes: 60 },
      { seconds: 62, busy: 0, megabytes: 60 },
      { seconds: 63, busy: 0, megabytes: 60 },
    ],
    [1, 4],
  ],
  [
    "once after a burst, when the memory of V8's own collections is the measure",
    [
      { seconds: 3, busy: 1, megabytes: 90 },
      { seconds: 6, busy: 1, megabytes: 12 },
      { seconds: 9, busy: 0, megabytes: 29 },
      { seconds: 90, busy: 0, megabytes: 22 },
    ],
    [3],
  ],
])("collects %s", (_what, steps, expected) => {
  expect(collectionsIn(steps, 20)).toEqual(expected);
});

it("the objects of process.nextTick keep their shape over full garbage collections", async () => {
  for (const flag of ["--allow-natives-syntax", "--expose-gc"]) setFlagsFromString(flag);
  const haveSameShape = runInThisContext("(a, b) => %HaveSameMap(a, b)") as (a: object, b: object) => boolean;
  const collect = runInNewContext("gc") as () => void;
  onTestFinished(() => {
    for (const flag of ["--no-allow-natives-syntax", "--no-expose-gc"]) setFlagsFromString(flag);
  });
  const ticks: object[] = [];
  const take = async () => {
    keepTickShape(ticks);
    await new Promise((resolve) => process.nextTick(resolve));
  };
  await take();
  for (let times = 0; times < 5; times++) collect();
  await take();
  expect(ticks.length).toBe(2);
  // Only an object that Node makes for a call of `process.nextTick` has the property `callback`. So this check
  // shows that the test compares the right objects.
  expect(ticks[0]).toHaveProperty("callback");
  expect(haveSameShape(ticks[0]!, ticks[1]!)).toBe(true);
});
