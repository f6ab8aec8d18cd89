// Decodes with option objects that are marked as unchanging. The decoder passes settings to the WebAssembly module only
// when they differ from those of the previous body, so the tests alternate between settings.

import { describe, expect, it } from "vitest";
import type { Batch } from "../../../../lib/point/batch/batch.ts";
import type { BodyOptions } from "../../../../lib/point/codec/body.ts";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { encodePoints } from "../../../../lib/point/codec/encode.ts";
import { Key } from "../../../../lib/point/view.ts";
import { loadModule } from "../../wasm/load.ts";

const module = await loadModule();
const utf8 = new TextEncoder();
const body = utf8.encode('a.b,t=1,t=2 x.y=1i,s="text"\na.b x.y=2i 7');

const options: readonly BodyOptions[] = [
  { category: "metric", now: 1000n },
  { category: "metric", now: 2000n },
  { category: "metric", now: 1000n, precision: "ms" },
  { category: "metric", now: 1000n, strict: true },
  { category: "logging", now: 1000n },
  { category: "object", now: 1000n },
  { category: "metric", now: 1000n, maxPoints: 1 },
];

function textOf(batch: Batch): string {
  const text = new TextDecoder().decode(encodePoints(module, batch, "lp"));
  batch.release();
  return text;
}

/** Returns the decoded points as line protocol, or the message of the error. */
function decoded(given: BodyOptions): string {
  try {
    return textOf(decodePoints(module, body, "lp", given));
  } catch (error) {
    return String(error);
  }
}

describe("fixed options", () => {
  const expected = options.map(decoded);

  it("give different results for the body, so that the test notices stale settings", () => {
    expect(new Set(expected).size).toBe(options.length);
  });

  it("give the same results as ordinary options, in every order of two", () => {
    const fixed = options.map((given) => ({ ...given, isFixed: true }));
    for (const [i, first] of fixed.entries()) {
      for (const [j, second] of fixed.entries()) {
        const seen = [decoded(first), decoded(first), decoded(second), decoded(second), decoded(first)];
        expect(seen).toEqual([i, i, j, j, i].map((at) => expected[at]));
      }
    }
  });

  it("may change the value of now between calls", () => {
    const fixed = { category: "metric", now: 1000n, isFixed: true } satisfies BodyOptions;
    for (const now of [1000n, 2000n, 1000n]) {
      fixed.now = now;
      expect(decoded(fixed)).toBe(decoded({ category: "metric", now }));
    }
  });

  it("apply again after a point of another batch was corrected", () => {
    const fixed: BodyOptions = { category: "object", now: 1000n, isFixed: true };
    const change = (given: BodyOptions): string => {
      const first = decodePoints(module, body, "lp", given);
      const second = decodePoints(module, body, "lp", given);
      for (const batch of [first, second, first]) {
        batch.at(0).delete(new Key("name"));
        batch.at(0).setField(new Key("class"), "x");
        batch.correct(0);
      }
      return [textOf(first), textOf(second), decoded(given)].join("\n");
    };
    expect(change(fixed)).toBe(change({ ...fixed, isFixed: false }));
  });
});
