// Measures how many syslog messages per second a program receives over UDP without loss.

import { createSocket } from "node:dgram";
import { setTimeout as wait } from "node:timers/promises";
import { cpuSecondsOf } from "../http/process-use.ts";
import { freePort } from "../http/targets.ts";
import { accessLine } from "./access-lines.ts";
import type { Program, Running } from "./programs.ts";

export interface Rate {
  readonly name: string;
  /**
   * Highest of the tried rates, in messages per second, at which no message was lost; 0 when messages were lost
   * even at the lowest rate.
   */
  readonly perSecond: number;
  readonly cpuMicrosPerMessage: number | undefined;
}

/**
 * Tries the rates in ascending order and sends messages for `seconds` seconds at each rate. Ends when messages are lost
 * twice at the same rate. Messages that the system drops because the receiver is too slow count as lost.
 */
export async function rateOf(program: Program, rates: readonly number[], seconds: number): Promise<Rate> {
  const port = await freePort();
  const running = await program.start(port);
  let best: Rate = { name: program.name, perSecond: 0, cpuMicrosPerMessage: undefined };
  try {
    await sendAt(port, 2000, 1);
    await quiet(running);
    if (!running.output.isParsed) throw new Error("the output has no parsed fields");
    for (const rate of rates) {
      let isLossless = false;
      for (let tries = 0; tries < 2 && !isLossless; tries++) {
        const [before, cpu] = [running.output.lines(), cpuSecondsOf(running.pid)];
        const { sent, perSecond } = await sendAt(port, rate, seconds);
        const received = (await quiet(running)) - before;
        const used = cpuSecondsOf(running.pid);
        isLossless = received === sent && perSecond > 0.95 * rate;
        const cpuMicrosPerMessage =
          used === undefined || cpu === undefined ? undefined : ((used - cpu) * 1e6) / received;
        if (isLossless) best = { name: program.name, perSecond: Math.round(perSecond), cpuMicrosPerMessage };
      }
      if (!isLossless) break;
    }
    return best;
  } finally {
    await running.stop();
  }
}

/** Sends messages at an even rate. Returns how many were sent, and the rate that was reached. */
async function sendAt(port: number, rate: number, seconds: number) {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.connect(port, "127.0.0.1", resolve));
  const began = performance.now();
  let sent = 0;
  for (;;) {
    const passed = Math.min(performance.now() - began, 1000 * seconds);
    const due = Math.floor((passed * rate) / 1000);
    let last: Promise<unknown> | undefined;
    for (; sent < due; sent++) {
      const message = `<13>Oct 10 13:55:36 box nginx: ${accessLine(sent)}`;
      last = new Promise((resolve) => socket.send(message, resolve));
    }
    if (passed === 1000 * seconds) break;
    await last;
    await wait(1);
  }
  const perSecond = (1000 * sent) / (performance.now() - began);
  socket.close();
  return { sent, perSecond };
}

/** Waits until the output did not grow for a second. Returns its number of lines. */
async function quiet({ output }: Running): Promise<number> {
  for (let before = -1; ; ) {
    const now = output.lines();
    if (now === before) return now;
    before = now;
    await wait(1000);
  }
}
