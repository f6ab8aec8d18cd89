// Waits for a promise to settle, but no longer than a time limit.

/**
 * Waits for `work` for at most `ms` milliseconds. Returns the result of the work. When the work takes longer, returns
 * undefined, and the work continues. Rejects when the work rejects in time.
 */
export async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
