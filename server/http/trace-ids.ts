// Makes ids for requests that have none. Each id is unique everywhere: a random part for the process, then a count. A
// fully random id would cost a considerable part of what the headers of an answer cost.

import { randomUUID } from "node:crypto";

export function createTraceIds(): () => string {
  const start = `trace_${randomUUID()}-`;
  let count = 0;
  return () => start + ++count;
}
