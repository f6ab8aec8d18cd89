// Builds a page with each bundler and runs it in Chromium. Either the bundler adds the WebAssembly module to the site,
// or the error message names the line of code to add, and the page works with this line.

import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, newFolder, pack, removeFolders } from "../package/install.ts";
import { type Bundler, bundlers, type WasmImport } from "./bundlers.ts";
import { launchChromium, serveSite } from "./run.ts";

const chromium = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const missing = Object.entries(bundlers).flatMap(([name, { isInstalled }]) => (isInstalled ? [] : [name]));

let project: string;
let browser: Browser;
beforeAll(async () => {
  project = await install(await pack("."));
  browser = await launchChromium(chromium);
});
afterAll(async () => {
  await browser?.close();
  removeFolders();
  if (missing.length > 0)
    process.stderr.write(`bundlers skipped, not installed in test/runtimes: ${missing.join(", ")}\n`);
});

const page = (script: string): string =>
  `<!doctype html>\n<title>A bundle</title>\n<body></body>\n<script type="module" src="${script}"></script>\n`;

interface Entry {
  /**
   * `line`: the line that imports the WebAssembly module; empty when the program does not import the module. `options`:
   * the source text of the options for `createMillrace`.
   */
  readonly line: string;
  readonly options: string;
}

/**
 * A page that reads the options from the fragment of its own address (the part after `#`). So a test can load the same
 * bundle with and without options.
 */
const fromAddress: Entry = { line: "", options: "location.hash === '' ? {} : { wasm: location.hash.slice(1) }" };
const imported: Entry = { line: 'import wasm from "millrace/millrace.wasm";', options: "{ wasm }" };

/** Writes the program that is bundled. The program shows a field that a script has set, or the error message. */
function writeEntry({ line, options }: Entry): void {
  const program = `import { createMillrace } from "millrace";
${line}
const show = (text) => document.body.append(Object.assign(document.createElement("output"), { value: text }));
createMillrace(${options}).then(
  (mill) => show(mill.script('grok(_, "%{IP:client} %{INT:ms:int}")').run("10.0.0.7 12").fields.client),
  (error) => show(String(error)),
);
`;
  writeFileSync(path.join(project, "entry.mjs"), program);
  writeFileSync(path.join(project, "index.html"), page("./entry.mjs"));
}

/** Builds the page, and returns the folder of the site. */
async function built(bundler: Bundler, entry: Entry = fromAddress, wasm?: WasmImport): Promise<string> {
  writeEntry(entry);
  const outDir = path.join(newFolder("site"), "site");
  mkdirSync(outDir);
  await bundler.build({ project, outDir, wasm });
  // Parcel writes the file index.html. The other bundlers write only the script, so the test adds an index.html.
  if (!readdirSync(outDir).includes("index.html")) writeFileSync(path.join(outDir, "index.html"), page("./main.js"));
  return outDir;
}

/** Opens the page in Chromium and returns the text of its <output>. */
async function shown(folder: string, hash = ""): Promise<string> {
  const site = await serveSite(folder);
  const tab = await browser.newPage();
  try {
    await tab.goto(`${site.url}${hash}`);
    return (await tab.locator("output").textContent({ timeout: 30_000 })) ?? "";
  } finally {
    await tab.close();
    await site.stop();
  }
}

describe("a page built by", () => {
  const { Vite, webpack, Rollup, esbuild, Parcel } = bundlers;

  it("Vite loads the WebAssembly module", async () => {
    expect(await shown(await built(Vite))).toBe("10.0.0.7");
  });

  it.skipIf(!webpack.isInstalled)("webpack loads the WebAssembly module", async () => {
    expect(await shown(await built(webpack))).toBe("10.0.0.7");
  });

  it.skipIf(!Parcel.isInstalled)("Parcel loads the WebAssembly module", async () => {
    expect(await shown(await built(Parcel))).toBe("10.0.0.7");
  });

  /**
   * Expects that the page without the WebAssembly module shows an error that names the line of code to add. Then
   * expects that the page works with this line, once the file of the module is on the site.
   */
  const needsLine = async (bundler: Bundler): Promise<void> => {
    const folder = await built(bundler);
    expect(await shown(folder)).toContain('write createMillrace({ wasm: "/millrace.wasm" })');
    const file = path.join(project, "node_modules/millrace/dist/lib/wasm/millrace.wasm");
    copyFileSync(file, path.join(folder, "millrace.wasm"));
    expect(await shown(folder, "#/millrace.wasm")).toBe("10.0.0.7");
  };

  it.skipIf(!Rollup.isInstalled)("Rollup shows the line of code to add, and works with this line", () =>
    needsLine(Rollup),
  );

  it.skipIf(!esbuild.isInstalled)("esbuild shows the line of code to add, and works with this line", () =>
    needsLine(esbuild),
  );

  it.skipIf(!esbuild.isInstalled).each<WasmImport>(["url", "bytes"])(
    "esbuild loads the WebAssembly module that is imported as %s",
    async (wasm) => {
      expect(await shown(await built(esbuild, imported, wasm))).toBe("10.0.0.7");
    },
  );

  it.skipIf(!webpack.isInstalled)("webpack loads the WebAssembly module that is imported as a URL", async () => {
    expect(await shown(await built(webpack, imported, "url"))).toBe("10.0.0.7");
  });
});
