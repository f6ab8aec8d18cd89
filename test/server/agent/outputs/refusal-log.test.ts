import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRefusalLog } from "../../../../server/agent/outputs/refusal-log.ts";
import { createLog } from "../../../../server/telemetry/log.ts";

describe("the log of refused writes", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("contains the first refusal of a category at once, and those of the next second in one line", () => {
    const lines: string[] = [];
    const refused = createRefusalLog(createLog("error", (line) => lines.push(line.replace(/^\S+ /, ""))));
    for (let at = 0; at < 1000; at++) refused("metric", 5, `full ${at}`);
    refused("logging", 1, "full");
    expect(lines).toEqual([
      "ERROR queue: 5 points of metric refused: full 0\n",
      "ERROR queue: 1 points of logging refused: full\n",
    ]);
    vi.advanceTimersByTime(1000);
    expect(lines.slice(2)).toEqual(["ERROR queue: 999 more writes with 4995 points of metric refused: full 999\n"]);
    refused("metric", 2, "full again");
    expect(lines.slice(3)).toEqual(["ERROR queue: 2 points of metric refused: full again\n"]);
    vi.advanceTimersByTime(1000);
    expect(lines).toHaveLength(4);
  });
});
