// Removes file paths from error messages of databases and the file system, so that clients and logs may see the
// messages.

/** Returns the message of an error without file paths, cut to 1,000 characters. */
export function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/(?:\/[\w.@-]+){2,}/g, "...").slice(0, 1000);
}

/**
 * Returns whether a message reports a fatal error of DuckDB, after which DuckDB refuses every SQL statement. DuckDB
 * begins a message with the type of the error, so strings supplied by users cannot be mistaken for the type.
 */
export function isFatal(message: string): boolean {
  return message.startsWith("FATAL Error: ");
}
