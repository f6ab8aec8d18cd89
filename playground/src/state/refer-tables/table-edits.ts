// Changes of the files of reference tables: adding, renaming, replacing and removing. The page loads this file when the
// user opens the tables.

import { t } from "../../text/translate.ts";
import {
  allowedTableFiles,
  mostTableCharacters,
  type TableFile,
  tableLimitText,
} from "../../worker/refer-tables/table-files.ts";
import { download } from "../files.ts";
import type { Project } from "../project.ts";
import { countText } from "../text.ts";

/** The parts of the session (the state of the page) that these functions use. */
export interface TablesSession {
  readonly project: Project;
  readonly loads: number;
  change(part: Partial<Project>): void;
  say(toast: { readonly tone: "info" | "error"; readonly text: string; readonly undo?: () => void }): void;
}

const template = `[
  {
    "table_name": "services",
    "column_name": ["port", "service", "encrypted"],
    "column_type": ["int", "string", "bool"],
    "row_data": [
      [22, "ssh", true],
      [80, "http", false],
      [443, "https", true]
    ]
  }
]
`;

/** Adds a file with an example table. Returns the index of the file; null when the project may hold no more files. */
export function addExample(session: TablesSession): number | null {
  return add(session, [{ name: freeName("services.json", session.project.tables), text: template }]);
}

/**
 * Adds files that the user has chosen. Returns the index of the first added file. Returns null when no file was added;
 * a message then tells the user why.
 */
export async function addFiles(session: TablesSession, chosen: readonly File[]): Promise<number | null> {
  const { loads } = session;
  const files: TableFile[] = [];
  for (const file of chosen) {
    const text = await textOf(session, file);
    if (text !== null) files.push({ name: freeName(fileName(file.name), [...session.project.tables, ...files]), text });
  }
  // When another project was opened while the files were read, the files are not added.
  return loads !== session.loads || files.length === 0 ? null : add(session, files);
}

/** Replaces a file of the project by a file that the user has chosen. */
export async function replaceFile(session: TablesSession, index: number, chosen: File): Promise<boolean> {
  const { loads } = session;
  const before = session.project.tables[index]!;
  const text = await textOf(session, chosen);
  if (text === null || loads !== session.loads || session.project.tables[index] !== before) return false;
  if (!changeText(session, index, text)) return false;
  const undo = () => {
    const at = session.project.tables.findIndex((each) => each.name === before.name && each.text === text);
    if (loads === session.loads && at >= 0) changeText(session, at, before.text);
  };
  session.say({
    tone: "info",
    text: t("{name} has the text of {file}.", { name: before.name, file: chosen.name.slice(0, 80) }),
    undo,
  });
  return true;
}

/**
 * Changes the text of a file. Returns false when the files of the project would become too large; a message then tells
 * the user so.
 */
export function changeText(session: TablesSession, index: number, text: string): boolean {
  const { tables } = session.project;
  return accept(
    session,
    tables.map((each, at) => (at === index ? { ...each, text } : each)),
  );
}

/** Renames a file. Returns null on success, or the reason why the new name cannot be used. */
export function renameFile(session: TablesSession, index: number, wanted: string): string | null {
  const { tables } = session.project;
  const bare = wanted.trim();
  if (!/^[^/\\]{1,95}$/.test(bare) || bare === ".json")
    return t("A file needs a name without slashes, of at most 95 characters.");
  const name = fileName(bare);
  if (tables.some((each, at) => at !== index && each.name === name))
    return t("There is a file {name} already.", { name });
  session.change({ tables: tables.map((each, at) => (at === index ? { ...each, name } : each)) });
  return null;
}

/** Removes a file, and offers to bring it back. */
export function removeFile(session: TablesSession, index: number): void {
  const { loads } = session;
  const removed = session.project.tables[index]!;
  session.change({ tables: session.project.tables.filter((_, at) => at !== index) });
  const undo = () => {
    const { tables } = session.project;
    if (loads !== session.loads || tables.some(({ name }) => name === removed.name)) return;
    const at = Math.min(index, tables.length);
    accept(session, [...tables.slice(0, at), removed, ...tables.slice(at)]);
  };
  session.say({ tone: "info", text: t("{name} is removed.", { name: removed.name }), undo });
}

export function saveFile({ name, text }: TableFile): void {
  download(new Blob([text], { type: "application/json" }), name);
}

/** Returns how much of the allowed size the files take, as a text. */
export function takenText(files: readonly TableFile[]): string {
  const taken = files.reduce((sum, { text }) => sum + text.length, 0);
  return t("{n} of {most} million", { n: countText(taken), most: mostTableCharacters / 1e6 });
}

function add(session: TablesSession, files: readonly TableFile[]): number | null {
  const { tables } = session.project;
  return accept(session, [...tables, ...files]) ? tables.length : null;
}

function accept(session: TablesSession, tables: readonly TableFile[]): boolean {
  if (allowedTableFiles(tables).length === tables.length) {
    session.change({ tables });
    return true;
  }
  const limit = t(tableLimitText);
  const text = t("A project holds at most {limit} of tables. Nothing was changed; an agent takes more.", { limit });
  session.say({ tone: "error", text });
  return false;
}

async function textOf(session: TablesSession, file: File): Promise<string | null> {
  const name = file.name.slice(0, 80);
  // A UTF-16 unit takes at most three bytes of UTF-8. So a file with more bytes than three times the allowed number of
  // units is refused before it is read into memory.
  if (file.size > 3 * mostTableCharacters) {
    const text = t("{name} is too large: a project holds {limit} of tables.", { name, limit: t(tableLimitText) });
    session.say({ tone: "error", text });
    return null;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    session.say({ tone: "error", text: t("{name} is not UTF-8 text, so it was not read.", { name }) });
    return null;
  }
}

function fileName(name: string): string {
  return /\.json$/i.test(name) ? name.slice(0, 100) : `${name.slice(0, 95)}.json`;
}

/** Returns a name that no file has, such as `services-2.json`. */
function freeName(wanted: string, files: readonly TableFile[]): string {
  const stem = wanted.slice(0, -".json".length);
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${stem}-${number}.json`;
    if (!files.some((each) => each.name === name)) return name;
  }
}
