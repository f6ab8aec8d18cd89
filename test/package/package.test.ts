// Packs the two packages and installs them into empty projects. Checks their files, dependencies, types and command,
// and which code a bundler leaves out.

import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, npm, type Packed, pack, removeFolders, repository } from "./install.ts";

const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest & Record<string, unknown>;

afterAll(removeFolders);

describe("millrace", () => {
  let packed: Packed;
  let project: string;
  let installed: string;
  beforeAll(async () => {
    packed = await pack(".");
    project = await install(packed);
    installed = path.join(project, "node_modules/millrace");
  });

  it("needs no other package", () => {
    const { dependencies, peerDependencies, optionalDependencies } = manifestOf(installed);
    expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined]);
    expect(readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "millrace",
    ]);
  });

  it("contains only the library", () => {
    const others = packed.files.filter((file) => !/^dist\/lib\/.*\.(js|d\.ts|d\.wasm\.ts|wasm)$/.test(file));
    expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(packed.files).toContain("dist/lib/wasm/millrace.wasm");
    expect(packed.files).toContain("dist/lib/pipeline/syntax/grammar.js");
  });

  it("runs nothing when it is installed", () => {
    const { scripts } = manifestOf(installed) as { scripts?: Record<string, string> };
    expect(Object.keys(scripts ?? {}).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it.each([
    ["bundler", "ESNext", "Bundler"],
    ["Node 16", "Node16", "Node16"],
  ])("has types for each sub-path that a strict %s project can check", async (_, module, moduleResolution) => {
    const names = Object.keys(manifestOf(installed).exports).filter((name) => !/\.(json|wasm)$/.test(name));
    const consumer = readFileSync(path.join(here, "consumer.ts"), "utf8");
    for (const name of names) expect(consumer).toContain(`from "millrace${name.slice(1)}"`);
    copyFileSync(path.join(here, "consumer.ts"), path.join(project, "consumer.ts"));
    const config = path.join(project, `tsconfig.${moduleResolution}.json`);
    const compilerOptions = {
      module,
      moduleResolution,
      target: "ES2022",
      lib: ["ES2023", "DOM"],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "-p", config]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  it("refuses the import of a file that is not public", async () => {
    const script = `import("millrace/dist/lib/regex/syntax/parse.js").catch((error) => console.log(error.code))`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: project });
    expect(stdout.trim()).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  it("can be required by CommonJS code, each sub-path of it", async () => {
    const names = Object.keys(manifestOf(installed).exports).filter((name) => !/\.(json|wasm)$/.test(name));
    const required = names.map((name) => `require("millrace${name.slice(1)}")`);
    writeFileSync(
      path.join(project, "old.cjs"),
      `const parts = [${required.join(", ")}];
      const file = require.resolve("millrace/millrace.wasm");
      const { version } = require("millrace/package.json");
      parts[0].createMillrace({ wasm: file }).then((mill) =>
        console.log(version, parts.every((part) => Object.keys(part).length > 0), mill.encode([{ name: "m", fields: { a: 1 }, time: 1n }], "lp", { as: "text" })));`,
    );
    const { stdout } = await run(process.execPath, ["old.cjs"], { cwd: project });
    expect(stdout).toBe(`${manifestOf(installed).version} true m a=1 1\n`);
  });

  it("has types for CommonJS code when TypeScript knows that ES modules can be required", async () => {
    writeFileSync(
      path.join(project, "old.cts"),
      `import { createMillrace, type Millrace } from "millrace";
import regex = require("millrace/regex");
export const mill: Promise<Millrace> = createMillrace();
export const found: boolean = regex.Regex.compile("a").test("a");
`,
    );
    const options = ["--module", "nodenext", "--target", "es2022", "--strict", "--noEmit", "old.cts"];
    const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, ...options], { cwd: project }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });

  it("fails with ERR_REQUIRE_ESM where Node cannot require ES modules", async () => {
    const args = ["--no-experimental-require-module", "-e", `require("millrace")`];
    await expect(run(process.execPath, args, { cwd: project })).rejects.toThrow("ERR_REQUIRE_ESM");
  });

  it.each([
    ["millrace/regex", ["regex", "text", "wasm"]],
    ["millrace/grok", ["grok", "point", "regex", "text", "wasm"]],
    ["millrace/point", ["digest", "point", "text", "wasm"]],
    ["millrace/wasm", ["wasm"]],
    ["millrace/filter", ["filter", "point", "regex", "text", "wasm"]],
    ["millrace/dql", ["dql", "point", "regex", "text", "time", "wasm"]],
    ["millrace/sharding", ["filter", "point", "regex", "sharding", "text", "wasm"]],
  ])("adds only the needed folders to a bundle of %s", async (name, allowed) => {
    const { rooms, code } = await bundle(project, `export * from "${name}";`);
    expect(rooms.length).toBeGreaterThan(0);
    expect(rooms.filter((room) => !allowed.includes(room))).toEqual([]);
    expect(code).not.toContain("add_pattern");
  });

  it("adds the whole engine to a bundle of createMillrace, and two folders to one of categoryOf", async () => {
    const whole = await bundle(project, `export { createMillrace } from "millrace";`);
    expect(whole.rooms).toEqual(["digest", "easy", "grok", "pipeline", "point", "regex", "text", "time", "wasm"]);
    expect(whole.code).toContain("add_pattern");
    const small = await bundle(project, `export { categoryOf } from "millrace";`);
    expect(small.rooms).toEqual(["point", "text"]);
    expect(small.code.length).toBeLessThan(5_000);
  });
});

/**
 * Bundles a source for browsers, minified. Returns the code of the bundle, and the folders of the library whose code is
 * included.
 */
async function bundle(project: string, source: string): Promise<{ rooms: string[]; code: string }> {
  const entry = path.join(project, "entry.mjs");
  writeFileSync(entry, `${source}\n`);
  const built = await build({
    root: project,
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: true, lib: { entry, formats: ["es"], fileName: "entry" } },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []));
  const chunks = outputs.filter((output) => output.type === "chunk");
  const modules = chunks.flatMap((chunk) =>
    Object.entries(chunk.modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
  );
  const rooms = modules.flatMap((id) => /\/millrace\/dist\/lib\/(\w+)\//.exec(id)?.[1] ?? []);
  return { rooms: [...new Set(rooms)].sort(), code: chunks.map((chunk) => chunk.code).join("\n") };
}

describe("@millrace/server", () => {
  const clientFolder = "dist/server/platform/open-api/client";
  let packed: Packed;
  let project: string;
  let bin: string;
  beforeAll(async () => {
    packed = await pack("server");
    project = await install(packed);
    bin = path.join(project, "node_modules/@millrace/server/millrace.mjs");
  });

  it("contains the compiled server, library and playground, and leaves no build in the repository", () => {
    const others = packed.files.filter(
      (file) =>
        !/^dist\/(lib|server)\/.*\.(js|wasm|p)$|^dist\/playground\/dist\/((index\.html|service-worker\.js)(\.br)?|assets\/.*\.(js|wasm|css|svg)\.br)$/.test(
          file,
        ),
    );
    const client = ["client", "error", "operations", "wire"].map((name) => `${clientFolder}/${name}.d.ts`);
    const built = "dist/server/built-at.txt";
    expect(others.sort()).toEqual(["LICENSE", "README.md", built, ...client, "millrace.mjs", "package.json"]);
    expect(packed.files).toContain("dist/server/pipelines/logging/nginx.p");
    expect(existsSync(path.join(repository, "server/dist"))).toBe(false);
  });

  it("is smaller than 3.1 MB", () => {
    expect(packed.size).toBeLessThan(3_100_000);
  });

  it("has the version of the library it carries", () => {
    expect(manifestOf(path.join(repository, "server")).version).toBe(manifestOf(repository).version);
  });

  it("installs its dependencies and no development dependency", () => {
    const names = readdirSync(path.join(project, "node_modules"));
    expect(names).toContain("fastify");
    for (const name of ["typescript", "vite", "vitest", "assemblyscript", "playwright", "@biomejs"])
      expect(names).not.toContain(name);
  });

  it("exports only the client of the Open API, with its types, at open-api-client", async () => {
    const source = `import { createOpenApiClient, type ListDashboardsRow, OpenApiError } from "@millrace/server/open-api-client";
export async function first(baseUrl: string): Promise<ListDashboardsRow | number> {
  const api = createOpenApiClient({ baseUrl, key: "k", fetch });
  try {
    // @ts-expect-error: no such member
    await api.createDashboard({ body: { nam: "a" } });
    return (await api.listDashboards({ query: { pageSize: 1 } })).content[0]!;
  } catch (error) {
    return error instanceof OpenApiError ? error.status : 0;
  }
}
`;
    writeFileSync(path.join(project, "client.ts"), source);
    const config = path.join(project, "tsconfig.json");
    const compilerOptions = {
      ...{ module: "Node16", moduleResolution: "Node16", target: "ES2022", lib: ["ES2023", "DOM"], types: [] },
      ...{ strict: true, noEmit: true, skipLibCheck: false },
    };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ["client.ts"] }));
    await run(process.execPath, [path.join(repository, "node_modules/typescript/bin/tsc"), "-p", config]);
    const program = `import * as client from "@millrace/server/open-api-client"; console.log(Object.keys(client).sort().join())`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: project });
    expect(stdout).toBe("OpenApiError,createOpenApiClient\n");
  });

  it("runs with npx", async () => {
    const npx = (...args: string[]) => npm(["exec", "--offline", "--", "millrace", ...args], project);
    expect(await npx("--version")).toBe(`millrace ${manifestOf(repository).version}\n`);
    expect(await npx("--help")).toContain("millrace agent");
    writeFileSync(path.join(project, "right.p"), `grok(_, "%{IP:client}")\n`);
    writeFileSync(path.join(project, "wrong.p"), "grok(_\n");
    await npx("pipeline", "check", "right.p");
    await expect(npx("pipeline", "check", "wrong.p")).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("wrong.p:"),
    });
  });

  it("runs a script over standard input", async () => {
    writeFileSync(path.join(project, "a.p"), `grok(_, "%{IP:client} %{INT:ms:int}")\n`);
    const child = spawn(process.execPath, [bin, "pipeline", "run", "a.p", "--format", "lp"], { cwd: project });
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stdin.end("10.0.0.7 12\n");
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, out]).toEqual([0, expect.stringContaining('client="10.0.0.7",message="10.0.0.7 12",ms=12i')]);
  });

  it("starts an agent that accepts points, runs the bundled scripts and serves the playground", async () => {
    const folder = path.join(project, "elsewhere");
    mkdirSync(folder);
    const args = ["agent", "--listen", "127.0.0.1:0", "--data-dir", "data"];
    const child = spawn(process.execPath, [bin, ...args], { cwd: folder });
    try {
      let said = "";
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout.on("data", (chunk) => {
          said += chunk;
          const listening = /listening on (http:\S+)/.exec(said);
          if (listening !== null) resolve(listening[1]!);
        });
        child.stderr.on("data", (chunk) => (said += chunk));
        child.on("exit", (code) => reject(new Error(`ended with ${code}: ${said}`)));
      });
      const line = String.raw`nginx message="127.0.0.1 - - [21/Nov/2025:10:00:00 +0000] \"GET /a HTTP/1.1\" 404 12 \"-\" \"curl/8\""`;
      const answer = await fetch(`${url}/v1/write/logging?source=nginx`, { method: "POST", body: line });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      expect(await (await fetch(url)).text()).toContain("<title>Millrace playground</title>");
      // npm has also installed the package with the country database, because the server depends on this package. The
      // playground page must get the database from this package.
      const worker = packed.files.find((file) => /playground\/dist\/assets\/worker-[\w-]+\.js\.br$/.test(file))!;
      const packedCode = readFileSync(path.join(project, "node_modules/@millrace/server", worker));
      const code = brotliDecompressSync(packedCode).toString();
      const countries = await fetch(new URL(/geo-whois-asn-country-[\w-]+\.mmdb/.exec(code)![0], `${url}/assets/`));
      expect(countries.status).toBe(200);
      expect((await countries.arrayBuffer()).byteLength).toBeGreaterThan(1_000_000);
      child.kill("SIGTERM");
      await new Promise((resolve) => child.on("exit", resolve));
      expect(readFileSync(path.join(folder, "data/output/logging.lp"), "utf8")).toContain('http_method="GET"');
    } finally {
      child.kill("SIGKILL");
    }
  });
});
