// Windows over dropped points (docs/reference/functions.md#point_window). A window stores the last points of a
// stream. When a script calls `window_hit` for a point, the dropped points directly before and after this point
// are brought back, oldest first.

import type { Point } from "../../../point/point.ts";
import type { PointView } from "../../../point/view.ts";
import { type Detached, detachPoint, detachString } from "./detach.ts";
import type { StateLimits } from "./limits.ts";

/**
 * A point in a window (the last points of a stream): a copy of a dropped point, or null for a point that was not
 * dropped. Only dropped points have to be brought back.
 */
type Slot = Detached<Point> | null;

const bytesPerSlot = 16;
const bytesPerWindow = 256;

export class Window {
  readonly key: string;
  readonly before: number;
  readonly after: number;
  /**
   * Number of following points for which the last call of `window_hit` is still in effect. Each of these points is
   * brought back if its script drops it.
   */
  hit = 0;
  /** The last `before` points of the stream, oldest first. */
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
  /** Windows by the name of their stream, the least recently used first. */
  private readonly windows = new Map<string, Window>();
  private readonly limits: StateLimits;

  constructor(limits: StateLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.windows.size;
  }

  /**
   * Returns the window (list of the last points) of a stream; makes the window when the stream has none. For an
   * existing window, `before` and `after` are ignored.
   */
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

  /**
   * Adds a point, whose run has ended, to a window (list of the last points of a stream). Returns the dropped points
   * that are brought back now.
   */
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

  /**
   * Removes idle windows (lists of the last points of a stream). While a limit is exceeded, also removes the
   * oldest windows. The window `current` is never removed; only its oldest points may be removed.
   */
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
