// Runs the suite of the Open API without an HTTP server in Node, on each metadata store. Also checks that no part of
// the Open API imports a module of Node.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { databaseKinds } from "../../metadata/stores.ts";
import { describeDispatch } from "./dispatch-suite.ts";

// Imports the compiled JavaScript, because the database thread starts from a file beside it.
const built = new URL("../../../../../dist/server/platform/metadata/database.js", import.meta.url).href;
const { openStore } = (await import(
  /* @vite-ignore */ built
)) as typeof import("../../../../../server/platform/metadata/database.ts");

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

for (const { kind, isHere, start } of databaseKinds) {
  describeDispatch(kind, isHere, async () => {
    const databases = await start();
    stops.push(() => databases.stop());
    const { url, folder } = databases.newPlace();
    return await openStore(url, folder);
  });
}

it("the dispatcher imports neither Node modules nor packages", () => {
  const platform = fileURLToPath(new URL("../../../../../server/platform/", import.meta.url));
  const entries = ["open-api/protocol/dispatch.ts", "open-api/protocol/fetch-handler.ts", "metadata/memory-store.ts"];
  const seen = new Set<string>();
  const refused: string[] = [];
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    // Imports of types are ignored, because they do not load a module at run time.
    const source = readFileSync(file, "utf8").replace(/^(?:import|export) type [^;]*;$/gm, "");
    for (const [, name] of source.matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)";$|^import "([^"]+)";$/gm)) {
      if (name === "#default-wasm") continue;
      if (!name!.startsWith(".")) refused.push(`${path.relative(platform, file)}: ${name}`);
      else if (existsSync(path.resolve(path.dirname(file), name!)) && name!.endsWith(".ts")) {
        visit(path.resolve(path.dirname(file), name!));
      }
    }
    for (const [word] of source.matchAll(/(?<![-\w."/])(?:Buffer|process)\.\w+/g))
      refused.push(`${path.relative(platform, file)}: ${word}`);
  };
  for (const entry of entries) visit(path.join(platform, entry));
  expect(refused).toEqual([]);
  expect([...seen].some((file) => file.endsWith("open-api/dashboards/dashboard.ts"))).toBe(true);
});
