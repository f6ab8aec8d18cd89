// The modes of the page: views for one task each, such as Pipeline, Grok or Convert. For each mode this file has the
// address, title, description and shortcut, and says how its component is loaded.

import type { Component } from "svelte";
import type { IconName } from "../parts/Icon.svelte";
import type { Session } from "../state/session.svelte.ts";
import { english } from "../text/translate.ts";

export interface ModeProps {
  readonly session: Session;
  /**
   * Whether the mode is shown. A mode that was opened stays in the page, hidden, so that its editors keep their state.
   */
  readonly active: boolean;
}

/** Functions of a mode's component. The page calls them when the user drops a file, presses a key, or runs a script. */
export interface ModeHandle {
  /** Opens a file that was dropped anywhere on the page. */
  takeFile(file: File): void;
  /** Handles a key that the page itself does not use. Returns whether the mode used the key. */
  pressKey(event: KeyboardEvent): boolean;
  /** Runs the script; only modes with `runsScripts` have this function. */
  run?(): void;
  /** Moves the focus after the user has undone a removal. */
  focusAfterUndo?(): void;
  /**
   * Inserts a text at the cursor of an editor. In the pipeline mode, `text` is the snippet of a function's call; in the
   * grok mode, it is the name of a pattern.
   */
  insert?(text: string): void;
}

/** The name of a mode; its address is `#/` and the name. */
export type ModeName = "pipeline" | "grok" | "convert" | "sharding" | "query" | "explore" | "dashboards" | "connect";

export interface Mode {
  readonly name: ModeName;
  /**
   * Title of the mode in English. Before the page shows the title and the sentence in `line`, it translates both with
   * the function `t`.
   */
  readonly title: string;
  /** One sentence that says what the page does in this mode. */
  readonly line: string;
  readonly icon: IconName;
  /** The digit that opens the mode together with Alt and Shift. */
  readonly digit: number;
  /** Whether the header offers the actions of scripts: run, examples and settings. */
  readonly runsScripts: boolean;
  readonly load: () => Promise<{ readonly default: Component<ModeProps, ModeHandle & Record<string, unknown>> }>;
}

export const modes: readonly [Mode, ...Mode[]] = [
  {
    name: "pipeline",
    title: english("Pipeline"),
    line: english("Write a script, give it logs or points, and see what comes out."),
    icon: "play",
    digit: 1,
    runsScripts: true,
    load: () => import("./pipeline/Pipeline.svelte"),
  },
  {
    name: "grok",
    title: english("Grok"),
    line: english("Find an expression for log lines, see why a line does not match, and use it in the script."),
    icon: "grok",
    digit: 2,
    runsScripts: false,
    load: () => import("./grok/Grok.svelte"),
  },
  {
    name: "convert",
    title: english("Convert"),
    line: english("Paste points in one form, see them in the others, with errors, corrections and sizes."),
    icon: "convert",
    digit: 3,
    runsScripts: false,
    load: () => import("./convert/Convert.svelte"),
  },
  {
    name: "sharding",
    title: english("Sharding"),
    line: english("Write routing rules, see which header each point gets, which target, and why."),
    icon: "shards",
    digit: 4,
    runsScripts: false,
    load: () => import("./sharding/Sharding.svelte"),
  },
  {
    name: "query",
    title: english("Query"),
    line: english(
      "Ask questions about the points of the pipeline, of a file or of the platform, as table, logs or chart.",
    ),
    icon: "query",
    digit: 5,
    runsScripts: false,
    load: () => import("./query/Query.svelte"),
  },
  {
    name: "explore",
    title: english("Explore"),
    line: english("See what the points hold, as log lines and charts, by clicks: no query language needed."),
    icon: "explore",
    digit: 8,
    runsScripts: false,
    load: () => import("./explore/Explore.svelte"),
  },
  {
    name: "dashboards",
    title: english("Dashboards"),
    line: english("See what a platform holds, as charts that refresh themselves."),
    icon: "dashboards",
    digit: 6,
    runsScripts: false,
    load: () => import("./dashboards/Dashboards.svelte"),
  },
  {
    name: "connect",
    title: english("Connect"),
    line: english(
      "See the scripts of the agent that serves this page, what they do to live points, and save scripts to it.",
    ),
    icon: "connect",
    digit: 7,
    runsScripts: false,
    load: () => import("./connect/Connect.svelte"),
  },
];

/** The mode that the page opens when the URL names no mode. */
export const firstMode: Mode = modes[0];
