// Changes of drafts that the tab does not have open: renaming and duplicating them. The page loads this file together
// with the list of drafts.

import { isTranslated, t } from "../../text/translate.ts";
import type { Session } from "../session.svelte.ts";
import { pluralText, sizeText } from "../text.ts";
import { type Draft, isOpenAnywhere } from "./drafts.ts";

const longestTitle = 100;

/**
 * Gives a draft another name. A draft that another tab has open keeps its name, because that tab would overwrite it.
 */
export async function renameDraft(session: Session, draft: Draft, wanted: string): Promise<void> {
  const title = wanted.trim().slice(0, longestTitle);
  if (title === draft.project.title) return;
  if (session.keeper.isCurrent(draft.id)) session.change({ title });
  else if (await isOpenAnywhere(draft.id))
    session.say({ tone: "error", text: t("Another tab has it open: rename it there.") });
  else await session.keeper.put({ ...draft, project: { ...draft.project, title } });
}

/** Stores a copy of a draft under a name that no draft has. */
export async function duplicateDraft(session: Session, draft: Draft): Promise<Draft> {
  const { keeper } = session;
  // When the draft to copy is open in this tab, its last changes may not be stored yet. So the project of the tab is
  // copied, and not the stored draft.
  const project = keeper.isCurrent(draft.id) ? session.project : draft.project;
  const titles = new Set(keeper.drafts.map((each) => each.project.title));
  const title = copyTitle(project.title || t("Untitled"), titles);
  const copy = { id: crypto.randomUUID(), changed: Date.now(), project: { ...project, title } };
  await keeper.put(copy);
  session.say({ tone: "info", text: t("{title} is among the drafts.", { title }) });
  return copy;
}

/** Returns a name such as `Nginx (2)` that is not in `titles`. */
export function copyTitle(title: string, titles: ReadonlySet<string>): string {
  const [, stem = ""] = /^(.*?)(?: \(\d+\))?$/s.exec(title)!;
  for (let number = 2; ; number++) {
    const ending = ` (${number})`;
    const name = stem.slice(0, longestTitle - ending.length) + ending;
    if (!titles.has(name)) return name;
  }
}

/** Returns the description of a draft in the list: when the draft was changed, and how much it holds. */
export function draftText({ changed, project }: Draft): string {
  const { scripts, input } = project;
  const locale = isTranslated() ? document.documentElement.lang : "en-GB";
  const when = new Date(changed).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
  return t("{when} · {scripts} · {size} of input", {
    ...{ when, scripts: pluralText(scripts.length, "script"), size: sizeText(input.length) },
  });
}
