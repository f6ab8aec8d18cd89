// Makes error messages of databases and the file system safe for clients and logs.

/** Returns the message of an error, at most 1,000 characters, without the paths of files. */
export function withoutPaths(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/(?:\/[\w.@-]+){2,}/g, "...").slice(0, 1000);
}

/**
 * Returns whether a message is a fatal error of DuckDB, after which DuckDB refuses every statement. DuckDB puts the
 * kind of the error at the start of a message, where text from a user cannot be.
 */
export function isFatal(message: string): boolean {
  return message.startsWith("FATAL Error: ");
}
