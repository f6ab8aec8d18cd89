// The state of the sharding mode: computes the routes of the sample points after each change of rules or points.

import { longestText } from "../../state/files.ts";
import type { ShardingInput } from "../../state/project.ts";
import type { Session } from "../../state/session.svelte.ts";
import { sizeText } from "../../state/text.ts";
import { english, t } from "../../text/translate.ts";
import type { Route, Routing, Target } from "../../worker/sharding/routing.ts";
import { askGatewayRules, noRulesText, takenText, withGatewayRules } from "./gateway-rules.ts";

/** The routes are computed when the input has not changed for this many milliseconds. */
const pauseMs = 150;

/** The texts of the sharding mode that have an editor each: rules for tags, sink rules, and points. */
export type EditedText = "tags" | "sinks" | "points";

export class Router {
  readonly session: Session;
  /** The last answer of the worker; null before the first answer and for empty texts. */
  routing = $state.raw<Routing | null>(null);
  /** The error message when the worker could not compute the routes; else empty. */
  failure = $state("");
  /** Whether the input has changed since the last result (`routing`) was computed. */
  isStale = $state(false);
  /** Index of the point whose routing reasons (rules and comparisons) are shown. */
  selected = $state(0);
  /** Whether the page is requesting the rules of the gateway at the moment. */
  isAsking = $state(false);
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session) {
    this.session = session;
  }

  get input(): ShardingInput {
    return this.session.project.sharding;
  }

  get isEmpty(): boolean {
    const { tags, keys, sinks, points } = this.input;
    return [tags, keys, sinks, points].every((text) => text.trim() === "");
  }

  /** The route of the point whose routing reasons are shown; undefined when there is none. */
  get route(): Route | undefined {
    return this.routing?.routes[Math.min(this.selected, this.routing.routes.length - 1)];
  }

  /** Starts the computation of the routes after a short pause. Every call restarts the pause. */
  schedule(): void {
    this.turn++;
    this.isStale = true;
    clearTimeout(this.timer);
    if (this.isEmpty) {
      this.routing = null;
      this.failure = "";
      this.isStale = false;
    } else this.timer = setTimeout(() => void this.compute(), pauseMs);
  }

  private async compute(): Promise<void> {
    const own = this.turn;
    let routing: Routing | null = null;
    let failure = "";
    try {
      routing = await this.session.route();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    if (own !== this.turn) return;
    this.failure = failure;
    if (routing !== null) this.routing = routing;
    this.isStale = routing === null;
  }

  change(part: Partial<ShardingInput>): void {
    this.session.changeMode("sharding", part);
  }

  /**
   * Replaces one of the texts by what the user has typed. When the new text is too long, keeps the old text and shows a
   * message.
   */
  write(which: EditedText, text: string): void {
    if (text.length <= longestText) this.change({ [which]: text });
    else
      this.session.say({
        tone: "error",
        text: t("The text is longer than 2 MB. The text before it is kept; take a part of it."),
      });
  }

  /** Replaces all texts and settings of the mode. Shows `text` with an undo button, unless the old texts were empty. */
  replace(input: ShardingInput, text: string): void {
    const before = this.input;
    const wasEmpty = this.isEmpty;
    this.change(input);
    if (!wasEmpty) this.session.say({ tone: "info", text, undo: () => this.change(before) });
  }

  /** Puts the rules of the running gateway into the editors; the points stay. */
  async takeGatewayRules(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      const rules = await askGatewayRules((...args) => fetch(...args));
      const before = this.input;
      const next = withGatewayRules(before, rules);
      if (next === null) throw new Error(noRulesText(rules));
      this.change(next);
      this.session.say({ tone: "info", text: takenText(rules), undo: () => this.change(before) });
    } catch (error) {
      this.session.say({
        tone: "error",
        text: t("{reason} Nothing was changed.", { reason: (error as Error).message }),
      });
    }
    this.isAsking = false;
  }

  /** Puts the text of a file into the editor `which`; without `which`, chooses the editor by the name and text. */
  async takeFile(file: File, which?: EditedText): Promise<void> {
    if (file.size > longestText) {
      const text = t("{file} has {size}; this mode takes files of up to 2 MB.", {
        file: file.name,
        size: sizeText(file.size),
      });
      return this.session.say({ tone: "error", text });
    }
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).replaceAll("\r\n", "\n");
    } catch {
      return this.session.say({
        tone: "error",
        text: t("{file} is not a text. Nothing was changed.", { file: file.name }),
      });
    }
    const target = which ?? editorFor(file.name, text);
    this.replace(
      { ...this.input, [target]: text },
      t("{file} is in the editor of {texts} now.", { file: file.name, texts: t(titles[target]) }),
    );
  }
}

export const titles: Readonly<Record<EditedText, string>> = {
  tags: english("rules for tags"),
  sinks: english("sink rules"),
  points: english("points"),
};

/**
 * Guesses from the name and the text of a file for which editor the file is meant: rules for tags, sink rules,
 * or points.
 */
export function editorFor(name: string, text: string): EditedText {
  if (/\.ya?ml$/i.test(name)) return "tags";
  if (/^\s*[[{"]/.test(text)) return /"url"\s*:/.test(text) ? "sinks" : "tags";
  return "points";
}

/** Returns the names of the targets to which a point is sent; the list of points shows them. */
export function targetNames(route: Route, targets: readonly Target[]): string {
  if (targets.length === 0) return "";
  if (route.targets.length === 0) return t("refused");
  return route.targets.map((index) => targets.find((target) => target.index === index)?.title ?? "").join(", ");
}
