// The actions on a whole project: beginning an empty one, opening a saved one, and saving it. The menu of drafts and the
// command palette offer them.

import { emptyProject } from "../state/project.ts";
import type { Session } from "../state/session.svelte.ts";
import { english } from "../text/translate.ts";

export interface ProjectAction {
  /** Name of the action, in English; `t` translates it. */
  readonly title: string;
  readonly about: string;
  run(session: Session): unknown;
}

export const projectActions: readonly ProjectAction[] = [
  {
    title: english("New draft"),
    about: english("empty script, empty input"),
    run: (session) => session.startFrom(emptyProject),
  },
  {
    title: english("Open a zip"),
    about: english("a saved project; dropping it on the page does the same"),
    run: chooseZip,
  },
  {
    title: english("Save as zip"),
    about: english("this project, as files"),
    run: (session) => session.saveZip(),
  },
];

function chooseZip(session: Session): void {
  const picker = document.createElement("input");
  picker.type = "file";
  picker.accept = ".zip";
  picker.hidden = true;
  picker.addEventListener("change", () => {
    const [file] = picker.files ?? [];
    picker.remove();
    if (file !== undefined) void session.openZip(file);
  });
  picker.addEventListener("cancel", () => picker.remove());
  // Some browsers ignore a field for files that is not part of the page.
  document.body.append(picker);
  picker.click();
}
