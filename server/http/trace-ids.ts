// Ids of requests that bring none, different from all others anywhere: random for the process, then a count. An id that is random as a
// whole costs a good part of what the headers of an answer do.

import { randomUUID } from "node:crypto";

export function createTraceIds(): () => string {
  const start = `trace_${randomUUID()}-`;
  let count = 0;
  return () => start + ++count;
}
