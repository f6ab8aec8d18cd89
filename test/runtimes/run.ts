// Runs the test program (program.mjs) in each kind of runtime. Every function returns the hexadecimal digits that the
// runtime printed or answered.

import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright";
import { createServer, preview } from "vite";
import { bundleForBrowsers, bundleForWorkerd } from "./bundle.ts";

const command = "hosts/command.mjs";

/** Runs the program in Node, Deno or Bun with the installed package and without network. */
export async function runCommand(binary: string, args: readonly string[], project: string): Promise<string> {
  const env = { ...process.env, DENO_DIR: path.join(project, ".deno"), DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1" };
  const { stdout } = await promisify(execFile)(binary, [...args, command], { cwd: project, env });
  return stdout.trim();
}

const workerdConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .program)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const program :Workerd.Worker = (
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
    (name = "millrace.wasm", wasm = embed "millrace.wasm"),
  ],
  compatibilityDate = "2025-01-01",
);
`;

export interface Served {
  readonly url: string;
  stop(): void;
}

/** Starts workerd with the bundle in a folder as its only worker. */
export async function startWorkerd(binary: string, folder: string): Promise<Served> {
  writeFileSync(path.join(folder, "config.capnp"), workerdConfig);
  const child = spawn(binary, ["serve", "--control-fd=3", "config.capnp"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let messages = "";
  const port = await new Promise<number>((resolve, reject) => {
    let control = "";
    child.stdio[3]!.on("data", (chunk: Buffer) => {
      control += chunk;
      const listening = /"event":\s*"listen".*?"port":\s*(\d+)/.exec(control);
      if (listening !== null) resolve(Number(listening[1]));
    });
    child.stderr!.on("data", (chunk: Buffer) => (messages += chunk));
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`workerd ended with ${code}: ${messages}`)));
  });
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.kill("SIGKILL") };
}

/** Runs the program in workerd and requests its answer over HTTP. */
export async function runWorkerd(binary: string, project: string): Promise<string> {
  const worker = await startWorkerd(binary, await bundleForWorkerd(project));
  try {
    const answer = await fetch(worker.url);
    if (!answer.ok) throw new Error(`workerd answered ${answer.status}: ${await answer.text()}`);
    return await answer.text();
  } finally {
    worker.stop();
  }
}

export interface PageAnswers {
  readonly main: string;
  readonly worker: string;
}

/** Runs the program in the page that `vite build` makes. */
export async function runBuiltPage(executable: string, project: string): Promise<PageAnswers> {
  const site = await serveSite(await bundleForBrowsers(project));
  try {
    return await openPage(executable, new URL("page.html", site.url).href);
  } finally {
    await site.stop();
  }
}

/** Serves a folder of static files over HTTP. */
export async function serveSite(outDir: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = await preview({
    root: outDir,
    configFile: false,
    logLevel: "error",
    build: { outDir },
    preview: { host: "127.0.0.1", port: 0 },
  });
  return { url: server.resolvedUrls!.local[0]!, stop: () => server.close() };
}

/** Runs the program in the page that Vite's development server serves, which bundles installed packages in advance. */
export async function runServedPage(executable: string, project: string): Promise<PageAnswers> {
  const server = await createServer({
    root: project,
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0, hmr: false, watch: null },
  });
  try {
    await server.listen();
    return await openPage(executable, new URL("hosts/page.html", server.resolvedUrls!.local[0]).href);
  } finally {
    await server.close();
  }
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}

async function openPage(executable: string, url: string): Promise<PageAnswers> {
  const browser = await launchChromium(executable);
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => problems.push(message.text()));
    await page.goto(url);
    const answer = async (id: string) => {
      const element = page.locator(`#${id}`);
      await element.waitFor({ timeout: 60_000 }).catch((error: unknown) => {
        throw new Error(`${error}\n${problems.join("\n")}`);
      });
      return (await element.textContent()) ?? "";
    };
    return { main: await answer("main"), worker: await answer("worker") };
  } finally {
    await browser.close();
  }
}
