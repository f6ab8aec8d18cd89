// Makes a project as a user has it: the examples in an empty folder, and the packages that they import in
// node_modules. The copy of the library in node_modules has the files of the published package; test/package/
// checks that npm packs and installs exactly these files.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { newFolder, repository } from "../package/install.ts";

export const examples = path.join(repository, "docs/examples");

export interface Project {
  readonly folder: string;
  /** Returns the path of a file in the project. */
  file(...name: string[]): string;
  remove(): void;
}

/**
 * Makes a project. `packages` names packages to link beside `millrace`; those that are not installed in this repository
 * are left out.
 */
export function newProject(packages: readonly string[] = []): Project {
  const folder = newFolder("examples");
  const file = (...name: string[]): string => path.join(folder, ...name);
  cpSync(examples, folder, { recursive: true });
  writeFileSync(file("package.json"), '{ "name": "project", "private": true, "dependencies": { "millrace": "*" } }\n');
  for (const name of ["package.json", "dist/lib"]) {
    cpSync(path.join(repository, name), file("node_modules/millrace", name), { recursive: true });
  }
  for (const name of packages.filter(isInstalled)) {
    mkdirSync(path.dirname(file("node_modules", name)), { recursive: true });
    symlinkSync(placeOf(name)!, file("node_modules", name));
  }
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the folder of an installed package. Frameworks that only tests need are installed in test/runtimes. */
function placeOf(name: string): string | undefined {
  const places = ["test/runtimes/node_modules", "node_modules"];
  return places.map((place) => path.join(repository, place, name)).find(existsSync);
}

export function isInstalled(name: string): boolean {
  return placeOf(name) !== undefined;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the project until it ends. */
export function run(project: Project, command: string, args: readonly string[], input = ""): Promise<Finished> {
  const env = { ...process.env, NO_COLOR: "1", DENO_DIR: project.file(".deno"), DENO_NO_UPDATE_CHECK: "1" };
  const child = spawn(command, args, { cwd: project.folder, env });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin.on("error", () => {
    // The command may end before it has read all of its input. Writing the rest of the input then fails, which is no
    // error of the test.
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts }));
  });
}
