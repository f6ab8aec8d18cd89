import { afterEach, describe, expect, it } from "vitest";
import { type IdleOptions, JobAborted, Pool, WorkerCrashed } from "../../../server/agent/thread-pool.ts";

let pool: Pool<number | string, number>;
let crashes: string[];
let starts: number;

function open(size: number, idle?: IdleOptions): void {
  crashes = [];
  starts = 0;
  pool = new Pool({
    script: new URL("./crashing-worker.mjs", import.meta.url),
    size,
    mostWaiting: 4,
    workerData: () => {
      starts++;
      return {};
    },
    onCrash: (reason) => crashes.push(reason),
    ...(idle === undefined ? {} : { idle }),
  });
}

afterEach(() => pool.close());

const patience = { timeout: 20_000, interval: 20 };

describe("idle workers", () => {
  it("all end, and the next job starts a new one", async () => {
    open(3, { surplusMs: 1, lastMs: 1, mayEnd: () => true });
    await Promise.all([1, 2, 3].map((job) => pool.run(job, [])));
    await expect.poll(() => pool.running, patience).toBe(0);
    expect(pool.hasStarted).toBe(false);
    const before = starts;
    expect(await pool.run(4, [])).toBe(8);
    expect(starts).toBe(before + 1);
    await expect.poll(() => pool.running, patience).toBe(0);
    expect(crashes).toEqual([]);
  });

  it("end until one is left, which stays longer", async () => {
    open(3, { surplusMs: 1, lastMs: 60_000, mayEnd: () => true });
    await Promise.all([1, 2, 3].map((job) => pool.run(job, [])));
    await expect.poll(() => pool.running, patience).toBe(1);
    expect(await pool.run(4, [])).toBe(8);
  });

  it("stay while they keep state, and while a job runs", async () => {
    open(2, { surplusMs: 1, lastMs: 1, mayEnd: (isPinned) => !isPinned("a") });
    const [slotOfA, ...others] = ["a", "b", "c", "d"].map((pin) => pool.run("heard", [], undefined, pin));
    await Promise.all([slotOfA, ...others]);
    await expect.poll(() => pool.running, patience).toBe(1);
    // The job "heard" returns how many messages its thread has received. When the number is larger than one, this
    // thread has also run the first job with the key "a". So the pool has kept the thread.
    expect(await pool.run("heard", [], undefined, "a")).toBeGreaterThan(1);
    const hanging = pool.run("hang", [], undefined, "b");
    await expect.poll(() => pool.running, patience).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(pool.running).toBe(2);
    await Promise.all([pool.close(), expect(hanging).rejects.toThrow(JobAborted)]);
  });
});

describe("pool of workers", () => {
  it("answers more jobs than it has workers", async () => {
    open(2);
    expect(await Promise.all([1, 2, 3, 4, 5].map((job) => pool.run(job, [])))).toEqual([2, 4, 6, 8, 10]);
  });

  it("starts another worker when a job waits and no worker is starting for it", async () => {
    open(3);
    const first = pool.run(1, []);
    expect(starts).toBe(1);
    const second = pool.run(2, []);
    expect(starts).toBe(2);
    expect(await Promise.all([first, second])).toEqual([2, 4]);
    for (const job of [3, 4, 5]) expect(await pool.run(job, [])).toBe(2 * job);
    expect(starts).toBe(2);
    await Promise.all([1, 2, 3, 4, 5, 6].map((job) => pool.run(job, [])));
    expect(starts).toBe(3);
  });

  it("starts another worker while the first one is paused after crashes", async () => {
    open(2);
    for (let crash = 1; crash <= 4; crash++) await expect(pool.run("exit", [])).rejects.toThrow(WorkerCrashed);
    expect(starts).toBe(4);
    const good = pool.run(1, []);
    expect(starts).toBe(5);
    expect(await good).toBe(2);
  });

  it("starts the worker that a job is pinned to, though another is free", async () => {
    open(2);
    expect(await pool.run(1, [], undefined, "a")).toBe(2);
    expect(starts).toBe(1);
    expect(await pool.run(1, [], undefined, "b")).toBe(2);
    expect(starts).toBe(2);
    await Promise.all(["a", "b"].map((pin) => pool.run(1, [], undefined, pin)));
    // The job "heard" returns how many messages its thread has received. All jobs with the same key run in the same
    // thread, so the returned number includes only messages for jobs with this key.
    expect(await pool.run("heard", [], undefined, "a")).toBe(3);
    expect(await pool.run("heard", [], undefined, "b")).toBe(3);
  });

  it("sends a message to the workers that have started, and returns their number", async () => {
    open(3);
    expect(pool.broadcast({ job: 1 })).toBe(0);
    expect(pool.hasStarted).toBe(false);
    pool.startFirst();
    pool.startFirst();
    expect(pool.hasStarted).toBe(true);
    expect(pool.broadcast({ job: 1 })).toBe(1);
    await pool.run(1, []);
    expect(await pool.run("heard", [])).toBe(3);
    expect(starts).toBe(1);
    const two = [pool.run("hang", []), pool.run(1, [])];
    expect(pool.broadcast({ job: 1 })).toBe(2);
    await two[1];
    expect(starts).toBe(2);
    void two[0]!.catch(() => {});
  });

  it("replaces a worker that dies; only its job fails", async () => {
    open(1);
    const jobs = await Promise.allSettled([
      pool.run("exit", []),
      pool.run(1, []),
      pool.run("throw", []),
      pool.run(2, []),
    ]);
    expect(jobs.map((job) => (job.status === "fulfilled" ? job.value : job.reason.constructor))).toEqual([
      WorkerCrashed,
      2,
      WorkerCrashed,
      4,
    ]);
    expect(crashes).toEqual(["exit code 3", "worker failed"]);
  });

  it("runs the next jobs of a worker while another job of it only waits", async () => {
    open(1);
    const order: number[] = [];
    const jobs = [200, 1, "go", 2].map((job) => pool.run(job, []).then((answer) => order.push(answer)));
    await Promise.all(jobs);
    expect(order).toEqual([2, 0, 400, 4]);
  });

  it("fails jobs that wait on a worker that dies", async () => {
    open(1);
    const jobs = await Promise.allSettled([pool.run(200, []), pool.run("exit", []), pool.run(3, [])]);
    expect(jobs.map((job) => (job.status === "fulfilled" ? job.value : job.reason.constructor))).toEqual([
      WorkerCrashed,
      WorkerCrashed,
      6,
    ]);
  });

  it("lets the worker live when the caller of a waiting job gives up", async () => {
    open(1);
    const abort = new AbortController();
    const waiting = pool.run(200, [], abort.signal);
    // The only worker thread handles its messages in order. So when it has answered the job 1, it has also received the
    // job 200, which waits for "go".
    expect(await pool.run(1, [])).toBe(2);
    abort.abort();
    await expect(waiting).rejects.toBeInstanceOf(JobAborted);
    expect(await pool.run("go", [])).toBe(0);
    expect(await pool.run("heard", [])).toBe(4);
    expect(crashes).toEqual([]);
  });

  it("ends a hanging job with its worker when the caller gives up", async () => {
    open(1);
    const abort = new AbortController();
    const hanging = pool.run("hang", [], abort.signal);
    const waiting = pool.run(21, []);
    // The job 21 still waits in the pool, so the only thread of the pool is busy with the job "hang".
    await expect.poll(() => pool.waiting).toBe(1);
    abort.abort();
    await expect(hanging).rejects.toBeInstanceOf(JobAborted);
    expect(await waiting).toBe(42);
    expect(crashes).toEqual([]);
  });

  it("replaces each ended worker once, however many jobs end at the same time", async () => {
    open(2);
    const callers = Array.from({ length: 102 }, () => new AbortController());
    const jobs = callers.map(({ signal }) => pool.run("hang", [], signal));
    await expect.poll(() => pool.waiting).toBe(100);
    for (const caller of callers) caller.abort();
    const ends = await Promise.allSettled(jobs);
    expect(ends.every((end) => end.status === "rejected" && end.reason instanceof JobAborted)).toBe(true);
    expect(await Promise.all([pool.run(1, []), pool.run(2, [])])).toEqual([2, 4]);
    expect(starts).toBe(4);
  });

  it("is full while the maximum number of jobs wait, in the queue or on a worker", async () => {
    open(1);
    const parked = [100, 200].map((job) => pool.run(job, []));
    // The only worker thread handles its messages in order. So when it has answered the job 1, it has also received the
    // jobs 100 and 200, which wait for "go".
    await pool.run(1, []);
    expect([pool.waiting, pool.isFull]).toEqual([0, false]);
    const abort = new AbortController();
    const [hanging, ...queued] = ["hang", 1, 2].map((job) => pool.run(job, [], abort.signal));
    expect([pool.waiting, pool.isFull]).toEqual([2, true]);
    abort.abort();
    await Promise.allSettled([hanging, ...queued, ...parked]);
    expect(pool.isFull).toBe(false);
  });
});
