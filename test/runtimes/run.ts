// The program on each kind of host; every function gives what the host printed or answered, hexadecimal digits.

import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright";
import { createServer, preview } from "vite";
import { bundleForBrowsers, bundleForWorkerd } from "./bundle.ts";

const command = "hosts/command.mjs";

/** Node, Deno or Bun over the installed package, with nothing fetched. */
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

/** workerd with the program as its one worker, asked over HTTP. */
export async function runWorkerd(binary: string, project: string): Promise<string> {
  const folder = await bundleForWorkerd(project);
  writeFileSync(path.join(folder, "config.capnp"), workerdConfig);
  const child = spawn(binary, ["serve", "--control-fd=3", "config.capnp"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  try {
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
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    if (!answer.ok) throw new Error(`workerd answered ${answer.status}: ${messages}`);
    return await answer.text();
  } finally {
    child.kill("SIGKILL");
  }
}

export interface PageAnswers {
  readonly main: string;
  readonly worker: string;
}

/** The page as Vite builds it. */
export async function runBuiltPage(executable: string, project: string): Promise<PageAnswers> {
  const outDir = await bundleForBrowsers(project);
  const server = await preview({
    root: project,
    configFile: false,
    logLevel: "error",
    build: { outDir },
    preview: { host: "127.0.0.1", port: 0 },
  });
  try {
    return await openPage(executable, new URL("page.html", server.resolvedUrls!.local[0]).href);
  } finally {
    await server.close();
  }
}

/** The page as Vite serves it while a project is being written, which bundles what is installed beforehand. */
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

async function openPage(executablePath: string, url: string): Promise<PageAnswers> {
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => problems.push(message.text()));
    await page.goto(url);
    const answer = async (id: string) => {
      const element = page.locator(`#${id}`);
      await element.waitFor({ timeout: 15_000 }).catch((error: unknown) => {
        throw new Error(`${error}\n${problems.join("\n")}`);
      });
      return (await element.textContent()) ?? "";
    };
    return { main: await answer("main"), worker: await answer("worker") };
  } finally {
    await browser.close();
  }
}
