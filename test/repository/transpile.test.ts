// Tests the script that transpiles the server for tests. The script writes the same code as tsc, but does not
// check types, and transpiles only files that have changed.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const { transpile }: { transpile(root: string, folders: readonly string[]): Promise<void> } = await import(
  new URL("../../server/transpile.mjs", import.meta.url).href
);

function repository(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-transpile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (file: string, text: string): void => {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    write,
    read: (file: string) => readFileSync(path.join(folder, file), "utf8"),
    has: (file: string) => existsSync(path.join(folder, file)),
    remove: (file: string) => rmSync(path.join(folder, file)),
    run: () => transpile(folder, ["lib", "server"]),
  };
}

describe("transpile", () => {
  it("drops types and names the compiled files in imports", async () => {
    const { read, run } = repository({
      "lib/a.ts": "export interface A { readonly a: number }\nexport const a: number = 1;\n",
      "server/deep/b.ts":
        'import { type A, a } from "../../lib/a.ts";\nimport type { A as B } from "../../lib/a.ts";\n' +
        'import "../../lib/a.ts";\nexport const b = async (): Promise<A | B> => (await import("../../lib/a.ts")) ?? a;\n',
    });
    await run();
    expect(read("dist/lib/a.js")).toBe("export const a = 1;\n");
    expect(read("dist/server/deep/b.js").split("\n").slice(0, 3)).toEqual([
      'import { a } from "../../lib/a.js";',
      'import "../../lib/a.js";',
      'export const b = async () => await import("../../lib/a.js") ?? a;',
    ]);
  });

  it("leaves out declarations, tests and what was built", async () => {
    const { has, run } = repository({
      "lib/a.ts": "export {};\n",
      "lib/grammar.d.ts": "export {};\n",
      "lib/millrace.d.wasm.ts": "export {};\n",
      "lib/a.test.ts": "export {};\n",
      "server/dist/b.ts": "export {};\n",
    });
    await run();
    const outputs = ["lib/a.js", "lib/grammar.d.js", "lib/millrace.d.wasm.js", "lib/a.test.js", "server/dist/b.js"];
    expect(outputs.filter((file) => has(`dist/${file}`))).toEqual(["lib/a.js"]);
  });

  it("writes only changed or missing files, and removes files whose source is gone", async () => {
    const files = ["kept", "changed", "missing", "gone"];
    const { write, read, has, remove, run } = repository({
      ...Object.fromEntries(files.map((name) => [`lib/${name}.ts`, "export const a = 1;\n"])),
      "server/b.ts": "export {};\n",
    });
    await run();
    write("dist/lib/kept.js", "as it was");
    write("lib/changed.ts", "export const a = 2;\n");
    remove("dist/lib/missing.js");
    remove("lib/gone.ts");
    await run();
    expect(read("dist/lib/kept.js")).toBe("as it was");
    expect(read("dist/lib/changed.js")).toBe("export const a = 2;\n");
    expect([has("dist/lib/missing.js"), has("dist/lib/gone.js")]).toEqual([true, false]);
  });

  it("names the file of a syntax error and changes nothing", async () => {
    const { write, read, run } = repository({ "lib/a.ts": "export const a = 1;\n", "server/b.ts": "export {};\n" });
    await run();
    write("lib/a.ts", "export const a = 2;\n");
    write("server/b.ts", "export const = ;\n");
    await expect(run()).rejects.toThrow("server/b.ts");
    expect(read("dist/lib/a.js")).toBe("export const a = 1;\n");
    write("server/b.ts", "export {};\n");
    await run();
    expect(read("dist/lib/a.js")).toBe("export const a = 2;\n");
  });
});
