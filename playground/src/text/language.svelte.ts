// The language of the page: the language of the browser until the user chooses another one. Each part of the
// page has its own translations (a catalogue), which are loaded when this part is opened.

import type { ModeName } from "../modes/modes.ts";
import { visitTexts } from "../state/storage/storage.ts";
import { onRead, type Texts, useTexts } from "./translate.ts";

/**
 * The languages of the page: the value of the attribute `lang`, and the name of the language in the language itself.
 */
export const languages = { en: "English", zh: "中文" } as const;
export type LanguageName = keyof typeof languages;
export type LanguageChoice = LanguageName | "system";

const key = "millrace-language";

const chinese = {
  frame: () => import("./zh/frame.ts"),
  grok: () => import("./zh/grok.ts"),
  convert: () => import("./zh/convert.ts"),
  sharding: () => import("./zh/sharding.ts"),
  data: () => import("./zh/data.ts"),
  query: () => import("./zh/query.ts"),
  explore: () => import("./zh/explore.ts"),
  dashboards: () => import("./zh/dashboards.ts"),
  connect: () => import("./zh/connect.ts"),
};
/** Name of a part of the translations. The part `data` contains the texts that all modes with queries use. */
type Part = keyof typeof chinese;

const partsOf: Readonly<Record<ModeName, readonly Part[]>> = {
  pipeline: [],
  grok: ["grok"],
  convert: ["convert"],
  sharding: ["sharding"],
  query: ["data", "query"],
  explore: ["data", "explore"],
  dashboards: ["data", "dashboards"],
  connect: ["connect"],
};

class Language {
  choice = $state<LanguageChoice>("system");
  /**
   * Increases whenever the translated texts change. Code that reads a text also reads this number, so that Svelte draws
   * the text again.
   */
  private version = $state(0);
  private readonly needed = new Set<Part>(["frame"]);
  private readonly loaded: Partial<Record<Part, Texts>> = {};

  constructor() {
    const stored = visitTexts.get(key);
    if (stored !== null && Object.hasOwn(languages, stored)) this.choice = stored as LanguageName;
    onRead(() => void this.version);
  }

  /**
   * The language that the page shows: the language that the user has chosen, or else the first of the browser's
   * languages for which the page has texts.
   */
  get name(): LanguageName {
    if (this.choice !== "system") return this.choice;
    const names = navigator.languages.map((each) => each.split("-")[0]!);
    return names.find((each): each is LanguageName => Object.hasOwn(languages, each)) ?? "en";
  }

  /**
   * Loads translations. Resolves when the page has the texts of its frame (the header and the bar of modes), and of the
   * given mode if there is one, in the language of the page.
   */
  async open(mode?: ModeName): Promise<void> {
    for (const part of mode === undefined ? [] : partsOf[mode]) this.needed.add(part);
    await this.show();
  }

  async set(choice: LanguageChoice): Promise<void> {
    this.choice = choice;
    visitTexts.set(key, choice === "system" ? null : choice);
    await this.show();
  }

  private async show(): Promise<void> {
    document.documentElement.lang = this.name === "zh" ? "zh-CN" : "en";
    if (this.name === "zh") {
      // When the catalogue (the translations) of a part of the page cannot be loaded, this part is shown in English.
      // The next call of `show` tries to load the catalogue again.
      const missing = [...this.needed].filter((part) => this.loaded[part] === undefined);
      await Promise.all(
        missing.map(async (part) => {
          this.loaded[part] = (await chinese[part]().catch(() => undefined))?.texts;
        }),
      );
    }
    useTexts(this.name === "zh" ? Object.assign(Object.create(null), ...Object.values(this.loaded)) : null);
    this.version++;
  }
}

export const language = new Language();
