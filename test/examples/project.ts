// A user's project: the examples copied into an empty folder, with `millrace` and what they import beside it in node_modules.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));
export const examples = path.join(repository, "docs/examples");
/** Where `npm test` installs the frameworks and runtimes that only tests need. */
const installed = path.join(repository, "test/runtimes/node_modules");

export interface Project {
  readonly folder: string;
  /** Path of a file in the project. */
  file(...name: string[]): string;
  remove(): void;
}

/** `packages`: what the project has installed beside `millrace`. */
export function newProject(packages: readonly string[] = []): Project {
  // Without symbolic links in the path, since runtimes compare paths.
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "millrace-examples-")));
  const file = (...name: string[]): string => path.join(folder, ...name);
  cpSync(examples, folder, { recursive: true });
  writeFileSync(file("package.json"), '{ "name": "project", "dependencies": { "millrace": "*" } }\n');
  mkdirSync(file("node_modules/.bin"), { recursive: true });
  for (const name of ["package.json", "dist/lib"]) {
    cpSync(path.join(repository, name), file("node_modules/millrace", name), { recursive: true });
  }
  symlinkSync(path.join(repository, "server/millrace.mjs"), file("node_modules/.bin/millrace"));
  for (const name of packages) {
    mkdirSync(path.dirname(file("node_modules", name)), { recursive: true });
    symlinkSync(packageFolder(name), file("node_modules", name));
  }
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function packageFolder(name: string): string {
  const found = [installed, path.join(repository, "node_modules")].map((place) => path.join(place, name)).find(existsSync);
  if (found === undefined) throw new Error(`${name} is not installed: run npm test once`);
  return found;
}

/** Path of a runtime's binary; undefined where there is none for this platform. */
export function runtime(name: "deno" | "bun" | "workerd"): string | undefined {
  const places = {
    deno: "@deno/linux-x64-glibc/deno",
    bun: "@oven/bun-linux-x64/bin/bun",
    workerd: "@cloudflare/workerd-linux-64/bin/workerd",
  };
  const file = path.join(installed, places[name]);
  return existsSync(file) ? file : undefined;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the project to its end. */
export function run(project: Project, command: string, args: readonly string[], input = ""): Promise<Finished> {
  const child = spawn(command, args, { cwd: project.folder, env: { ...process.env, NO_COLOR: "1" } });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin.on("error", () => {
    // The command may end before it has read its input.
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}
