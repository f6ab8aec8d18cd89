// What the modules of an agent load before anything is asked of them, as they are built.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Packages that a module and those that it imports import, but for what is imported when it is needed. */
function packagesOf(entry: URL): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const walk = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, target] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"(.+?)";$/gm,
    )) {
      if (target!.startsWith(".")) walk(new URL(target!, file));
      else if (!target!.startsWith("node:")) packages.add(target!);
    }
  };
  walk(entry);
  return packages;
}

const built = new URL("../../../dist/server/", import.meta.url);

it("an agent that has no gateway does without the client of gateways", () => {
  expect(packagesOf(new URL("outbound/upstream.js", built))).toContain("undici");
  const packages = packagesOf(new URL("agent/start/start.js", built));
  expect(packages).toContain("fastify");
  expect(packages).not.toContain("undici");
});
