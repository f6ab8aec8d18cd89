// Errors of a database and of the file system, as clients and logs may read them.

/** The message of an error, at most 1,000 characters of it, without the paths of files. */
export function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/(?:\/[\w.@-]+){2,}/g, "...").slice(0, 1000);
}

/**
 * Returns whether DuckDB ends with the error of this message: it refuses every statement after it. Messages of DuckDB begin with the kind of
 * the error; a text that somebody sent may stand in any message, but not at its start.
 */
export function isFatal(message: string): boolean {
  return message.startsWith("FATAL Error: ");
}
