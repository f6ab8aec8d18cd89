// Names the folders that hold the queues of intake processes (further processes that accept writes). These folders lie
// in the folder of the agent's queues, and their names can never be the name of a queue.

import { readdir } from "node:fs/promises";
import path from "node:path";

const named = /^process-(\d+)$/;

/**
 * Returns the folder for the queues of an intake process (a further process that accepts writes). `number` starts at 2,
 * since the main process is number 1.
 */
export function intakeFolder(queues: string, number: number): string {
  return path.join(queues, `process-${number}`);
}

/**
 * Returns the numbers of the intake processes (further processes that accept writes) that have a folder in the folder
 * `queues`.
 */
export async function intakeNumbers(queues: string): Promise<number[]> {
  const names = await readdir(queues).catch(() => []);
  const numbers = names.flatMap((name) => {
    const number = named.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  return numbers.sort((a, b) => a - b);
}
