// GET /, its assets and its service worker: serves the playground (the web page that runs scripts), as built into
// playground/dist. Files under assets/ have a hash in their name, so clients may cache them forever; clients ask for
// the page itself each time.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { FastifyReply } from "fastify";
import { countryFile, countryFileName } from "../../geoip/lookup.ts";
import { accepts, answer } from "../../http/answer.ts";
import type { Route } from "../serving/route.ts";

/**
 * The Content-Security-Policy of the playground. Allows WebAssembly and the page's own scripts and workers; forbids
 * other origins, inline code and inline styles.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "content-security-policy": contentPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "Accept-Encoding",
};

const decompress = promisify(brotliDecompress);
const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

const notBuilt = "The playground is not built. Build it with: npm run build:playground\n";

/** Folder of the built playground, in the package that contains this file; null when the playground was not built. */
export const playgroundFolder = findFolder();

function findFolder(): string | null {
  for (const root of ["../../../", "../../../../"]) {
    const folder = fileURLToPath(new URL(`${root}playground/dist`, import.meta.url));
    if (existsSync(path.join(folder, "index.html"))) return folder;
  }
  return null;
}

export const playgroundPage: Route = {
  method: "GET",
  url: "/",
  handle: async ({ config }, { reply }) => {
    if (playgroundFolder === null) {
      return reply
        .code(404)
        .header("content-type", "text/plain; charset=utf-8")
        .header("x-content-type-options", "nosniff")
        .send(Buffer.from(notBuilt));
    }
    // The setting `playground_agents` lets only the main page connect to other agents. The other files of the
    // playground keep the strict Content-Security-Policy.
    const agents = config["http_api.playground_agents"].join(" ");
    const policy = contentPolicy.replace("connect-src 'self'", `connect-src 'self' ${agents}`.trim());
    return reply.headers({ ...headers, "content-security-policy": policy }).sendFile("index.html", { maxAge: 0 });
  },
};

/**
 * The service worker, which stores the page so that it can be used without a network. The name of this file has no
 * hash. So clients ask for the file each time, and in this way learn of a new version of the page.
 */
export const playgroundWorker: Route = {
  method: "GET",
  url: "/service-worker.js",
  handle: async (_agent, { reply }) => {
    if (playgroundFolder === null) {
      reply.callNotFound();
      return reply;
    }
    return reply.headers(headers).sendFile("service-worker.js", { maxAge: 0 });
  },
};

export const playgroundAsset: Route = {
  method: "GET",
  url: "/assets/:file",
  handle: async (_agent, { reply, request }) => {
    const { file } = request.params as { file: string };
    if (playgroundFolder === null || !/^[\w-]+\.[\w.-]+$/.test(file)) {
      reply.callNotFound();
      return reply;
    }
    const kept = { maxAge: "365d", immutable: true };
    if (isCountryFile(file) && !existsSync(path.join(playgroundFolder, "assets", file))) {
      const own = countryFile();
      return reply.headers(headers).sendFile(path.basename(own), path.dirname(own), kept);
    }
    const at = path.join(playgroundFolder, "assets", file);
    const { "accept-encoding": accepted } = request.headers;
    if (!accepts(accepted, "br") && !existsSync(at) && existsSync(`${at}.br`)) return sendDecompressed(reply, at);
    return reply.headers(headers).sendFile(`assets/${file}`, kept);
  },
};

/**
 * Sends an asset to a client that does not accept Brotli. The packed server has only the `.br` file of an asset, so the
 * agent decompresses it. Browsers accept Brotli only over HTTPS or from a server on their own machine.
 */
async function sendDecompressed(reply: FastifyReply, at: string): Promise<FastifyReply> {
  const bytes = await decompress(await readFile(`${at}.br`));
  reply.headers({ ...headers, "cache-control": "public, max-age=31536000, immutable" });
  return answer(reply, contentTypes[path.extname(at)] ?? "application/octet-stream", bytes);
}

/**
 * Returns whether the file is the database that finds the country of an address. The published playground lacks this
 * file, so the agent sends its own copy, which has the same content.
 */
function isCountryFile(file: string): boolean {
  return file.startsWith(`${countryFileName}-`) && file.endsWith(".mmdb");
}
