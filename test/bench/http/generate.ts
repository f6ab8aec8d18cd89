// Starts the load generator, which sends requests to a server, and returns what the load generator has measured.

import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Load, Measured } from "./protocol.ts";

const loader = fileURLToPath(new URL("./load.js", import.meta.url));

export type Size = Pick<Load, "pointsPerBody" | "connections" | "seconds" | "points">;

/**
 * The port and path to which the load generator sends its requests, their method, and additional header lines. The load
 * generator itself adds the header lines that describe the body.
 */
export type Place = Pick<Load, "port" | "path" | "headers" | "method">;

export function generate(place: Place, size: Size): Promise<Measured> {
  const load: Load = { host: "127.0.0.1", ...place, ...size };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [loader, JSON.stringify(load)], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(text) as Measured);
      else reject(new Error(`the load generator ended with ${code}`));
    });
  });
}
