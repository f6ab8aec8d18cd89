// The agent serves the playground: the page, its assets and their headers.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startAgent } from "../../support/running-agent.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../../..");
const { packPage } = (await import(new URL("../../../../server/build.mjs", import.meta.url).href)) as {
  readonly packPage: (from: string, to: string) => void;
};

/** Makes a folder like a checkout of this repository whose server is compiled but whose playground is not built. */
function bareFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-bare-"));
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  for (const each of ["package.json", "server", "node_modules"])
    symlinkSync(path.join(root, each), path.join(folder, each));
  return folder;
}

/** Values of the header `Accept-Encoding`, each with the encoding of the answer. */
const encodings: readonly [accepted: string, encoding: string | undefined][] = [
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.5, gzip;q=0.1", "br"],
  ["gzip, deflate", "gzip"],
  ["gzip, br;q=0", "gzip"],
  ["*", "gzip"],
  ["zstd", undefined],
  ["identity", undefined],
];

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined) return body;
  return encoding === "br" ? brotliDecompressSync(body) : gunzipSync(body);
}

describe("the policy of the playground", () => {
  const policyOf = async (agent: Awaited<ReturnType<typeof startAgent>>, path: string) =>
    String((await agent.send(path)).headers["content-security-policy"]);

  it("lets the page call the agents that the configuration lists, and changes nothing else", async () => {
    const [plain, open] = [
      await startAgent(),
      await startAgent({
        config: '[http_api]\nplayground_agents = ["http://127.0.0.1:9530", "https://[::1]:1"]\n',
      }),
    ];
    const strict = await policyOf(plain, "/");
    expect(strict).toContain("connect-src 'self';");
    expect(await policyOf(open, "/")).toBe(
      strict.replace("connect-src 'self';", "connect-src 'self' http://127.0.0.1:9530 https://[::1]:1;"),
    );
    const [asset] = /assets\/index-[\w-]+\.js/.exec((await open.send("/")).text)!;
    expect(await policyOf(open, `/${asset}`)).toBe(strict);
    await Promise.all([plain.stop(), open.stop()]);
  });

  it.each([
    "*",
    "http://*",
    "null",
    "http://a.example; script-src *",
    "http://a 'unsafe-inline'",
    "http://a/path",
    "data:",
    "http:",
  ])("rejects the agent address %j", async (entry) => {
    const config = `[http_api]\nplayground_agents = [${JSON.stringify(entry)}]\n`;
    await expect(startAgent({ config })).rejects.toThrow(/playground_agents/);
  });
});

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
    for (const [accepted, encoding] of encodings) {
      const { headers, body } = await agent.send(`/${asset}`, { headers: { "accept-encoding": accepted } });
      expect([accepted, headers["content-encoding"]]).toEqual([accepted, encoding]);
      expect(headers).toMatchObject({ vary: "Accept-Encoding", "content-type": plain.headers["content-type"] });
      expect(decoded(body, encoding).equals(plain.body)).toBe(true);
    }
    const compressed = await agent.send("/", { headers: { "accept-encoding": "gzip, deflate, br, zstd" } });
    expect(compressed.headers).toMatchObject({ "content-encoding": "br", "content-type": "text/html; charset=utf-8" });
    expect(brotliDecompressSync(compressed.body).equals(page.body)).toBe(true);
    await agent.stop();
  });

  it("has a service worker that clients always revalidate, under the same policy", async () => {
    const agent = await startAgent();
    const { status, headers, text } = await agent.send("/service-worker.js");
    expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=0"]);
    expect(headers["content-type"]).toMatch(/^(?:text|application)\/javascript/);
    const asset = await agent.send(`/${/assets\/index-[\w-]+\.js/.exec((await agent.send("/")).text)![0]}`);
    for (const name of ["content-security-policy", "x-content-type-options"])
      expect(headers[name]).toBe(asset.headers[name]);
    const accepted = { headers: { "accept-encoding": "gzip, br" } };
    const compressed = await agent.send("/service-worker.js", accepted);
    expect(compressed.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(compressed.body).toString()).toBe(text);
    // The built service worker contains the names of exactly the files that belong to the built page.
    const files = [...text.matchAll(/assets\/[\w.-]+/g)].map(([file]) => file);
    const built = readdirSync(path.join(root, "playground/dist/assets")).filter((file) => !/\.(br|gz)$/.test(file));
    expect([...new Set(files)].sort()).toEqual(built.map((file) => `assets/${file}`).sort());
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

  it("is only for local clients, unless the page is public", async () => {
    const far = { "x-real-ip": "8.8.8.8" };
    const closed = await startAgent();
    const asset = /assets\/index-[\w-]+\.js/.exec((await closed.send("/")).text)![0];
    expect((await closed.send("/", { headers: far })).status).toBe(403);
    expect((await closed.send(`/${asset}`, { headers: far })).status).toBe(403);
    expect((await closed.send("/service-worker.js", { headers: far })).status).toBe(403);
    await closed.stop();
    const opened = await startAgent({ config: '[http_api]\npublic_apis = ["/"]' });
    expect((await opened.send("/", { headers: far })).status).toBe(200);
    expect((await opened.send(`/${asset}`, { headers: far })).status).toBe(200);
    expect((await opened.send("/service-worker.js", { headers: far })).status).toBe(200);
    expect((await opened.send("/metrics", { headers: far })).status).toBe(403);
    await opened.stop();
  });

  it("is served to every client by the packed server, which has only the brotli form of the assets", async () => {
    const built = path.join(root, "playground/dist");
    const folder = bareFolder();
    packPage(built, path.join(folder, "playground/dist"));
    const kept = readdirSync(path.join(folder, "playground/dist/assets"));
    expect(kept.filter((file) => !file.endsWith(".br"))).toEqual([]);
    const agent = await startAgent({ program: path.join(folder, "dist/server/main.js") });
    const names = kept.map((file) => file.slice(0, -".br".length));
    const expected = {
      js: /^(?:text|application)\/javascript/,
      css: /^text\/css/,
      wasm: /^application\/wasm$/,
      svg: /^image\/svg\+xml/,
    };
    for (const [ending, type] of Object.entries(expected)) {
      const name = names.find((each) => each.endsWith(`.${ending}`))!;
      for (const [accepted, encoding] of encodings) {
        const sent = { "accept-encoding": accepted };
        const { status, headers, body } = await agent.send(`/assets/${name}`, { headers: sent });
        const plain = readFileSync(path.join(built, "assets", name));
        const short = plain.length <= 1024 && encoding === "gzip" ? undefined : encoding;
        expect([name, accepted, status, headers["content-encoding"]]).toEqual([name, accepted, 200, short]);
        expect(headers["content-type"]).toMatch(type);
        expect(headers).toMatchObject({ vary: "Accept-Encoding", "x-content-type-options": "nosniff" });
        expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
        expect(headers["content-security-policy"]).toContain("default-src 'none'");
        expect(decoded(body, short).equals(plain)).toBe(true);
      }
    }
    expect((await agent.send("/")).text).toContain("<title>Millrace playground</title>");
    for (const name of ["none.js", "..%2findex.html"]) expect((await agent.send(`/assets/${name}`)).status).toBe(404);
    await agent.stop();
    rmSync(folder, { recursive: true });
  });

  it("uses the server's own country database when the package of the page contains none", async () => {
    const assets = path.join(root, "playground/dist/assets");
    const name = readdirSync(assets).find((file) => file.endsWith(".mmdb"))!;
    const folder = bareFolder();
    packPage(path.join(root, "playground/dist"), path.join(folder, "playground/dist"));
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

  it("explains how to build the page when it is missing", async () => {
    const folder = bareFolder();
    const agent = await startAgent({ program: path.join(folder, "dist/server/main.js") });
    const { status, headers, text } = await agent.send("/");
    expect([status, headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
    expect(text).toContain("npm run build:playground");
    await agent.stop();
    rmSync(folder, { recursive: true });
  });
});
