// Splits text into log messages. A message is either one line, or several lines that belong together.

import type { Regex } from "../../../lib/regex/index.ts";

/** A log message, and the number of the input line where it begins, from 1. */
export interface Message {
  readonly text: string;
  readonly line: number;
}

/** Splits a text into messages. The text arrives in parts, and each part ends at the end of a line. */
export interface MessageSplitter {
  take(text: string, firstLine: number): Message[];
  /**
   * Returns the last message. The splitter has not returned this message before, because the next part of the text
   * could have continued it.
   */
  end(): Message[];
}

/** Largest number of characters of a message. Further lines are not added to a message of this length. */
const longestMessage = 1024 * 1024;

/** Makes a splitter that returns each line which is not blank as a message. */
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

/**
 * Makes a splitter for messages of several lines: a message begins at a line that `start` matches, and ends before the
 * next such line.
 */
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

/**
 * Calls a function for each line of a text, without the line end. Text after the last newline is a line when it is not
 * empty.
 */
function eachLine(text: string, firstLine: number, visit: (line: string, number: number) => void): void {
  let number = firstLine;
  for (let from = 0; from < text.length; number++) {
    let end = text.indexOf("\n", from);
    if (end < 0) end = text.length;
    visit(text.slice(from, text[end - 1] === "\r" && end > from ? end - 1 : end), number);
    from = end + 1;
  }
}
