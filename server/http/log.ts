// The log of a service: one line per event. Long texts are cut here, never in an answer.

export type LogLevel = "debug" | "info" | "warn" | "error";
export type Log = Readonly<Record<LogLevel, (message: string) => void>> & {
  /** For texts that are worth making only then. */
  readonly isDebug: boolean;
};

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
const longest = 64 * 1024;

export function isLogLevel(text: string): text is LogLevel {
  return (levels as readonly string[]).includes(text);
}

/** `write` takes one finished line with its newline. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const from = levels.indexOf(level);
  const line = (at: LogLevel) =>
    levels.indexOf(at) < from
      ? () => {}
      : (message: string) => {
          const text =
            message.length > longest ? `${message.slice(0, longest)} ... (${message.length} characters)` : message;
          write(`${new Date().toISOString()} ${at.toUpperCase()} ${text}\n`);
        };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    isDebug: from === levels.indexOf("debug"),
  };
}
