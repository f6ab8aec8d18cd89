// The log of a service. Each event is one line, even when its message contains line breaks. When a line quotes a
// text from outside, such as a part of a request, it contains at most 1 KB of this text. The same limit applies
// to error messages in HTTP answers.

import { mostShown, shownText } from "../../lib/text/index.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
/**
 * The log: one function for each level. `thrown` is an unexpected error, whose message and stack are appended to the
 * message.
 */
export type Log = Readonly<Record<LogLevel, (message: string, thrown?: unknown) => void>> & {
  /** Whether debug lines are written. When false, a caller need not build the message of a debug line. */
  readonly isDebug: boolean;
};

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];
/** Largest number of stack frames in a line. A frame names a function and a file of the service. */
const mostFrames = 20;

export function isLogLevel(text: string): text is LogLevel {
  return (levels as readonly string[]).includes(text);
}

/**
 * Creates a log that writes lines of the given level and more severe ones. `write` gets each line, with its newline.
 */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const from = levels.indexOf(level);
  const line = (at: LogLevel): Log[LogLevel] =>
    levels.indexOf(at) < from
      ? () => {}
      : (message, thrown) => {
          const parts =
            thrown === undefined
              ? [shownText(message)]
              : [`${shownText(message, mostShown / 4)}:`, nameOf(thrown, (3 * mostShown) / 4), ...framesOf(thrown)];
          write(`${new Date().toISOString()} ${at.toUpperCase()} ${parts.join(" ")}\n`);
        };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    isDebug: from === levels.indexOf("debug"),
  };
}

/**
 * Returns the name and the message of an error, such as `TypeError: x is not a function`, on one line of at most `most`
 * bytes.
 */
export function nameOf(thrown: unknown, most: number = mostShown): string {
  return shownText(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown), most);
}

/** Returns the frames of an error's stack, such as `at f (file:1:2)`, without the message that precedes them. */
export function framesOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return [];
  const { message, stack } = thrown;
  const frames = stack.slice(stack.indexOf(message) + message.length).split("\n");
  return frames.slice(0, mostFrames).flatMap((frame) => (frame.startsWith("    at ") ? [shownText(frame.trim())] : []));
}
