// The playground that the agent serves.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startAgent } from "../../support/running-agent.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../..");

/** Makes a folder like a checkout of this repository whose server is compiled but whose playground is not built. */
function bareFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-bare-"));
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  for (const each of ["package.json", "server", "node_modules"])
    symlinkSync(path.join(root, each), path.join(folder, each));
  return folder;
}

describe("the playground", () => {
  it("is served with its files, under a strict policy", async () => {
    const agent = await startAgent();
    const page = await agent.send("/");
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "public, max-age=0",
    });
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|\*|http:/);

    const [asset] = /assets\/index-[\w-]+\.js/.exec(page.text)!;
    const plain = await agent.send(`/${asset}`);
    expect([plain.status, plain.headers["content-encoding"]]).toEqual([200, undefined]);
    expect(plain.headers["content-type"]).toMatch(/^(?:text|application)\/javascript/);
    expect(plain.headers["cache-control"]).toContain("immutable");
    expect(plain.headers["x-content-type-options"]).toBe("nosniff");
    const packed = await agent.send(`/${asset}`, { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    await agent.stop();
  });

  it("has no other files", async () => {
    const agent = await startAgent();
    for (const at of [
      "/assets/none.js",
      "/assets/..%2findex.html",
      "/assets/%2e%2e/index.html",
      "/index.html",
      "/assets",
    ]) {
      const { status, headers } = await agent.send(at);
      expect([at, status, headers["cache-control"]]).toEqual([at, 404, undefined]);
    }
    await agent.stop();
  });

  it("is for local clients, unless the page is opened", async () => {
    const far = { "x-real-ip": "8.8.8.8" };
    const closed = await startAgent();
    const asset = /assets\/index-[\w-]+\.js/.exec((await closed.send("/")).text)![0];
    expect((await closed.send("/", { headers: far })).status).toBe(403);
    expect((await closed.send(`/${asset}`, { headers: far })).status).toBe(403);
    await closed.stop();
    const opened = await startAgent({ config: '[http_api]\npublic_apis = ["/"]' });
    expect((await opened.send("/", { headers: far })).status).toBe(200);
    expect((await opened.send(`/${asset}`, { headers: far })).status).toBe(200);
    expect((await opened.send("/metrics", { headers: far })).status).toBe(403);
    await opened.stop();
  });

  it("brings the server's own country database where it is packed without one", async () => {
    const assets = path.join(root, "playground/dist/assets");
    const name = readdirSync(assets).find((file) => file.endsWith(".mmdb"))!;
    const folder = bareFolder();
    cpSync(path.join(root, "playground/dist"), path.join(folder, "playground/dist"), {
      recursive: true,
      filter: (file) => !/\.(?:gz|mmdb)$/.test(file),
    });
    const agent = await startAgent({ program: path.join(folder, "dist/server/main.js") });
    const { status, headers, body } = await agent.send(`/assets/${name}`);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toContain("immutable");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(body.equals(readFileSync(path.join(assets, name)))).toBe(true);
    expect((await agent.send("/assets/other-country.mmdb")).status).toBe(404);
    await agent.stop();
    rmSync(folder, { recursive: true });
  });

  it("says how to build it when it is not there", async () => {
    const folder = bareFolder();
    const agent = await startAgent({ program: path.join(folder, "dist/server/main.js") });
    const { status, headers, text } = await agent.send("/");
    expect([status, headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
    expect(text).toContain("npm run build:playground");
    await agent.stop();
    rmSync(folder, { recursive: true });
  });
});
