// Checks the packed library with two tools. "Are The Types Wrong" resolves every exported path as each version of
// TypeScript and each kind of bundler does. publint checks package.json and every file.

import { readFileSync } from "node:fs";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack, removeFolders, repository } from "./install.ts";

const manifest = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as Record<string, unknown> & {
  readonly exports: Readonly<Record<string, unknown>>;
};

/**
 * The rules by which TypeScript finds the ES modules of a package. The rule of Node before version 12 is not in the
 * list: it ignores `exports` in package.json, so it finds no sub-path of the package.
 */
const modern = ["node16-esm", "bundler"] as const;

let packed: Packed;
let tarball: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  packed = await pack(".");
  tarball = new Uint8Array(readFileSync(packed.file));
});
afterAll(removeFolders);

describe("the types of the packed library", () => {
  it("are found for every exported path, including the module, and match the code", async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball));
    if (result.types === false) throw new Error("the package has no types");
    const { entrypoints, problems } = result;
    const paths = Object.keys(manifest.exports).filter((name) => !name.endsWith(".json"));
    expect(Object.keys(entrypoints)).toEqual(expect.arrayContaining(paths));
    for (const name of paths) {
      for (const kind of modern) {
        const { resolution } = entrypoints[name]!.resolutions[kind];
        expect(resolution?.fileName, `${name} by ${kind}`).toMatch(/\.d(\.wasm)?\.ts$/);
      }
    }
    // Two kinds of problems are expected. A resolver that ignores `exports` in package.json finds nothing. CommonJS
    // code can `require` ES modules only in Node from 20.19 and 22.12 on (package.test.ts tests this), and the tool
    // assumes an older Node.
    const others = problems.filter((problem) => {
      if (!("resolutionKind" in problem)) return true;
      const { kind, resolutionKind } = problem;
      return resolutionKind !== "node10" && !(resolutionKind === "node16-cjs" && kind === "CJSResolvesToESM");
    });
    expect(others).toEqual([]);
  });
});

describe("package.json of the packed library", () => {
  it("gets no error and no suggestion from publint", async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: tarball.buffer },
      level: "suggestion",
      strict: true,
    });
    expect(pkg.name).toBe("millrace");
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});
