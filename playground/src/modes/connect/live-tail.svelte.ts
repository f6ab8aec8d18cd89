// The list of live points: asks the agent for sampled points again and again while the tab with the list is shown.

import { fetchLive, type LivePoint } from "./agent-client.ts";
import { messageOf } from "./connection.svelte.ts";

/** Largest number of points that the page shows. */
const mostShown = 200;
/** Pause in milliseconds between two requests. It limits how often the page is drawn. */
const pauseMs = 250;
/** Pause in milliseconds after a request that failed. */
const failedPauseMs = 3000;

/**
 * A point with a number that is unique on the page. The numbers that the agent gives are not unique, because they start
 * again when the agent restarts.
 */
export type ShownPoint = LivePoint & { readonly id: number };

export class LiveTail {
  /** The category (such as metrics or logs) whose points are shown; empty for all categories. */
  category = $state("");
  /** The live points that are shown, newest first. */
  points = $state.raw<readonly ShownPoint[]>([]);
  /** The points that arrived while the user had stopped the list, newest first. */
  held = $state.raw<readonly ShownPoint[]>([]);
  /** Whether the list is stopped. While it is stopped, new points are collected in `held` and not shown. */
  isHeld = $state(false);
  isRunning = $state(false);
  failure = $state("");
  /** Number of sampled points that the agent dropped before the page asked for them. */
  missed = $state(0);
  private last = 0;
  private taken = 0;
  private aborting = new AbortController();

  /** Starts to ask the agent for live points. Does nothing when the page already asks for them. */
  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.aborting = new AbortController();
    void this.follow(this.aborting.signal);
  }

  /** Stops asking for points. The agent stops sampling some seconds later. */
  stop(): void {
    this.isRunning = false;
    this.aborting.abort();
  }

  /** Removes all points from the list, because the page is about to show another agent. */
  forget(): void {
    this.last = 0;
    this.missed = 0;
    this.isHeld = false;
    this.choose(this.category);
  }

  choose(category: string): void {
    const wasRunning = this.isRunning;
    this.stop();
    this.category = category;
    this.points = [];
    this.held = [];
    if (wasRunning) this.start();
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) return;
    this.points = [...this.held, ...this.points].slice(0, mostShown);
    this.held = [];
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pause = pauseMs;
      try {
        const { points, last, missed } = await fetchLive(this.last, this.category, signal);
        if (signal.aborted) return;
        this.last = last;
        this.missed += missed;
        this.failure = "";
        this.add(points.map((point) => ({ ...point, id: ++this.taken })).reverse());
      } catch (error) {
        if (signal.aborted) return;
        this.failure = messageOf(error);
        pause = failedPauseMs;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private add(points: readonly ShownPoint[]): void {
    if (points.length === 0) return;
    if (this.isHeld) this.held = [...points, ...this.held].slice(0, mostShown);
    else this.points = [...points, ...this.points].slice(0, mostShown);
  }
}
