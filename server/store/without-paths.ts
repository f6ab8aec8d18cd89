// Errors of a database and of the file system, as clients and logs may read them.

/** The message of an error, at most 1,000 characters of it, without the paths of files. */
export function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/(?:\/[\w.@-]+){2,}/g, "...").slice(0, 1000);
}
