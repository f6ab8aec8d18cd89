// Names the folders of the intake processes' queues, inside the folder of the agent's queues. No queue can have such a
// name.

import { readdir } from "node:fs/promises";
import path from "node:path";

const named = /^process-(\d+)$/;

/** Returns the folder of a process. `number` starts at 2: the main process is number 1. */
export function intakeFolder(queues: string, number: number): string {
  return path.join(queues, `process-${number}`);
}

/** Returns the numbers of the processes that have a folder there. */
export async function intakeNumbers(queues: string): Promise<number[]> {
  const names = await readdir(queues).catch(() => []);
  const numbers = names.flatMap((name) => {
    const number = named.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.sort((a, b) => a - b);
}
