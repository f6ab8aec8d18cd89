// Windows over dropped points (docs/reference/functions.md#point_window.11): a hit brings back the last points before it and the first
// points after it, oldest first.

import type { Point } from "../../../point/point.ts";
import type { PointView } from "../../../point/view.ts";
import { type Detached, detachPoint, detachString } from "./detach.ts";
import type { StateLimits } from "./limits.ts";

/** A place in a window: a dropped point, or null for a point that was passed on anyway. */
type Slot = Detached<Point> | null;

const bytesPerSlot = 16;
const bytesPerWindow = 256;

export class Window {
  readonly key: string;
  readonly before: number;
  readonly after: number;
  /** Number of points that are still to be brought back. */
  hit = 0;
  /** The last `before` points, oldest first. */
  readonly slots: Slot[] = [];
  bytes: number;
  lastUse = 0n;

  constructor(key: string, before: number, after: number) {
    this.key = key;
    this.before = before;
    this.after = after;
    this.bytes = bytesPerWindow + key.length * 2;
  }
}

export class Windows {
  bytes = 0;
  evicted = 0;
  /** Windows by stream, the least recently used first. */
  private readonly windows = new Map<string, Window>();
  private readonly limits: StateLimits;

  constructor(limits: StateLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.windows.size;
  }

  /** Returns the window of a stream, and makes it when there is none; an existing window keeps its sizes. */
  of(stream: string, before: number, after: number, now: bigint): Window {
    let held = this.windows.get(stream);
    if (held === undefined) {
      held = new Window(detachString(stream), before, after);
      this.bytes += held.bytes;
    } else this.windows.delete(stream);
    held.lastUse = now;
    this.windows.set(held.key, held);
    this.evict(held, now);
    return held;
  }

  /** Adds a point whose run has ended to a window. Returns the points that are brought back. */
  move(held: Window, point: PointView, dropped: boolean): Point[] {
    if (held.hit > 0) {
      held.hit--;
      const points = held.slots.flatMap((slot) => (slot === null ? [] : [slot.value]));
      while (held.slots.length > 0) this.forgetOldest(held);
      if (dropped) points.push(detachPoint(point).value);
      return points;
    }
    if (held.before <= 0) return [];
    if (held.slots.length >= held.before) this.forgetOldest(held);
    const slot = dropped ? detachPoint(point) : null;
    held.slots.push(slot);
    this.grow(held, bytesPerSlot + (slot?.bytes ?? 0));
    this.evict(held, held.lastUse);
    return [];
  }

  private forgetOldest(held: Window): void {
    const slot = held.slots.shift()!;
    this.grow(held, -bytesPerSlot - (slot?.bytes ?? 0));
  }

  private grow(held: Window, bytes: number): void {
    held.bytes += bytes;
    this.bytes += bytes;
  }

  /** Removes idle windows, and the oldest windows beyond the limits; `current` only loses its oldest points. */
  private evict(current: Window, now: bigint): void {
    const { limits } = this;
    for (const [key, held] of this.windows) {
      const idle = now - held.lastUse > limits.windowIdle;
      if (held === current || (!idle && this.windows.size <= limits.windows && this.bytes <= limits.windowBytes)) break;
      this.windows.delete(key);
      this.bytes -= held.bytes;
      if (!idle) this.evicted++;
    }
    while (this.bytes > limits.windowBytes && current.slots.length > 0) this.forgetOldest(current);
  }
}
