// Splits text into log messages: one for each line, or several lines that belong together.

import type { Regex } from "../../../lib/regex/index.ts";

/** A message, and the line of the input where it begins, from 1. */
export interface Message {
  readonly text: string;
  readonly line: number;
}

/** Takes text that was cut at line ends, piece by piece. */
export interface MessageSplitter {
  take(text: string, firstLine: number): Message[];
  /** Returns the message that was held back because its end was not seen. */
  end(): Message[];
}

/** Most characters of a message; further lines are not joined to it. */
const longestMessage = 1024 * 1024;

/** Makes a splitter that treats each line that is not blank as a message. */
export function splitLines(): MessageSplitter {
  return {
    take: (text, firstLine) => {
      const messages: Message[] = [];
      eachLine(text, firstLine, (line, number) => {
        if (line.trim() !== "") messages.push({ text: line, line: number });
      });
      return messages;
    },
    end: () => [],
  };
}

/** Makes a splitter whose messages begin at each line that `start` matches and end before the next one. */
export function joinLines(start: Regex): MessageSplitter {
  let held: string[] = [];
  let heldFrom = 1;
  let heldLength = 0;
  const flush = (): Message[] => {
    const text = held.join("\n").trimEnd();
    held = [];
    heldLength = 0;
    return text === "" ? [] : [{ text, line: heldFrom }];
  };
  return {
    take: (text, firstLine) => {
      const messages: Message[] = [];
      eachLine(text, firstLine, (line, number) => {
        if (held.length > 0 && (start.test(line) || heldLength > longestMessage)) messages.push(...flush());
        if (held.length === 0) heldFrom = number;
        held.push(line);
        heldLength += line.length;
      });
      return messages;
    },
    end: flush,
  };
}

/** Visits the lines of a text without their ends; text behind the last newline is a line when it is not empty. */
function eachLine(text: string, firstLine: number, visit: (line: string, number: number) => void): void {
  let number = firstLine;
  for (let from = 0; from < text.length; number++) {
    let end = text.indexOf("\n", from);
    if (end < 0) end = text.length;
    visit(text.slice(from, text[end - 1] === "\r" && end > from ? end - 1 : end), number);
    from = end + 1;
  }
}
