// Defines the files of a project in a zip. Scripts, their tests, inputs, patterns, rules, queries and tables are
// text files that other programs can read. The file `project.json` contains the settings and the names of the
// other files. The test files are beside the scripts, where `millrace pipeline test` expects them.

import { t } from "../../text/translate.ts";
import { allowedTableFiles, tableLimitText } from "../../worker/refer-tables/table-files.ts";
import { emptyProject, type Project, parseProject } from "../project.ts";
import { readZip, writeZip, ZipError } from "./zip-file.ts";

/** Version of the way in which a project is stored in a zip. A page refuses the zips of newer versions. */
const version = 1;
const indexName = "project.json";

/** A reference that stands in `project.json` in place of a text, and names the file that holds the text. */
interface FileRef {
  readonly file: string;
}

export interface OpenedProject {
  readonly project: Project;
  /** The entries of the zip that the page did not use: for each a text with its name and the reason. */
  readonly leftOut: readonly string[];
}

/** Returns a zip of the project. Throws ZipError when the project is too large. */
export function zipOfProject(project: Project, time: Date): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  return writeZip(new Map([...filesOf(project)].map(([name, text]) => [name, encoder.encode(text)])), time);
}

/** Reads the project of a zip. Throws ZipError when the zip holds no project of a version that this page knows. */
export function projectOfZip(zip: Uint8Array): OpenedProject {
  const { files, leftOut } = readZip(zip);
  const opened = new Opening(files).project();
  return { project: opened.project, leftOut: [...leftOut, ...opened.leftOut] };
}

const inputEndings: Readonly<Record<Project["form"], string>> = {
  lines: "log",
  messages: "log",
  lp: "lp",
  json: "json",
};

function filesOf(project: Project): Map<string, string> {
  const files = new Map<string, string>();
  const names = new FileNames();
  const ref = (folder: string, name: string, text: string): FileRef | string => {
    // A text that UTF-8 cannot represent stays in `project.json`, where JSON escapes its invalid characters.
    if (text === "" || !text.isWellFormed()) return text;
    const file = names.free(folder, name);
    files.set(file, text);
    return { file };
  };
  const { scripts, tables, input, form, tests, convert, grok, sharding, query } = project;
  // `project.json` is the first entry of the zip. A file of the project with this name gets another name.
  files.set(indexName, "");
  const written = scripts.map(({ name, text }) => ({ name, text: ref("scripts", name, text) }));
  const index = {
    format: "millrace-project",
    version,
    ...project,
    scripts: written,
    tables: tables.map(({ name, text }) => ({ name, text: ref("tables", name, text) })),
    input: ref("inputs", `pipeline.${inputEndings[form]}`, input),
    tests: ref("scripts", testName(written[0]!.text, scripts[0]!.name), tests),
    convert: { ...convert, body: ref("inputs", "convert.txt", convert.body) },
    grok: {
      ...grok,
      lines: ref("inputs", "grok.log", grok.lines),
      patterns: ref("patterns", "own.txt", grok.patterns),
    },
    sharding: {
      ...sharding,
      points: ref("inputs", "sharding.txt", sharding.points),
      tags: ref("sharding", "tags.yaml", sharding.tags),
      keys: ref("sharding", "keys.txt", sharding.keys),
      sinks: ref("sharding", "sinker.json", sharding.sinks),
    },
    query: {
      ...query,
      text: ref("queries", "query.dql", query.text),
      saved: query.saved.map(({ name, text }) => ({ name, text: ref("queries/saved", `${name}.dql`, text) })),
    },
  };
  files.set(indexName, `${JSON.stringify(index, null, 2)}\n`);
  return files;
}

/** Returns the name of the test file that belongs to a script. */
function testName(script: FileRef | string, name: string): string {
  const file = typeof script === "string" ? name : script.file.slice(script.file.lastIndexOf("/") + 1);
  return `${file.replace(/\.p$/, "")}.test.yaml`;
}

/**
 * Finds names for files that all operating systems allow, and that still differ when upper and lower case are not
 * distinguished.
 */
class FileNames {
  private readonly taken = new Set<string>();

  free(folder: string, wanted: string): string {
    const safe = [...wanted.normalize("NFC").replace(/[^\p{L}\p{N}._ -]/gu, "-")].slice(0, 80).join("");
    const name = safe.replace(/^[. ]+|[. ]+$/g, "") || "unnamed";
    const [, stem = "", ending = ""] = /^(.*?)((?:\.test)?\.[^.]*)?$/s.exec(name)!;
    // Windows reserves these names for devices, with any ending, so another name is used.
    const own = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}-` : stem;
    for (let number = 1; ; number++) {
      const file = `${folder}/${number === 1 ? own : `${own}-${number}`}${ending}`;
      if (this.taken.has(file.toLowerCase())) continue;
      this.taken.add(file.toLowerCase());
      return file;
    }
  }
}

/** Makes a project from the files of a zip. */
class Opening {
  private readonly files: ReadonlyMap<string, Uint8Array>;
  private readonly leftOut: string[] = [];
  private readonly used = new Set<string>();
  /** The folder that holds all files, when the user has packed a folder instead of its content. Empty for none. */
  private readonly folder: string;

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    this.files = files;
    const at = [...files.keys()].find((name) => /^[^/]+\/project\.json$/.test(name));
    this.folder = files.has(indexName) || at === undefined ? "" : at.slice(0, -indexName.length);
  }

  project(): OpenedProject {
    const { scripts: listedScripts, tables: listedTables, ...rest } = this.index();
    const scripts = this.scripts(listedScripts);
    const tables = this.tables(listedTables);
    const others = Object.entries(rest).map(([key, each]) => [key, this.resolved(each, key)]);
    const given = { ...Object.fromEntries(others), scripts, tables };
    const project = parseProject(given)!;
    this.compare(given, project, "");
    for (const name of this.files.keys())
      if (!this.used.has(name)) this.leftOut.push(`${name}: ${t("no part of the project names it")}`);
    return { project, leftOut: this.leftOut };
  }

  private index(): Record<string, unknown> {
    const text = this.text(indexName);
    if (text === null) throw new ZipError(t("The zip has no readable project.json, so it is no project of this page."));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      const message = (error as Error).message.slice(0, 200);
      throw new ZipError(t("project.json is no JSON: {message}.", { message }));
    }
    const { format, version: own } = (value ?? {}) as Record<string, unknown>;
    if (format !== "millrace-project") throw new ZipError(t("project.json does not describe a project of this page."));
    if (typeof own !== "number" || !Number.isInteger(own) || own < 1)
      throw new ZipError(t("project.json has no version, so the zip cannot be read."));
    if (own > version)
      throw new ZipError(
        t("project.json has version {own}, and this page reads version {version}. Use a newer page.", { own, version }),
      );
    const { format: _, version: __, ...rest } = value as Record<string, unknown>;
    return rest;
  }

  /** Returns a value of `project.json` in which each reference to a file is replaced by the text of the file. */
  private resolved(value: unknown, path: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((each, at) => this.resolved(each, `${path}[${at}]`));
    if (isFileRef(value)) return this.referred(value, path) ?? undefined;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.resolved(each, `${path}.${key}`)]));
  }

  private referred({ file }: FileRef, path: string): string | null {
    const text = this.text(file);
    if (text === null && !this.files.has(this.folder + file))
      this.leftOut.push(
        t("{file}: the zip has no such entry, or it was left out; {path} is empty", { file: file.slice(0, 80), path }),
      );
    return text;
  }

  private scripts(listed: unknown): Project["scripts"] {
    const scripts = this.namedTexts("scripts", listed, ".p", t("script"));
    if (scripts.length > 0) return scripts;
    this.leftOut.push(t("scripts: there is none, so the project has an empty one"));
    return emptyProject.scripts;
  }

  private tables(listed: unknown): Project["tables"] {
    const tables = this.namedTexts("tables", listed, ".json", t("file of tables"));
    const allowed = allowedTableFiles(tables);
    for (const { name } of tables.slice(allowed.length))
      this.leftOut.push(
        `tables/${name.slice(0, 80)}: ${t("a project holds at most {limit} of tables", { limit: t(tableLimitText) })}`,
      );
    return allowed;
  }

  /**
   * Returns the texts that `project.json` lists under `key`, followed by the texts that a user has added to the zip's
   * folder of this name.
   */
  private namedTexts(key: string, listed: unknown, ending: string, what: string): { name: string; text: string }[] {
    const texts: { name: string; text: string }[] = [];
    const add = (name: string, text: string, from: string) => {
      if (texts.some((each) => each.name === name))
        this.leftOut.push(`${from}: ${t("a second {what} of this name", { what })}`);
      else texts.push({ name, text });
    };
    for (const [at, each] of (Array.isArray(listed) ? (listed as unknown[]) : []).entries()) {
      const path = `${key}[${at}]`;
      const { name, text } = (each ?? {}) as Record<string, unknown>;
      const own = isFileRef(text) ? this.referred(text, path) : text;
      if (typeof name === "string" && typeof own === "string") add(name, own, isFileRef(text) ? text.file : path);
      else if (own !== null) this.leftOut.push(`project.json: ${t("{path} is no {what}", { path, what })}`);
    }
    const prefix = `${this.folder}${key}/`;
    for (const name of this.files.keys()) {
      if (this.used.has(name) || !name.startsWith(prefix) || !name.endsWith(ending)) continue;
      const text = this.text(name.slice(this.folder.length));
      if (text !== null) add(name.slice(prefix.length), text, name);
    }
    return texts;
  }

  /**
   * Compares a value in `project.json` with the value that the page has read from it. Adds a note for each value
   * that the page did not accept and has replaced.
   */
  private compare(given: unknown, read: unknown, path: string): void {
    if (given === undefined || path === "scripts" || path === "tables") return;
    if (typeof read !== "object" || read === null) {
      if (given === read) return;
      const said = (JSON.stringify(given) ?? "").slice(0, 60);
      const used = JSON.stringify(read).slice(0, 60);
      this.leftOut.push(`project.json: ${t("{path} cannot be {said}; {used} is used", { path, said, used })}`);
      return;
    }
    for (const [key, each] of Object.entries(read))
      this.compare((given as Record<string, unknown> | null)?.[key], each, path === "" ? key : `${path}.${key}`);
  }

  /** Returns the text of an entry; null when there is no such entry, or when it is not UTF-8. */
  private text(file: string): string | null {
    const name = this.folder + file;
    const bytes = this.files.get(name);
    if (bytes === undefined) return null;
    this.used.add(name);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      this.leftOut.push(`${name}: ${t("it is not UTF-8 text")}`);
      return null;
    }
  }
}

function isFileRef(value: unknown): value is FileRef {
  return typeof value === "object" && value !== null && typeof (value as Partial<FileRef>).file === "string";
}
