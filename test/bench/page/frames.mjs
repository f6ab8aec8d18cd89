// Counts the frames that the browser draws of a page, and measures the gaps between them.

/** Starts to record the gaps between the frames of the page, in milliseconds. */
export async function noteFrames(page) {
  await page.evaluate(() => {
    globalThis.gaps = [];
    let last = performance.now();
    const draw = (now) => {
      globalThis.gaps.push(now - last);
      last = now;
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  });
}

/** Returns statistics of the gaps between the frames that the page has drawn since the last call. */
export async function takeFrames(page) {
  const gaps = await page.evaluate(() => globalThis.gaps.splice(0));
  gaps.sort((a, b) => a - b);
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  return {
    perSecond: (1000 * gaps.length) / total,
    median: 1000 / gaps[gaps.length >> 1],
    p99: gaps[Math.floor(gaps.length * 0.99)],
    longest: gaps.at(-1),
  };
}
