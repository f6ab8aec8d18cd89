// Lets one command use the whole terminal, and reports to it pressed keys and changes of the terminal's size.
// Restores the terminal when the command ends, whether it ends normally, by a signal or by an error.

import { emitKeypressEvents } from "node:readline";
import { closeScreen, draw, openScreen, type ScreenRow, type ScreenSize } from "./print.ts";

export interface ScreenEvents {
  /** Called with the name of a pressed key, with the prefix `ctrl+` when Ctrl is held. */
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

/** Opens the screen. Standard output must be a terminal. Keys are read only if standard input is a terminal too. */
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
  // Closes the screen before Node prints an uncaught error, so that the error stays visible.
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
      // Some terminals do not know their size and report 0. A size of 80 columns and 24 rows is then assumed.
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    },
    draw,
    close,
  };
}
