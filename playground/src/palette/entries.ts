// Collects the entries of the command palette: the controls of the page, and what the page keeps in closed menus or has
// not loaded, such as examples, functions and patterns.

import type { FunctionDoc } from "../../../lib/index.ts";
import { callSnippet } from "../editor/call-snippet.ts";
import { type Mode, type ModeHandle, type ModeName, modes } from "../modes/modes.ts";
import { addressText } from "../state/address.ts";
import type { Example } from "../state/example.ts";
import type { Session } from "../state/session.svelte.ts";
import { draftText } from "../state/storage/draft-edits.ts";
import { type Theme, theme } from "../state/theme.svelte.ts";
import { type LanguageName, language, languages } from "../text/language.svelte.ts";
import { english, t } from "../text/translate.ts";
import type { Entry } from "./entry.ts";
import { projectActions } from "./project-actions.ts";

export interface PaletteHost {
  readonly session: Session;
  /**
   * Shows a mode, and resolves with its functions when the mode is loaded. Resolves with undefined when it cannot be.
   */
  open(name: ModeName): Promise<ModeHandle | undefined>;
}

/** Returns the entries that do not depend on the mode that is shown. The best known come first. */
export function commonEntries(host: PaletteHost, examples: readonly Example[]): readonly Entry[] {
  const { session } = host;
  return [
    ...modes.map(modeEntry),
    ...draftEntries(session),
    ...themeEntries(),
    ...languageEntries(),
    ...examples.map((example) => exampleEntry(host, example)),
    ...(session.language?.functions ?? []).map((doc) => functionEntry(host, doc)),
    ...Array.from(session.language?.patterns ?? [], ([name, definition]) => patternEntry(host, name, definition)),
  ];
}

const plain = { words: "", keys: "" } as const;

function modeEntry({ name, title, line, digit }: Mode): Entry {
  return {
    kind: "mode",
    title: t("Go to: {name}", { name: t(title) }),
    about: t(line),
    words: title,
    keys: `Alt+Shift+${digit}`,
    run: () => {
      location.hash = addressText({ mode: name, project: null });
    },
  };
}

function draftEntries(session: Session): readonly Entry[] {
  const { drafts } = session.keeper;
  return [
    ...projectActions.map(
      ({ title, about, run }): Entry => ({
        ...plain,
        kind: "action",
        title: t(title),
        about: t(about),
        run: () => run(session),
      }),
    ),
    ...drafts
      .filter(({ id }) => !session.keeper.isCurrent(id))
      .map(
        (draft): Entry => ({
          ...plain,
          kind: "draft",
          title: draft.project.title || t("Untitled"),
          about: draftText(draft),
          run: () => session.openDraft(draft),
        }),
      ),
  ];
}

function themeEntries(): readonly Entry[] {
  const titles = {
    system: english("Colours: system"),
    light: english("Colours: light"),
    dark: english("Colours: dark"),
  } as const;
  return Object.entries(titles)
    .filter(([name]) => name !== theme.value)
    .map(([name, title]) => ({
      ...plain,
      kind: "action",
      title: t(title),
      about: "",
      words: `${title} ${english("theme")} ${t("theme")}`,
      run: () => theme.set(name as Theme),
    }));
}

function languageEntries(): readonly Entry[] {
  const searched = { en: english("English"), zh: english("Chinese") } as const;
  return Object.entries(languages)
    .filter(([name]) => name !== language.name)
    .map(([name, title]) => ({
      ...plain,
      kind: "action",
      title,
      about: "Language · 语言",
      words: `${searched[name as LanguageName]} ${t(searched[name as LanguageName])}`,
      run: () => language.set(name as LanguageName),
    }));
}

function exampleEntry({ session, open }: PaletteHost, { about, project }: Example): Entry {
  return {
    kind: "example",
    title: project.title,
    about: t(about),
    words: about,
    keys: "",
    run: async () => {
      await open("pipeline");
      await session.startFrom(project);
    },
  };
}

function functionEntry({ open }: PaletteHost, doc: FunctionDoc): Entry {
  return {
    kind: "function",
    title: doc.name,
    about: doc.summary.replaceAll("`", ""),
    words: doc.aliases.join(" "),
    keys: "",
    run: async () => (await open("pipeline"))?.insert?.(callSnippet(doc)),
  };
}

function patternEntry({ open }: PaletteHost, name: string, definition: string): Entry {
  return {
    ...plain,
    kind: "pattern",
    title: name,
    about: definition,
    run: async () => (await open("grok"))?.insert?.(name),
  };
}
