// The code in README.md and docs that uses the library must compile under `strict` with the published declarations, for
// each kind of module resolution of TypeScript.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * The code that imports the library and creates `mill`. Some code blocks of the pages use `mill` but do not
 * create it. The test inserts this code before such a block and then compiles both.
 */
const prelude = 'import { createMillrace } from "millrace";\nconst mill = await createMillrace();\n';

interface Block {
  /** File and line of the block, such as `docs/library.md:12`. */
  readonly name: string;
  readonly code: string;
  readonly language: string;
}

function pages(): string[] {
  const docs = readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" });
  return ["README.md", ...docs.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)];
}

/** Returns the blocks of a page that use the library. */
function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(/^```(ts|js|mjs|typescript|javascript)\n(.*?)^```$/gms)].flatMap(
    ([, language, code, ...rest]) => {
      const line = text.slice(0, rest[0] as unknown as number).split("\n").length;
      if (!/from "millrace[/"]|\bmill\./.test(code!)) return [];
      const whole = /\bmill\b *[=:]|createMillrace/.test(code!) || !/\bmill\./.test(code!) ? code! : prelude + code!;
      return [{ name: `${page}:${line}`, code: whole, language: language!.startsWith("t") ? "ts" : "js" }];
    },
  );
}

const blocks = pages().flatMap((page) => blocksOf(page, readFileSync(path.join(root, page), "utf8")));

const resolutions: Readonly<Record<string, ts.CompilerOptions>> = {
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

/** Compiles each block as a module in the package's folder and returns TypeScript's errors. */
function mistakes(sources: readonly Block[], resolution: ts.CompilerOptions): string[] {
  const options: ts.CompilerOptions = {
    ...resolution,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    moduleDetection: ts.ModuleDetectionKind.Force,
  };
  const files = new Map(
    sources.map(({ code, language }, i) => [
      path.join(root, `doc-code-${i}.${language === "ts" ? "mts" : "mjs"}`),
      code,
    ]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, ...rest) => {
    const code = files.get(file);
    return code === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, code, rest[0], true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const names = [...files.keys()];
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const block = file === undefined ? undefined : sources[names.indexOf(file.fileName)];
    const line = file === undefined ? "" : `${file.getLineAndCharacterOfPosition(start ?? 0).line + 1}`;
    return `${block?.name ?? file?.fileName ?? ""} +${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

describe("code in the documents that uses the library", () => {
  it("is found on the pages that are known to have it", () => {
    const found = new Set(blocks.map(({ name }) => name.split(":")[0]));
    expect([...found]).toEqual(expect.arrayContaining(["README.md", "docs/library.md", "docs/reference/query.md"]));
    expect(blocks.length).toBeGreaterThan(7);
  });

  it.each(Object.keys(resolutions))("compiles under strict with the module resolution %s", (name) => {
    expect(mistakes(blocks, resolutions[name]!)).toEqual([]);
  });

  it("is reported with page and line when it does not compile", () => {
    const code = 'import { createMillrace } from "millrace";\n(await createMillrace()).decode(5);\n';
    const [mistake] = mistakes([{ name: "wrong.md:1", code, language: "ts" }], resolutions.bundler!);
    expect(mistake).toMatch(/^wrong\.md:1 \+2: .*'number' is not assignable/);
  });
});
