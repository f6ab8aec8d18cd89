// Runs the examples for Node as a user does: the stream over a large file, the three HTTP servers, and the pipe.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { repository } from "../package/install.ts";
import { accessLine, accessLog } from "./access-log.ts";
import { isInstalled, newProject, type Project, run } from "./project.ts";
import { type Served, serve } from "./served.ts";

const missing = ["express", "hono"].filter((name) => !isInstalled(name));

let project: Project;
beforeAll(() => {
  project = newProject(["express", "fastify", "hono", "@hono/node-server"]);
  // The command `millrace`, linked as npm would link it for the package @millrace/server.
  mkdirSync(project.file("node_modules/.bin"), { recursive: true });
  symlinkSync(path.join(repository, "server/millrace.mjs"), project.file("node_modules/.bin/millrace"));
});
afterAll(() => {
  project.remove();
  if (missing.length > 0)
    process.stderr.write(`examples skipped, test/runtimes is not installed: ${missing.join(", ")}\n`);
});

const node = (...args: string[]) => run(project, process.execPath, args);

describe("node-stream.mjs", () => {
  it("turns each line into a point", async () => {
    writeFileSync(project.file("small.log"), `${accessLine(0)}\r\n\n${accessLine(4)}`);
    const { stdout, stderr, code } = await node("node-stream.mjs", "small.log");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout.split("\n")).toEqual([
      'nginx bytes=0i,client="10.0.0.0",method="GET",path="/",status="OK",status_code=200i,user="-" 1763719200000000000',
      'nginx bytes=4i,client="10.0.4.4",method="GET",path="/favicon.ico",status="OK",status_code=304i,user="-" 1763719204000000000',
      "",
    ]);
  });

  it("keeps the text of a line that does not match", async () => {
    writeFileSync(project.file("mixed.log"), `${accessLine(0)}\n2025/11/21 10:00:01 [notice] 7#7: start`);
    const { stdout, stderr, code } = await node("node-stream.mjs", "mixed.log");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout.split("\n").map((line) => line.replace(/ \d+$/, ""))).toEqual([
      'nginx bytes=0i,client="10.0.0.0",method="GET",path="/",status="OK",status_code=200i,user="-"',
      'nginx message="2025/11/21 10:00:01 [notice] 7#7: start",status="unknown"',
      "",
    ]);
  });

  it("splits a line that is too long into several points", async () => {
    writeFileSync(project.file("long.log"), `${"x".repeat(3_000_000)}\n${accessLine(1)}\n`);
    const { stdout } = await node("node-stream.mjs", "long.log");
    const lines = stdout.trim().split("\n");
    expect(lines.length).toBeGreaterThan(2);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(2_000_000);
    expect(lines.at(-1)).toContain('path="/index.html"');
  });

  it("processes 100 MB with a heap of 32 MB", { timeout: 300_000 }, async () => {
    const file = project.file("big.log");
    const block = accessLog(10_000);
    const handle = openSync(file, "w");
    let size = 0;
    let lines = 0;
    for (; size < 100_000_000; lines += 10_000) size += writeSync(handle, block);
    closeSync(handle);
    // Code that is loaded with `--import` prints the peak memory of the process in KiB when the process ends.
    const told = "process.on('exit', () => console.error(process.resourceUsage().maxRSS))";
    const { code, stderr } = await node(
      "--max-old-space-size=32",
      `--import=data:text/javascript,${encodeURIComponent(told)}`,
      ...["node-stream.mjs", "big.log", "big.lp"],
    );
    expect(code, stderr).toBe(0);
    expect(countLines(project.file("big.lp"))).toBe(lines);
    expect(statSync(project.file("big.lp")).size).toBeGreaterThan(100_000_000);
    // The file, its points and their line protocol take more than 100 MB each. An example that held all of them in
    // memory would need more than the 200 MB that are allowed.
    expect(Number(stderr) * 1024, "resident bytes at most").toBeLessThan(200_000_000);
  });
});

describe("the servers", () => {
  let served: Served | undefined;
  afterEach(() => served?.stop());

  const json = { "content-type": "application/json" };
  const post = (url: string, body: string, headers: Record<string, string> = { "content-type": "text/plain" }) =>
    fetch(url, { method: "POST", body, headers });
  const lines = 'web message="10.0.0.7 GET /a 0.25" 1700000000\nweb message="10.0.0.8 GET /health 0.1" 1700000001';
  const answer = {
    measurement: "web",
    fields: { client: "10.0.0.7", method: "GET", path: "/a", seconds: 0.25, status: "unknown" },
    time: 1700000000000000000,
  };
  const unmatched = 'web message="no request" 1700000002';
  const kept = {
    measurement: "web",
    fields: { message: "no request", status: "unknown" },
    time: 1700000002000000000,
  };

  it.skipIf(!isInstalled("express"))(
    "express.mjs answers with the points as JSON, without the points that the script drops",
    async () => {
      served = await serve(project, [process.execPath, "express.mjs"]);
      const response = await post(served.url, lines);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(await response.json()).toEqual([answer]);
      const again = JSON.stringify([
        { measurement: "web", fields: { message: "10.0.0.7 GET /a 0.25" }, time: 1700000000000000000 },
      ]);
      expect(await (await post(served.url, again, json)).json()).toEqual([answer]);
      expect(await (await post(served.url, unmatched)).json()).toEqual([kept]);
    },
  );

  it.skipIf(!isInstalled("express"))(
    "express.mjs refuses a body that is not points with 400, and a body that is too large with 413",
    async () => {
      served = await serve(project, [process.execPath, "express.mjs"]);
      const response = await post(served.url, "web x=1i\nweb");
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ lines: [{ lineNumber: 2, reason: "missing fields" }] });
      expect((await post(served.url, "")).status).toBe(400);
      expect((await post(served.url, "x".repeat(1_100_000))).status).toBe(413);
      expect((await post(served.url, lines)).status).toBe(200);
    },
  );

  it("fastify.mjs forwards the points, and answers 502 when forwarding fails", async () => {
    const received: string[] = [];
    let status = 204;
    const upstream = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk;
      received.push(text);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const forward = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    try {
      served = await serve(project, [process.execPath, "fastify.mjs"], { FORWARD: forward });
      const url = `${served.url}/write`;
      expect((await post(url, lines)).status).toBe(204);
      expect(received).toEqual([
        'web,method=GET client="10.0.0.7",path="/a",seconds=0.25,status="unknown" 1700000000000000000',
      ]);
      expect((await post(url, 'web message="10.0.0.8 GET /health 0.1"')).status).toBe(204);
      expect(received.length).toBe(1);
      expect((await post(url, unmatched)).status).toBe(204);
      expect(received[1]).toBe('web message="no request",status="unknown" 1700000002000000000');
      const refused = await post(url, "web");
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ lines: [{ reason: "missing fields" }] });
      expect((await post(url, "x".repeat(1_100_000))).status).toBe(413);
      expect((await post(url, "")).status).toBe(400);
      status = 503;
      const failed = await post(url, lines);
      expect([failed.status, await failed.json()]).toEqual([502, { error: "forwarding failed: 503" }]);
    } finally {
      await new Promise((resolve) => upstream.close(resolve));
    }
    expect((await post(`${served.url}/write`, lines)).status).toBe(502);
  });

  it.skipIf(!isInstalled("hono"))("hono.mjs answers in the form that was asked for", async () => {
    served = await serve(project, [process.execPath, "--input-type=module", "-e", honoOnNode]);
    const url = `${served.url}/logs`;
    expect(await (await post(url, lines)).json()).toEqual([answer]);
    expect(await (await post(url, unmatched)).json()).toEqual([kept]);
    expect(await (await post(url, lines, { "content-type": "text/plain", accept: "text/plain" })).text()).toBe(
      'web client="10.0.0.7",method="GET",path="/a",seconds=0.25,status="unknown" 1700000000000000000',
    );
    const refused = await post(url, "[{", json);
    expect([refused.status, Object.keys((await refused.json()) as object)]).toEqual([400, ["error", "lines"]]);
    expect((await post(url, "x".repeat(1_100_000))).status).toBe(413);
  });

  it.skipIf(!isInstalled("hono"))("hono.mjs is a fetch handler, and gives its batches back", async () => {
    // The test imports the example into its own process, so that it can read the memory of the example's WebAssembly
    // instance.
    const imported = (await import(pathToFileURL(project.file("hono.mjs")).href)) as {
      readonly default: { request(url: string, init: RequestInit): Promise<Response> };
      readonly mill: { memory(): { used: number } };
    };
    const send = (body: string) => imported.default.request("/logs", { method: "POST", body });
    await send(lines);
    // The example releases each body after its request. Only the tables of the compiled script stay in memory.
    const { used } = imported.mill.memory();
    for (const body of ["web", lines, lines]) await send(body);
    expect(imported.mill.memory().used).toBe(used);
  });
});

/**
 * The program for Node that the comment at the head of hono.mjs shows. The test changes only the port, to any free
 * port.
 */
const honoOnNode = `
  import { serve } from "@hono/node-server";
  import app from "./hono.mjs";
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log("http://127.0.0.1:" + port));
`;

describe("cli-pipe/failures.sh", () => {
  it.skipIf(process.platform === "win32")("prints the requests that failed", async () => {
    const { stdout, code } = await run(project, "./cli-pipe/failures.sh", [], `${accessLog(10)}not a request\n`);
    expect(code).toBe(0);
    const points = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { fields: Record<string, unknown> });
    expect(points.map(({ fields }) => [fields.status_code, fields.status])).toEqual([
      [500, "error"],
      [500, "error"],
    ]);
  });
});

function countLines(file: string): number {
  expect(existsSync(file)).toBe(true);
  const bytes = readFileSync(file);
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
