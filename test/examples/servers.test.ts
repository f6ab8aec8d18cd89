// Tests the examples for web frameworks that have a build step. Each example is built as its framework builds
// it, and the built server answers requests in Node.

import process from "node:process";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlers } from "../runtimes/bundlers.ts";
import { newProject, type Project, run } from "./project.ts";

const { webpack } = bundlers;

let project: Project;
beforeAll(() => {
  project = newProject();
});
afterAll(() => {
  project.remove();
  if (!webpack.isInstalled) process.stderr.write("examples skipped, webpack is not installed in test/runtimes\n");
});

/**
 * Starts a process that calls the built handler with a request of three lines. Returns the status and text of the
 * handler's answer.
 */
async function answerOf(load: string, argument: string): Promise<{ status: number; text: string }> {
  const program = `
    const { POST } = await ${load};
    const request = new Request("http://localhost/logs", { method: "POST", body: "10.0.0.7 GET /a 0.25\\n\\nno request" });
    const response = await POST(${argument});
    console.log(JSON.stringify({ status: response.status, text: await response.text() }));`;
  const { code, stdout, stderr } = await run(project, process.execPath, ["--input-type=module", "-e", program]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as { status: number; text: string };
}

describe.skipIf(!webpack.isInstalled)("next", () => {
  it.each(["node external", "node"] as const)("answers the fields of lines, built for %s", async (platform) => {
    const folder = `built ${platform}`;
    await webpack.build({
      project: project.folder,
      entry: "next/app/logs/route.js",
      outDir: project.file(folder),
      platform,
    });
    const load = `import(${JSON.stringify(`./${folder}/main.cjs`)}).then((loaded) => loaded.default)`;
    const { status, text } = await answerOf(load, "request");
    expect([status, JSON.parse(text)]).toEqual([
      200,
      [
        { client: "10.0.0.7", method: "GET", path: "/a", seconds: 0.25, status: "unknown" },
        { message: "no request", status: "unknown" },
      ],
    ]);
  });
});

describe("sveltekit", () => {
  it("answers line protocol", async () => {
    const outDir = project.file("built");
    await build({
      root: project.file("sveltekit"),
      configFile: false,
      logLevel: "error",
      build: {
        outDir,
        ssr: "src/routes/logs/+server.js",
        rolldownOptions: { output: { entryFileNames: "server.mjs" } },
      },
    });
    const { status, text } = await answerOf('import("./built/server.mjs")', "{ request }");
    expect([status, text.replaceAll(/ \d{19}$/gm, "")]).toEqual([
      200,
      '__default client="10.0.0.7",method="GET",path="/a",seconds=0.25,status="unknown"\n' +
        '__default message="no request",status="unknown"\n',
    ]);
  });
});
