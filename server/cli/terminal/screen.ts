// The whole terminal for one command: keys as they are pressed, the size as it changes, and the terminal as it was once the command
// ends, by itself, by a signal or by an error.

import { emitKeypressEvents } from "node:readline";
import { closeScreen, draw, openScreen, type ScreenRow, type ScreenSize } from "./print.ts";

export interface ScreenEvents {
  /** The name of a key, `ctrl+` before it where that key is held. */
  key(name: string): void;
  resized(): void;
}

export interface Screen {
  readonly size: ScreenSize;
  draw(rows: readonly ScreenRow[]): void;
  close(): void;
}

interface Keypress {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Standard output is a terminal; keys are read where standard input is one, too. */
export function takeScreen(events: ScreenEvents): Screen {
  const { stdin, stdout } = process;
  const hasKeys = stdin.isTTY === true;
  const key = (_text: string | undefined, { name = "", ctrl = false }: Keypress) =>
    events.key(ctrl ? `ctrl+${name}` : name);
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    stdout.off("resize", events.resized);
    if (hasKeys) {
      stdin.off("keypress", key);
      stdin.setRawMode(false);
      stdin.pause();
    }
    closeScreen();
  };
  // Before an error that nobody catches is printed, so that its text stays.
  process.once("uncaughtExceptionMonitor", close);
  process.once("exit", close);
  openScreen();
  stdout.on("resize", events.resized);
  if (hasKeys) {
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    stdin.on("keypress", key);
    stdin.resume();
  }
  return {
    get size() {
      // A terminal that does not know its size says 0.
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    },
    draw,
    close,
  };
}
