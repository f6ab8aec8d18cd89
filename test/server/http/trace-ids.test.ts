import { expect, it } from "vitest";
import { createTraceIds } from "../../../server/http/trace-ids.ts";

it("ids of requests are different from each other, and from those of another process", () => {
  const [one, other] = [createTraceIds(), createTraceIds()];
  const ids = Array.from({ length: 1000 }, () => [one(), other()]).flat();
  expect(new Set(ids).size).toBe(2000);
  for (const id of ids) expect(id).toMatch(/^trace_[\da-f-]{36}-\d+$/);
});
