// Packs the packages of the repository with npm and installs them into an empty project outside the repository.
// So tests use the packages exactly as users get them.

import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

export interface Packed {
  readonly name: string;
  /** The path of the packed archive. */
  readonly file: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

/** Runs `npm pack` in a folder of the repository. */
export async function pack(folder: "." | "server"): Promise<Packed> {
  const to = newFolder("pack");
  const listing = await npm(["pack", "--json", "--pack-destination", to], path.join(repository, folder));
  const [packed] = JSON.parse(listing) as {
    name: string;
    filename: string;
    size: number;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  const { name, filename, size, unpackedSize, files } = packed!;
  return { name, file: path.join(to, filename), size, unpackedSize, files: files.map((file) => file.path) };
}

/**
 * Makes a new project with these packages installed, without development dependencies. npm uses the network only for
 * packages that are not in its cache.
 */
export async function install(...packages: readonly Packed[]): Promise<string> {
  const project = newFolder("project");
  writeFileSync(path.join(project, "package.json"), '{ "name": "project", "private": true, "type": "module" }\n');
  const options = ["--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"];
  await npm(["install", ...options, ...packages.map(({ file }) => file)], project);
  return project;
}

const folders: string[] = [];

/** Makes a folder whose path has no symbolic link, because runtimes compare resolved paths. */
export function newFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), `millrace-${name}-`)));
  folders.push(folder);
  return folder;
}

/** Removes the folders that `pack` and `install` made. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Runs npm and returns its standard output. Throws an error with all output when npm fails. */
export async function npm(args: readonly string[], cwd: string): Promise<string> {
  const script = process.env.npm_execpath;
  const isScript = script !== undefined && /\.c?js$/.test(script);
  // Tests often run under npm, which sets environment variables that describe the repository and not the project. So
  // these variables are removed.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD)/.test(name),
    ),
  );
  const run = promisify(execFile);
  const [command, ...rest] = isScript ? [process.execPath, script, ...args] : ["npm", ...args];
  const { stdout } = await run(command, rest, {
    cwd,
    env,
    maxBuffer: 1 << 26,
    shell: !isScript && process.platform === "win32",
  });
  return stdout;
}
