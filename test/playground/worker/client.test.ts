// Tests the part of the page that sends jobs to the worker. The tests replace the real worker by one whose runs
// end only when a test stops them.

import * as Comlink from "comlink";
import { afterEach, expect, it, vi } from "vitest";
import { createRunner } from "../../../playground/src/worker/client.ts";
import type { RunAnswer } from "../../../playground/src/worker/protocol.ts";
import { plainJob } from "./load-mill.ts";

/**
 * Replaces the worker of the page in these tests. As in the real worker, a run ends with the reason `stopped`
 * when `stop` is called; unlike in the real worker, a run never ends by itself.
 */
class WaitingWorker {
  onerror: unknown = null;
  private readonly port: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    let end: (answer: RunAnswer) => void = () => {};
    const answer = { kind: "ran", summary: { endReason: "stopped" } } as RunAnswer;
    const api = {
      ready: () => {},
      run: () => new Promise<RunAnswer>((resolve) => (end = resolve)),
      stop: () => end(answer),
    };
    Comlink.expose(api, port2);
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.port.start();
    this.port.postMessage(message, transfer);
  }

  addEventListener(type: string, listener: (event: MessageEvent) => void): void {
    this.port.addEventListener(type as "message", listener);
  }

  removeEventListener(type: string, listener: (event: MessageEvent) => void): void {
    this.port.removeEventListener(type as "message", listener);
  }

  terminate(): void {
    this.port.close();
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("a run that the page stops at its time limit ends with the reason budget", async () => {
  vi.stubGlobal("Worker", WaitingWorker);
  const outcome = await createRunner().run({ ...plainJob, budgetMs: 1 }, () => {});
  expect(outcome).toEqual({ kind: "ran", summary: { endReason: "budget" } });
});

it("a run that the user stops ends with the reason stopped", async () => {
  vi.stubGlobal("Worker", WaitingWorker);
  const runner = createRunner();
  const run = runner.run({ ...plainJob, budgetMs: 0 }, () => {});
  setTimeout(() => runner.stop(), 20);
  expect(await run).toEqual({ kind: "ran", summary: { endReason: "stopped" } });
  const again = runner.run({ ...plainJob, budgetMs: 1 }, () => {});
  expect(await again).toEqual({ kind: "ran", summary: { endReason: "budget" } });
});
