// Keeps a sample of the points that the agent processes, for clients that ask for it
// (docs/reference/agent.md#live-points). A request switches sampling on for some seconds; otherwise nothing is sampled
// or kept. The number of points sampled per second, and the number and bytes of the kept points, are bounded.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { SampleOrder } from "./sample-points.ts";

/** Longest time in seconds for which one request switches sampling on. */
export const mostSeconds = 60;
/** Largest number of requests that wait for points at once. Further requests are answered without waiting. */
const mostPolls = 16;
/** Largest number of points that are sampled from one write. */
const mostPerWrite = 5;
/**
 * Time in milliseconds from the first new point to the answer of a waiting request. Because of this delay, one
 * answer can contain several points.
 */
const gatherMs = 100;

export interface LiveSampleOptions {
  readonly enabled: boolean;
  /** Largest number of points that are kept for clients. */
  readonly maxPoints: number;
  /** Largest number of bytes that the kept points take as JSON. */
  readonly maxBytes: number;
  readonly pointsPerSecond: number;
  /**
   * Returns the present time in milliseconds. Only differences between times are used, so the clock may count from any
   * moment.
   */
  readonly nowMs?: () => number;
}

/** A client's request for sampled points. */
export interface Poll {
  /** The category whose points are sampled; undefined for all categories. */
  readonly category: CategoryName | undefined;
  /** Number of the newest point that the client already has; 0 for a client that has none. */
  readonly after: number;
  /** Number of seconds for which this request switches sampling on. */
  readonly seconds: number;
  /** Longest time in milliseconds that the request waits for a new point. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface PolledPoints {
  /** Number of the newest point; the client sends it as `after` of its next request. */
  readonly last: number;
  /** The sampled points as JSON texts, oldest first. */
  readonly points: readonly string[];
  /** Number of points that are newer than `after` but are no longer kept. */
  readonly missed: number;
}

export interface LiveSample {
  readonly enabled: boolean;
  /**
   * Returns how many points to sample from a write; undefined when no client asks for points, or when enough points
   * were sampled in this second.
   */
  order(category: CategoryName): SampleOrder | undefined;
  /** Keeps the points that were sampled from a write, at most `order.points`. Each point is a JSON text. */
  take(category: CategoryName, points: readonly string[], order: SampleOrder): void;
  poll(poll: Poll): Promise<PolledPoints>;
  /** Answers all waiting requests, and keeps no points from now on. */
  close(): void;
}

interface KeptPoint {
  readonly number: number;
  readonly category: CategoryName;
  readonly json: string;
}

export function createLiveSample(options: LiveSampleOptions): LiveSample {
  return new Sample(options);
}

class Sample implements LiveSample {
  readonly enabled: boolean;
  private readonly options: LiveSampleOptions;
  private readonly nowMs: () => number;
  /**
   * Maps each sampled category to the time in milliseconds at which its sampling ends; the key `*` stands for all
   * categories. Empty while no client asks for points.
   */
  private readonly armed = new Map<CategoryName | "*", number>();
  private kept: KeptPoint[] = [];
  private bytes = 0;
  private last = 0;
  /** Number of points that may still be sampled in the second that began at `secondFrom`. */
  private left = 0;
  private secondFrom = Number.NEGATIVE_INFINITY;
  private readonly waiting = new Set<() => void>();
  private gathering: NodeJS.Timeout | undefined;
  private disarming: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(options: LiveSampleOptions) {
    this.options = options;
    this.enabled = options.enabled;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  order(category: CategoryName): SampleOrder | undefined {
    if (this.armed.size === 0) return undefined;
    const now = this.nowMs();
    const until = Math.max(this.armed.get(category) ?? 0, this.armed.get("*") ?? 0);
    if (until <= now) return undefined;
    if (now - this.secondFrom >= 1000) {
      this.secondFrom = now;
      this.left = this.options.pointsPerSecond;
    }
    const points = Math.min(mostPerWrite, this.left);
    if (points === 0) return undefined;
    this.left -= points;
    return { points };
  }

  take(category: CategoryName, points: readonly string[], order: SampleOrder): void {
    // `order.points` is the number of points that were reserved for this write. When the write had fewer points, the
    // unused number becomes available to other writes.
    this.left = Math.min(this.options.pointsPerSecond, this.left + order.points - points.length);
    if (this.armed.size === 0 || points.length === 0) return;
    const { maxPoints, maxBytes } = this.options;
    for (const json of points) {
      this.kept.push({ number: ++this.last, category, json });
      this.bytes += Buffer.byteLength(json);
    }
    while (this.kept.length > 0 && (this.kept.length > maxPoints || this.bytes > maxBytes)) {
      this.bytes -= Buffer.byteLength(this.kept.shift()!.json);
    }
    if (this.waiting.size > 0) this.gathering ??= setTimeout(() => this.answerAll(), gatherMs);
  }

  async poll({ category, after, seconds, waitMs, signal }: Poll): Promise<PolledPoints> {
    if (!this.isClosed) this.arm(category ?? "*", seconds);
    // When the agent was restarted, it numbers the points from 1 again, so a client may name a number that does not
    // exist yet.
    const from = after > this.last ? 0 : after;
    const isNew = ({ number, category: its }: KeptPoint) =>
      number > from && (category === undefined || its === category);
    const mayWait = waitMs > 0 && !this.isClosed && this.waiting.size < mostPolls;
    if (mayWait && !this.kept.some(isNew)) await this.wait(waitMs, signal);
    const oldest = this.kept[0]?.number ?? this.last + 1;
    return {
      last: this.last,
      points: this.kept.filter(isNew).map(({ number, json }) => `{"number":${number},${json.slice(1)}`),
      missed: from === 0 ? 0 : Math.max(0, oldest - 1 - from),
    };
  }

  close(): void {
    this.isClosed = true;
    this.disarm();
    this.answerAll();
  }

  private arm(category: CategoryName | "*", seconds: number): void {
    const until = this.nowMs() + seconds * 1000;
    this.armed.set(category, Math.max(until, this.armed.get(category) ?? 0));
    clearTimeout(this.disarming);
    const latest = Math.max(...this.armed.values());
    this.disarming = setTimeout(() => this.disarm(), latest - this.nowMs());
    this.disarming.unref();
  }

  /** Stops sampling points, and frees the points that are kept. */
  private disarm(): void {
    clearTimeout(this.disarming);
    this.armed.clear();
    this.kept = [];
    this.bytes = 0;
  }

  /**
   * Resolves when there are new points, when the request has waited long enough, or when the client has closed the
   * connection.
   */
  private wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        this.waiting.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish, { once: true });
      this.waiting.add(finish);
    });
  }

  private answerAll(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    for (const finish of [...this.waiting]) finish();
  }
}
