// Folders of the queues of intake processes, inside that of the agent's queues. Their names are no names of queues.

import { readdir } from "node:fs/promises";
import path from "node:path";

const named = /^process-(\d+)$/;

/** `number` counts from 2: the main process is the first. */
export function intakeFolder(queues: string, number: number): string {
  return path.join(queues, `process-${number}`);
}

/** Numbers of the processes that have, or had, a folder there. */
export async function intakeNumbers(queues: string): Promise<number[]> {
  const names = await readdir(queues).catch(() => []);
  const numbers = names.flatMap((name) => {
    const number = named.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.sort((a, b) => a - b);
}
