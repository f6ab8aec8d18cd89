// Tests that points are converted between any two wire formats without objects or calls in JavaScript for each
// point. The test counts steps: when a body has ten times as many points, the conversion takes equally many
// steps in JavaScript, except for the steps for each chunk or window (a part of the body in memory at once).

import { describe, expect, it } from "vitest";
import type { Form } from "../../lib/point/codec/encode.ts";
import { stepsOf } from "./steps.ts";

// The counted code must be loaded after the step counter is installed. So it is imported dynamically.
const { loadModule } = await import("../lib/wasm/load.ts");
const { decodeInWindows, decodePoints } = await import("../../lib/point/codec/decode.ts");
const { encodePoints, encodeTo } = await import("../../lib/point/codec/encode.ts");
const { logLines, metricLines } = await import("../bench/data/regular.ts");
const module = await loadModule();
const forms: readonly Form[] = ["lp", "json", "pbjson", "pb"];
const now = 1700000000000000000n;

const kinds = [
  { kind: "metric lines", category: "metric", lines: metricLines },
  // In the category logging, the corrections add a status to each point, so the points are changed before they are
  // encoded.
  { kind: "log lines", category: "logging", lines: logLines },
] as const;

describe.each(kinds)("transcoding $kind", ({ category, lines }) => {
  const options = { category, now } as const;
  const body = (count: number, form: Form): Uint8Array => {
    const points = decodePoints(module, new TextEncoder().encode(lines(count)), "lp", options);
    const bytes = encodePoints(module, points, form).slice();
    points.release();
    return bytes;
  };
  /**
   * Returns the number of steps that a conversion takes in JavaScript, without the steps in the WebAssembly module.
   * With a larger body, only the steps for copied bytes may become more.
   */
  const inJs = (bytes: Uint8Array, from: Form, to: Form, window?: number): number =>
    stepsOf(
      () => {
        const batches =
          window === undefined
            ? [decodePoints(module, bytes, from, options)]
            : decodeInWindows(module, bytes, from, options, window);
        for (const batch of batches) {
          encodeTo(module, batch, to, () => {});
          batch.release();
        }
      },
      () => 0,
    );

  it.each(forms.flatMap((from) => forms.map((to) => [from, to] as const)))(
    "%s to %s takes no JavaScript steps per point",
    (from, to) => {
      const [small, large] = [body(100, from), body(1000, from)];
      inJs(small, from, to);
      const [few, many] = [inJs(small, from, to), inJs(large, from, to)];
      // The step counter counts one step in JavaScript for each 16 bytes of the body that are copied into the
      // WebAssembly module. In addition, it counts a few steps for each chunk of the output, because the module calls
      // JavaScript once for each chunk.
      const copied = (large.length - small.length) / 16;
      expect(few).toBeLessThan(small.length / 16 + 1000);
      expect(many - few - copied).toBeLessThan(100);
    },
  );

  it("in windows takes JavaScript steps for each window, not for each entry", () => {
    const [small, large] = [body(100, "lp"), body(1000, "lp")];
    inJs(large, "lp", "pb", 1000);
    // Both bodies are split into the same number of windows. A window of the large body has ten times as many
    // entries as a window of the small body. Copying the large body takes more steps; the numbers of all other steps
    // in JavaScript must be equal.
    const [few, many] = [inJs(small, "lp", "pb", 100), inJs(large, "lp", "pb", 1000)];
    expect(many - few - (large.length - small.length) / 16).toBeLessThan(200);
  });
});
