// Measures the processor time of the page's main thread and of the services. Unlike the time of a clock, it does not
// grow when other programs use the machine.

import { readFileSync } from "node:fs";

/**
 * Runs `work`. Returns the processor time in milliseconds that the page's main thread used while `work` ran: the
 * total of all tasks, and the time of the longest task.
 */
export async function taskTimes(browser, page, work) {
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const main = new Set();
  for (const { name, pid, tid, args } of traceEvents)
    if (name === "thread_name" && args.name === "CrRendererMain") main.add(`${pid} ${tid}`);
  const byProcess = new Map();
  for (const { name, pid, tid, tdur } of traceEvents) {
    if (name !== "RunTask" || tdur === undefined || !main.has(`${pid} ${tid}`)) continue;
    const { all, longest } = byProcess.get(pid) ?? { all: 0, longest: 0 };
    byProcess.set(pid, { all: all + tdur / 1000, longest: Math.max(longest, tdur / 1000) });
  }
  // The trace also contains the processes of other pages, which did nothing during the measurement. So the process
  // with the most processor time belongs to the measured page.
  return [...byProcess.values()].sort((a, b) => b.all - a.all)[0];
}

/**
 * Returns the processor time in milliseconds that a process has used; null when the operating system does not report
 * it.
 */
export function processorMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    // User time and system time, in hundredths of a second.
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}
