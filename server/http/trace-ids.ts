// Makes trace ids for requests that have none. Each id is unique everywhere, because it is a random part for the
// process, followed by a count. A fully random id would cost much time compared with the other headers of an answer.

import { randomUUID } from "node:crypto";

export function createTraceIds(): () => string {
  const start = `trace_${randomUUID()}-`;
  let count = 0;
  return () => start + ++count;
}
