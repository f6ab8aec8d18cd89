// Checks that the links in the documents and comments of this repository lead to existing files and headings,
// and that the paths that CONTRIBUTING.md and docs/architecture.md name exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");
const documents = [".", "docs", ".github", "server"].flatMap((folder) => documentsOf(folder, folder === "docs"));

function documentsOf(folder: string, isDeep: boolean): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return isDeep ? documentsOf(at, true) : [];
    return entry.name.endsWith(".md") ? [at] : [];
  });
}

const anchors = new Map<string, ReadonlySet<string>>();

/** Returns the anchors of a document's headings, made from the titles as code hosting sites make them. */
function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchors.get(file);
  if (known !== undefined) return known;
  const found = new Set<string>();
  for (const [, title] of withoutBlocks(textOf(file)).matchAll(/^#{1,6} (.+)$/gm)) {
    const name = title!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let unique = name;
    for (let count = 1; found.has(unique); count++) unique = `${name}-${count}`;
    found.add(unique);
  }
  anchors.set(file, found);
  return found;
}

/** Removes code blocks, because their lines may begin with `#` or contain text that looks like a link. */
function withoutBlocks(text: string): string {
  return text.replace(/^(`{3,}).*?^\1`*$/gms, "");
}

/** Returns the missing target of a link: the file, or the file and heading. Returns undefined when both exist. */
function missing(file: string, heading: string | undefined): string | undefined {
  if (!existsSync(path.join(root, file))) return file;
  if (heading === undefined || heading === "" || !file.endsWith(".md")) return undefined;
  return anchorsOf(file).has(heading) ? undefined : `${file}#${heading}`;
}

it.each(documents)("%s links to files and headings that exist", (file) => {
  const links = [...withoutBlocks(textOf(file)).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)];
  const local = links.filter(([, target]) => !/^[a-z]+:/.test(target!));
  const broken = local.flatMap(([, target, heading]) => {
    const to = target === "" ? file : path.normalize(path.join(path.dirname(file), target!));
    return missing(to, heading) ?? [];
  });
  expect(broken).toEqual([]);
});

it.each(["CONTRIBUTING.md", "docs/architecture.md"])("%s names paths that exist", (file) => {
  const text = textOf(file);
  const named = [...text.matchAll(/`((?:assembly|lib|server|playground|test|docs)\/[\w./-]+)`/g)].map(
    (match) => match[1]!,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((each) => !existsSync(path.join(root, each)))).toEqual([]);
});

/** Returns the source files below a folder, except built, installed and generated files. */
function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(?:node_modules|dist)$/.test(entry.name) ? [] : sources(at);
    const isCode = /\.(?:ts|mjs|svelte|peggy)$/.test(entry.name) || /(?<!bundle|grammar)\.js$/.test(entry.name);
    return isCode ? [at] : [];
  });
}

/** Returns the comment lines of a file: the text after `//`, and the lines of `/* ... *\/`. */
function commentsOf(text: string): string[] {
  const starts = /(?:(?:^|\s)(?:\/\/|\/\*\*?)|^\s*\*(?=\s))(.*)$/gm;
  return [...text.matchAll(starts)].map(([, comment]) => comment!);
}

/** Matches citations of documents that are not in this repository. */
const outside = [
  /\b(?:agent|pipeline|query|points|grok|gateway|functions|language|Open API|playground)(?:'s)? documents?\b/i,
  /\bthe spec\b/i,
  /\b[Ss]ections? \d+(?:\.\d+)*(?! of RFC)/,
  /\((?:[A-C]\.)?\d+\.\d+(?:\.\d+)*[,;)]/,
  /\b[A-C]\.\d+(?:\.\d+)*\b/,
  /\b(?:worked )?examples? [A-Z]\d+\b/,
];

/** Matches citations of public documents: of the IETF, of the W3C, and papers with a year. */
const isPublic = /RFC \d+|WebAssembly Core Specification|Software: Practice|\b(?:19|20)\d\d\b/;

/**
 * Finds the first cited document that is missing: it is not in this repository, and it is not public. Returns undefined
 * when no document is missing.
 */
function citationIn(comment: string): string | undefined {
  if (isPublic.test(comment)) return undefined;
  return outside.map((pattern) => pattern.exec(comment)?.[0]).find((cited) => cited !== undefined);
}

describe("comments in code", () => {
  const files = ["assembly", "lib", "server", "playground", "test"].flatMap(sources);
  const comments = files.flatMap((file) => commentsOf(textOf(file)).map((comment) => ({ file, comment })));

  it("are found", () => {
    expect(commentsOf("a(); // b\n/** c */\n * d\nx * y\nconst u = 'http://e';")).toEqual([" b", " c */", " d"]);
    expect(comments.length).toBeGreaterThan(5000);
  });

  it("link to pages and headings that exist", () => {
    const links = comments.flatMap(({ file, comment }) =>
      [...comment.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].map(([, page, heading]) => ({
        file,
        page,
        heading,
      })),
    );
    expect(links.length).toBeGreaterThan(300);
    const broken = links.flatMap(({ file, page, heading }) => {
      const what = missing(page!, heading);
      return what === undefined ? [] : [`${file}: ${what}`];
    });
    expect(broken).toEqual([]);
  });

  it("name only pages that exist", () => {
    const broken = comments.flatMap(({ file, comment }) =>
      [...comment.replace(/https?:\S+/g, "").matchAll(/(?<![\w/.-])[\w./-]+\.md\b/g)]
        .filter(([page]) => ![page, path.join(path.dirname(file), page)].some((at) => existsSync(path.join(root, at))))
        .map(([page]) => `${file}: ${page}`),
    );
    expect(broken).toEqual([]);
  });

  it("cite only documents that are in this repository or public", () => {
    const cited = comments.flatMap(({ file, comment }) => {
      const what = citationIn(comment);
      return what === undefined ? [] : [`${file}: ${what}`];
    });
    expect(cited).toEqual([]);
  });

  it.each([
    [" Points to text (points document, section 4).", "points document"],
    [" Global tags over HTTP (agent document, A.7).", "agent document"],
    [" as section 3.4 says", "section 3.4"],
    [" the order of keys (A.1.7)", "(A.1.7)"],
    [" by the rules of B.3.3", "B.3.3"],
    [" RFC 9112, sections 3.2 and 3.2.2", undefined],
    [" docs/reference/points.md#time", undefined],
  ])("%s cites %s", (comment, cited) => {
    expect(citationIn(comment)).toBe(cited);
  });
});
