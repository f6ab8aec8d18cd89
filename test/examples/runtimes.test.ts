// Runs the examples for Deno, Bun and edge workers in their JavaScript runtimes.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binaries } from "../runtimes/binaries.ts";
import { bundleForWorkerd } from "../runtimes/bundle.ts";
import { startWorkerd } from "../runtimes/run.ts";
import { accessLog } from "./access-log.ts";
import { isInstalled, newProject, type Project, run } from "./project.ts";
import { serve } from "./served.ts";

const { deno, bun, workerd } = binaries;
const missing = Object.entries({ deno, bun, workerd })
  .filter(([, binary]) => binary === null)
  .map(([name]) => name);

let project: Project;
beforeAll(() => {
  project = newProject(["hono"]);
});
afterAll(() => {
  project.remove();
  const here = `${process.platform} ${process.arch}`;
  if (missing.length > 0) process.stderr.write(`examples skipped, no binary for ${here}: ${missing.join(", ")}\n`);
});

describe.skipIf(deno === null)("deno.ts", () => {
  const script = (input: string) =>
    run(project, deno!, ["run", "--no-remote", "--cached-only", "--allow-read=.", "deno.ts"], input);

  it("keeps only points with a severe status, and adds the tag alarm", async () => {
    const input =
      'a status="error",n=9007199254740993i 1700000000\nb status="info" 1700000001\nc status="critical" 1700000002\n';
    expect(await script(input)).toEqual({
      code: 0,
      stderr: "",
      stdout:
        'a,alarm=true n=9007199254740993i,status="error" 1700000000000000000\n' +
        'c,alarm=true status="critical" 1700000002000000000\n',
    });
  });

  it("reports the position of a line that is not a point", async () => {
    const { code, stderr, stdout } = await script("a x=1i\n  b\n");
    expect({ code, stderr, stdout }).toEqual({ code: 1, stderr: "stdin:2:3: missing fields\n", stdout: "" });
  });

  it("passes the type check of Deno", async () => {
    const { code, stderr } = await run(project, deno!, ["check", "--no-remote", "--cached-only", "deno.ts"]);
    expect(stderr.replace(/^Check .*\n/gm, "")).toBe("");
    expect(code).toBe(0);
  });
});

describe.skipIf(bun === null)("bun.ts", () => {
  it("counts the paths of a log", async () => {
    writeFileSync(project.file("access.log"), accessLog(1000));
    const { code, stdout, stderr } = await run(project, bun!, ["run", "--no-install", "bun.ts", "access.log"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head).toBe("requests  failed     bytes  path");
    expect(rows.map((row) => row.trim().split(/ +/)).sort()).toEqual(
      ["/", "/api/items?page=2", "/favicon.ico", "/index.html", "/login"]
        .map((path, at) => [
          "200",
          path === "/api/items?page=2" ? "200" : "0",
          String(99_500 + 200 * [0, 3, 4, 1, 2][at]!),
          path,
        ])
        .sort(),
    );
  });
});

describe.skipIf(bun === null || !isInstalled("hono"))("hono.mjs", () => {
  it("runs on Bun without changes", async () => {
    const served = await serve(project, [bun!, "run", "--no-install", "hono.mjs"]);
    try {
      const body = 'web message="10.0.0.7 GET /a 0.25" 1700000000';
      const response = await fetch(new URL("/logs", served.url), {
        method: "POST",
        body,
        headers: { accept: "text/plain" },
      });
      expect(await response.text()).toBe(
        'web client="10.0.0.7",method="GET",path="/a",seconds=0.25,status="unknown" 1700000000000000000',
      );
    } finally {
      await served.stop();
    }
  });
});

describe.skipIf(workerd === null)("edge-worker", () => {
  const lines = 'crm phone="13812345678",message="from ann@example.org" 1700000000';
  const masked = 'crm message="from ***@***",phone="138****5678",status="unknown" 1700000000000000000';

  it("masks personal data, and refuses a line that is not a point", async () => {
    // Bundles the worker like Wrangler: one JavaScript module, built with the import condition `workerd`, and the
    // WebAssembly as a second module beside it.
    const worker = await startWorkerd(workerd!, await bundleForWorkerd(project.folder, "edge-worker/worker.ts"));
    try {
      const post = (body: string) => fetch(worker.url, { method: "POST", body });
      const answers = await Promise.all(Array.from({ length: 20 }, async () => (await post(lines)).text()));
      expect(new Set(answers)).toEqual(new Set([masked]));
      const refused = await post("crm");
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("missing fields")]);
      expect((await post("x".repeat(1_100_000))).status).toBe(413);
      expect((await fetch(worker.url)).status).toBe(405);
    } finally {
      worker.stop();
    }
  });
});
