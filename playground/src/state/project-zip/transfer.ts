// Saves a project as a zip, and opens the project of a zip. The page loads this file when the user asks for it.

import { t } from "../../text/translate.ts";
import { download, fileStem } from "../files.ts";
import type { Project } from "../project.ts";
import type { Session } from "../session.svelte.ts";
import { pluralText, sizeText } from "../text.ts";
import { projectOfZip, zipOfProject } from "./project-files.ts";
import { ZipError, zipLimits } from "./zip-file.ts";

/**
 * Saves a project as a zip. `file`: the dropped file that is the project's input at the moment; null when there is no
 * such file. The zip does not hold this file.
 */
export function saveZip(session: Session, project: Project, file: File | null): void {
  try {
    const zip = zipOfProject(project, new Date());
    const name = `${fileStem(project.title, "project")}.zip`;
    download(new Blob([zip], { type: "application/zip" }), name);
    const without = file === null ? "" : ` ${t("The dropped file {name} is not in it.", { name: file.name })}`;
    session.say({ tone: "info", text: t("Saved as {name}, {size}.", { name, size: sizeText(zip.length) }) + without });
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    session.say({ tone: "error", text: `${error.message} ${t("Nothing was saved.")}` });
  }
}

/** Opens the project of a zip as a new draft. The draft that was open stays among the drafts. */
export async function openZip(session: Session, file: File): Promise<void> {
  const said = file.name.slice(0, 80);
  try {
    // A zip that is too large is refused by its size alone, before it is read into memory.
    if (file.size > zipLimits.zipBytes)
      throw new ZipError(t("The zip has {size}, which is too much.", { size: sizeText(file.size) }));
    const { project, leftOut } = projectOfZip(new Uint8Array(await file.arrayBuffer()));
    await session.startFrom(project);
    session.keeper.changed();
    const title = project.title || t("Untitled");
    const text = t("{title} is open, from {file}.", { title, file: said });
    if (leftOut.length === 0) session.say({ tone: "info", text });
    else session.say({ tone: "error", text: `${text} ${listed(leftOut)} ${t("All else is there.")}` });
  } catch (error) {
    const reason = error instanceof ZipError ? error.message : t("The file could not be read.");
    session.say({ tone: "error", text: `${said}: ${reason} ${t("Your project stays open.")}` });
  }
}

const mostShown = 4;

function listed(leftOut: readonly string[]): string {
  const rest = leftOut.length - mostShown;
  const more = rest > 0 ? ` ${t("And {entries}.", { entries: pluralText(rest, "more entry", "more entries") })}` : "";
  return t("Not taken: {list}.", { list: leftOut.slice(0, mostShown).join("; ").slice(0, 800) }) + more;
}
